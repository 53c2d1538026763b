package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var staleRetries = &Rule{
	ID: "stale-retries", Harm: DeadlineHarm, Severity: ir.Warning,
	Title: "attempts can come long after anybody cares",
	Class: func(p *Pass, f *Facts) {
		if !f.durable() && !f.repeats() || f.end() <= staleAfter {
			return
		}
		sum, field := "within", "deadline.within"
		if f.Deadline.Mode == ir.Extend {
			sum = fmt.Sprintf("within %s + extendAtMost %s", ir.FormatDuration(f.Deadline.Within), ir.FormatDuration(f.Deadline.ExtendAtMost))
			if f.Deadline.ExtendAtMost > f.Deadline.Within {
				field = "deadline.extendAtMost"
			}
		}
		p.class(f.Set, f.Class, finding{
			Field:   field,
			Message: fmt.Sprintf("an attempt can start %s after the operation was asked for (%s), more than %s", ir.FormatDuration(f.end()), sum, ir.FormatDuration(staleAfter)),
			Help:    []string{"a shorter deadline, after which somebody is told"},
		})
	},
}
