package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var missingRetryBudget = &Rule{
	ID: "missing-retry-budget", Harm: Storm, Severity: ir.Info,
	Title: "nothing bounds what all clients together add to an outage",
	Class: func(p *Pass, f *Facts) {
		if f.Timing != ir.Inline || f.Audience != ir.Background || f.Attempts <= unbudgetedAttempts || f.RetryBudget != nil {
			return
		}
		p.class(f.Set, f.Class, finding{
			Field:   "attempts",
			Message: fmt.Sprintf("%d attempts and no retry budget: in an outage the whole fleet sends %d times its load", f.Attempts, f.Bounds.Requests),
			Help:    []string{"retryBudget: {ratio: 0.1, floor: 1, per: \"host\"}"},
		})
	},
}
