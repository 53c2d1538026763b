package lint_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/retryc/retryc/compiler"
	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/lint"
)

// Where a policy has a mistake nothing is found: one thing is said of one place.
func TestNothingIsFoundAtMistakes(t *testing.T) {
	const one = "\n// One.\nclass: one: {http: \"GET d.example/one\", attempts: 3, attemptTimeout: \"2s\", deadline: within: \"20s\", backoff: {base: \"200ms\", cap: \"2s\"}"
	for what, text := range map[string]string{
		"a ratio above 1":                  "retryBudgets: b: {ratio: 2, floor: 1, per: \"host\"}" + one + ", retryBudget: \"b\"}\n",
		"no severity":                      "lint: \"missing-owner\": \"none\"" + one + "}\n",
		"a reason of blanks":               "waive: \"missing-jitter\": {reason: \"   \", until: \"2027-01-01\"}" + one + "}\n",
		"a lowered severity's, of blanks":  "lint: \"missing-jitter\": {severity: \"info\", reason: \"  \"}" + one + "}\n",
		"a lowered severity's, left out":   "lint: \"missing-jitter\": {severity: \"info\"}" + one + "}\n",
		"a reason of blanks, on the class": one[1:] + ", waive: \"missing-jitter\": {reason: \"   \", until: \"2027-01-01\"}}\n",
	} {
		base := filepath.FromSlash("/policies")
		opt := compiler.Options{Base: base, Overlay: map[string][]byte{filepath.Join(base, "p", "p.cue"): []byte("package p\n\n" + text)}}
		results, err := compiler.Compile(opt, []compiler.Folder{{Dir: "p", Named: true}})
		if err != nil {
			t.Fatal(err)
		}
		r := results[0]
		var sets []*ir.Set
		for _, s := range []*ir.Set{r.Set, r.Partial} {
			if s != nil {
				sets = append(sets, s)
			}
		}
		got := lint.Run(sets, lint.Options{Today: today, Mistakes: r.Mistakes, Partial: func(*ir.Set) bool { return r.Set == nil }})
		var said []string
		for _, d := range append(append(append([]ir.Diagnostic{}, r.Mistakes...), got.Mistakes...), got.Findings...) {
			said = append(said, d.Message)
		}
		if len(said) != 1 {
			t.Errorf("%s: %d messages:\n%s", what, len(said), strings.Join(said, "\n"))
		}
	}
}
