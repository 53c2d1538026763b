package lint

import (
	"fmt"
	"slices"

	"github.com/retryc/retryc/compiler/ir"
)

var unusedBudget = &Rule{
	ID: "unused-budget", Harm: Hygiene, Severity: ir.Warning,
	Title: "a shared retry budget that no class draws on",
	Set: func(p *Pass, s *SetFacts) {
		for _, b := range s.Budgets {
			used := slices.ContainsFunc(s.Classes, func(f *Facts) bool { return f.RetryBudget != nil && f.RetryBudget.Name == b.Name })
			if used || s.Partial {
				continue
			}
			p.set(s.Set, finding{
				Field: "retryBudgets." + b.Name, OnLabel: true,
				Message: fmt.Sprintf("no class draws on the retry budget %q", b.Name),
				Help:    []string{fmt.Sprintf("name it in a class: retryBudget: %q", b.Name), "remove it"},
			})
		}
	},
}
