package lint_test

import (
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/retryc/retryc/lint"
)

// What one expression makes of several names is no field that could be taken out
// or changed for one of them: no text is touched, and nothing panics.
func TestComputedFieldsAreNotFixed(t *testing.T) {
	const head = "package p\n\n_c: \"404\"\n_u: \"401\"\n\n// Read one.\nclass: one: {\n\thttp: \"GET d.example/one\", attempts: 3, attemptTimeout: \"2s\", deadline: within: \"20s\"\n"
	const b = "\tbackoff: {base: \"200ms\", cap: \"2s\"}\n"
	for _, c := range []struct {
		what, rest string
		findings   int
	}{
		{"a comprehension", b + "\toutcome: {for s in [\"410\", \"422\"] {(s): \"retry\"}}\n}\n", 2},
		{"a comprehension of waivers", b + "\twaive: {for r in [\"missing-jitter\", \"tight-retry\"] {(r): {reason: \"x\", until: \"2027-01-01\"}}}\n}\n", 2},
		{"a key by reference", b + "\toutcome: (_c): \"retry\"\n}\n", 1},
		{"a key by reference in braces", b + "\toutcome: {(_c): \"retry\", \"500\": \"retry\"}\n}\n", 1},
		{"a key in parentheses", b + "\toutcome: (\"404\"): \"retry\"\n}\n", 1},
		{"an interpolated key", b + "\toutcome: \"\\(_c)\": \"retry\"\n}\n", 1},
		{"a key by reference whose value is to change", b + "\toutcome: (_u): \"retry\"\n}\n", 1},
		{"a value by comprehension", "\tbackoff: {base: \"200ms\", cap: \"2s\", for k in [\"jitter\"] {(k): \"none\"}}\n}\n", 1},
	} {
		sets, got := run(t, []txtar.File{{Name: "p.cue", Data: []byte(head + c.rest)}})
		if len(got.Findings) != c.findings {
			t.Errorf("%s: found\n%s", c.what, text(t, sets, got.Findings))
		}
		if done := lint.ApplyFixes(got.Findings, sources(sets)); len(done.Files) > 0 {
			t.Errorf("%s: fixed to\n%s", c.what, done.Files["p.cue"])
		}
	}
}
