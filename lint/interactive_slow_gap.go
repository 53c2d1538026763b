package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var interactiveSlowGap = &Rule{
	ID: "interactive-slow-gap", Harm: DeadlineHarm, Severity: ir.Warning,
	Title: "a person watches a pause in which nothing happens",
	Class: func(p *Pass, f *Facts) {
		if f.Timing != ir.Inline || f.Audience != ir.Interactive || !f.waits() || f.Bounds.Attempts[1].Wait.Average <= interactiveGap {
			return
		}
		p.class(f.Set, f.Class, finding{
			Field:   "backoff.base",
			Message: fmt.Sprintf("a person waits %s on average before the second attempt even starts, more than %s", dur(f.Bounds.Attempts[1].Wait.Average), ir.FormatDuration(interactiveGap)),
			Help:    []string{"base: \"500ms\""},
		})
	},
}
