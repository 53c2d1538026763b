package lint

import (
	"fmt"
	"slices"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen/engine"
)

var nothingToRetry = &Rule{
	ID: "nothing-to-retry", Harm: Classification, Severity: ir.Error,
	Title: "several attempts are granted, and no outcome leads to a second",
	Class: func(p *Pass, f *Facts) {
		if !f.repeats() || f.anyRetried() {
			return
		}
		p.class(f.Set, f.Class, finding{
			Field:   "attempts",
			Message: fmt.Sprintf("%d attempts, but no outcome is %q or %q: there will be one", f.Attempts, ir.Retry, ir.Reread),
			Help:    []string{"attempts: 1", "say what is worth a second attempt: outcome: connection: \"retry\""},
		})
	},
}

// anyRetried reports whether any failure leads to another attempt.
func (f *Facts) anyRetried() bool {
	again := func(on string) bool {
		o := f.outcome(on)
		return o == ir.Retry || o == ir.Reread
	}
	// One of these nearly always is; the list of all is long.
	if slices.ContainsFunc([]string{"unsent", "refused", "timeout", "connection"}, again) ||
		slices.ContainsFunc(f.Conditions, again) || slices.ContainsFunc(engine.KnownConditions(f.Spec.Kind), again) {
		return true
	}
	// With push-back it is retried unless the policy says otherwise.
	_, said := f.written("RESOURCE_EXHAUSTED")
	return f.Op.Kind == ir.GRPC && !said && f.RetryAfter.Mode != ir.Ignore
}
