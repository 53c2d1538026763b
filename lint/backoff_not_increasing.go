package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/bounds"
)

var backoffNotIncreasing = &Rule{
	ID: "backoff-not-increasing", Harm: Storm, Severity: ir.Warning,
	Title: "the waits never grow, however long the server has been down",
	Class: func(p *Pass, f *Facts) {
		at := f.Bounds.Attempts
		if !f.waits() || len(at) < 3 || at[len(at)-1].Wait.Longest > at[1].Wait.Longest {
			return
		}
		field, help := "backoff.cap", fmt.Sprintf("cap: %q", ir.FormatDuration(bounds.Times(f.Backoff.Base, 16)))
		fix := (*ir.Fix)(nil)
		if f.Backoff.Factor <= 1 && f.Backoff.Jitter != ir.DecorrelatedJitter {
			field, help = "backoff.factor", "remove factor, which is 2 without it"
			fix = f.remove("backoff.factor", "let the waits double")
			if f.Backoff.Cap <= f.Backoff.Base {
				help = fmt.Sprintf("factor: 2, cap: %q", ir.FormatDuration(bounds.Times(f.Backoff.Base, 16)))
				fix = nil
			}
		}
		p.class(f.Set, f.Class, finding{
			Field:   field,
			Message: fmt.Sprintf("all %d waits are at most %s: a server that is down meets the same load until the attempts run out", f.Attempts-1, dur(at[1].Wait.Longest)),
			Help:    []string{help},
			Fix:     fix,
		})
	},
}
