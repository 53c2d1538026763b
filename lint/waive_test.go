package lint_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/lint"
)

const twoPosts = `package shop
%s
// Cancel an order.
class: "cancel-order": {
	http:           "POST api.shop.example/v1/orders/{id}/cancel"
	attempts:       3
	attemptTimeout: "5s"
	deadline: within: "30s"
	backoff: {base: "200ms", cap: "5s"}
	%s
}

// Place an order.
class: "place-order": {
	http:           "POST api.shop.example/v1/orders"
	attempts:       3
	attemptTimeout: "5s"
	deadline: within: "30s"
	backoff: {base: "200ms", cap: "5s"}
}
`

// summary is the open findings, the waived ones, and what is in force.
func summary(got lint.Results) string {
	var out []string
	for _, d := range got.Findings {
		out = append(out, fmt.Sprintf("%s %s %s", d.Severity, d.Class, d.Rule))
	}
	for _, w := range got.Waived {
		out = append(out, fmt.Sprintf("waived %s %s: %s", w.Class, w.Rule, w.Waiver.Reason))
	}
	for _, f := range got.InForce {
		until := "no end"
		if !f.Until.IsZero() {
			until = f.Until.Format(time.DateOnly)
		}
		if f.Severity != 0 {
			until = "lowered to " + f.Severity.String()
		}
		out = append(out, fmt.Sprintf("in force %s.%s %s, %s, covers %d, line %d", f.Set, f.Class, f.Rule, until, f.Covers, f.Span.Start.Line))
	}
	for _, d := range got.Mistakes {
		out = append(out, fmt.Sprintf("mistake %s: %s", d.Rule, d.Message))
	}
	return strings.Join(out, "\n")
}

func TestWaivers(t *testing.T) {
	for _, c := range []struct{ what, set, class, want string }{
		{"on a class it accepts that class's finding", "", `waive: "unsafe-retry-without-key": {reason: "soon", until: "2026-09-01"}`, `
error place-order unsafe-retry-without-key
waived cancel-order unsafe-retry-without-key: soon
in force shop.cancel-order unsafe-retry-without-key, 2026-09-01, covers 1, line 10`},
		{"on a set it accepts those of all classes", `waive: "unsafe-retry-without-key": {reason: "soon", until: "2026-09-01"}`, "", `
waived cancel-order unsafe-retry-without-key: soon
waived place-order unsafe-retry-without-key: soon
in force shop. unsafe-retry-without-key, 2026-09-01, covers 2, line 2`},
		{"the class's own comes first", `waive: "unsafe-retry-without-key": {reason: "all", until: "2026-09-01"}`, `waive: "unsafe-retry-without-key": {reason: "own", until: "2026-10-01"}`, `
waived cancel-order unsafe-retry-without-key: own
waived place-order unsafe-retry-without-key: all
in force shop. unsafe-retry-without-key, 2026-09-01, covers 1, line 2
in force shop.cancel-order unsafe-retry-without-key, 2026-10-01, covers 1, line 10`},
		{"on its last day it holds", "", `waive: "unsafe-retry-without-key": {reason: "x", until: "2026-06-02"}`, `
info cancel-order waiver-ends-soon
error place-order unsafe-retry-without-key
waived cancel-order unsafe-retry-without-key: x
in force shop.cancel-order unsafe-retry-without-key, 2026-06-02, covers 1, line 10`},
		{"on the day it names it does not", "", `waive: "unsafe-retry-without-key": {reason: "x", until: "2026-06-01"}`, `
error cancel-order unsafe-retry-without-key
error cancel-order waiver-expired
error place-order unsafe-retry-without-key`},
		{"a final rule cannot be waived", "", `waive: "waiver-expired": {reason: "x", until: "2026-09-01"}`, `
error cancel-order unsafe-retry-without-key
error cancel-order waiver-unknown-rule
error place-order unsafe-retry-without-key`},
		{"nor can the end of a waiver", `waive: "waiver-expired": {reason: "x", until: "2026-09-01"}`, `waive: "unsafe-retry-without-key": {reason: "x", until: "2026-06-01"}`, `
error  waiver-unknown-rule
error cancel-order unsafe-retry-without-key
error cancel-order waiver-expired
error place-order unsafe-retry-without-key`},
		{"nor can a mistake", "", `waive: "invalid-policy": {reason: "x", until: "2026-09-01"}`, `
error cancel-order unsafe-retry-without-key
error cancel-order waiver-unknown-rule
error place-order unsafe-retry-without-key`},
		{"a rule about waivers can", `waive: "waiver-unused": {reason: "kept for a while", until: "2026-09-01"}`, `waive: "missing-jitter": {reason: "x", until: "2026-09-01"}`, `
error cancel-order unsafe-retry-without-key
error place-order unsafe-retry-without-key
waived cancel-order waiver-unused: kept for a while
in force shop. waiver-unused, 2026-09-01, covers 1, line 2
in force shop.cancel-order missing-jitter, 2026-09-01, covers 0, line 10`},
		{"a severity is raised without a reason", `lint: "missing-owner": "error"`, `owner: "orders"`, `
error cancel-order unsafe-retry-without-key
error place-order missing-owner
error place-order unsafe-retry-without-key`},
		{"and lowered with one", `lint: "unsafe-retry-without-key": {severity: "info", reason: "legacy server"}`, "", `
info cancel-order unsafe-retry-without-key
info place-order unsafe-retry-without-key
in force shop. unsafe-retry-without-key, lowered to info, covers 2, line 2`},
	} {
		sets, got := run(t, []txtar.File{{Name: "shop.cue", Data: []byte(fmt.Sprintf(twoPosts, c.set, c.class))}})
		if s := "\n" + summary(got); s != c.want {
			t.Errorf("%s:%s\nwant%s\n%s", c.what, s, c.want, text(t, sets, got.Findings))
		}
	}
}

// What the compiler lets through and the linter does not: a lowered severity
// without a reason is a mistake, and is not applied.
func TestLoweringNeedsAReason(t *testing.T) {
	sets := compile(t, []txtar.File{{Name: "shop.cue", Data: []byte(fmt.Sprintf(twoPosts, "", ""))}})
	for _, c := range []struct {
		change ir.RuleChange
		want   string
	}{
		{ir.RuleChange{Rule: "unsafe-retry-without-key", Severity: ir.Warning}, `mistake invalid-policy: "unsafe-retry-without-key" is lowered from error to warning without a reason`},
		{ir.RuleChange{Rule: "unsafe-retry-without-key", Severity: ir.Error}, ""},
		{ir.RuleChange{Rule: "call-cycle", Severity: ir.Info, Reason: "x"}, ""},
	} {
		sets[0].Lint = []ir.RuleChange{c.change}
		got := lint.Run(sets, lint.Options{Today: today})
		if s := summary(lint.Results{Mistakes: got.Mistakes}); s != c.want {
			t.Errorf("%v: %q, want %q", c.change, s, c.want)
		}
		if errors := grave(got.Findings); errors < 2 {
			t.Errorf("%v: applied: %s", c.change, summary(got))
		}
	}
}

// A set some of whose classes have mistakes does not have its waivers called
// unused, nor its budgets.
func TestPartialSets(t *testing.T) {
	sets := compile(t, []txtar.File{{Name: "shop.cue", Data: []byte(fmt.Sprintf(twoPosts,
		"waive: \"missing-jitter\": {reason: \"x\", until: \"2026-09-01\"}\nretryBudgets: b: {ratio: 0.1, floor: 1, per: \"host\"}\n", ""))}})
	for _, partial := range []bool{true, false} {
		got := summary(lint.Run(sets, lint.Options{Today: today, Partial: func(*ir.Set) bool { return partial }}))
		if strings.Contains(got, "waiver-unused") == partial || strings.Contains(got, "unused-budget") == partial {
			t.Errorf("partial %v: %s", partial, got)
		}
	}
}

// The time of day, and the zone it is told in, do not matter.
func TestTodayIsADate(t *testing.T) {
	sets := compile(t, []txtar.File{{Name: "shop.cue", Data: []byte(fmt.Sprintf(twoPosts, "", `waive: "unsafe-retry-without-key": {reason: "x", until: "2026-06-02"}`))}})
	for _, now := range []time.Time{
		time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 6, 1, 23, 59, 59, 0, time.UTC),
		time.Date(2026, 6, 1, 23, 59, 59, 0, time.FixedZone("east", 14*3600)), time.Date(2026, 6, 1, 20, 0, 0, 0, time.FixedZone("west", -12*3600)),
	} {
		if got := summary(lint.Run(sets, lint.Options{Today: now})); strings.Contains(got, "waiver-expired") {
			t.Errorf("at %v: %s", now, got)
		}
	}
}
