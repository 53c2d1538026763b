package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var looseRetryBudget = &Rule{
	ID: "loose-retry-budget", Harm: Storm, Severity: ir.Warning,
	Title: "a retry budget lets retries become a large part of the load",
	Set: func(p *Pass, s *SetFacts) {
		say := func(ratio float64) finding {
			return finding{
				Message: fmt.Sprintf("retries may add %s%% to the load, more than %g%%: an overloaded server gets more, not less", percent(ratio), 100*looseRatio),
				Help:    []string{fmt.Sprintf("ratio: %g", looseRatio)},
			}
		}
		for _, b := range s.Budgets {
			if b.Ratio > looseRatio {
				f := say(b.Ratio)
				f.Field = "retryBudgets." + b.Name + ".ratio"
				p.set(s.Set, f)
			}
		}
		for _, c := range s.Classes {
			if b := c.RetryBudget; b != nil && b.Name == "" && b.Ratio > looseRatio {
				f := say(b.Ratio)
				f.Field = "retryBudget.ratio"
				p.class(s.Set, c.Class, f)
			}
		}
	},
}
