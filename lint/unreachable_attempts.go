package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var unreachableAttempts = &Rule{
	ID: "unreachable-attempts", Harm: DeadlineHarm, Severity: ir.Warning,
	Title: "the deadline comes before the last attempts do",
	Class: func(p *Pass, f *Facts) {
		fit := f.Bounds.AtOnce.FitAverage
		if !f.waits() || fit >= f.Attempts {
			return
		}
		at := f.Bounds.Attempts
		help := []string{fmt.Sprintf("attempts: %d", fit)}
		// A deadline that another rule would refuse is no help.
		longest := inlineWait
		switch {
		case f.durable():
			longest = staleAfter
		case f.Audience == ir.Interactive:
			longest = interactiveWait
		}
		if within := neatUp(at[len(at)-1].AtOnce.Average); within <= longest {
			help = append(help, fmt.Sprintf("within: %q", ir.FormatDuration(within)))
		}
		p.class(f.Set, f.Class, finding{
			Field: "attempts",
			Message: fmt.Sprintf("attempt %d of %d would start after %s on average, but none may start after %s",
				fit+1, f.Attempts, dur(at[fit].AtOnce.Average), ir.FormatDuration(f.Deadline.Within)),
			Help: help,
		})
	},
}
