package lint

import (
	"fmt"
	"time"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/bounds"
)

var attemptOutlivesDeadline = &Rule{
	ID: "attempt-outlives-deadline", Harm: DeadlineHarm, Severity: ir.Warning,
	Title: "the first timeout leaves no time for a second attempt",
	Class: func(p *Pass, f *Facts) {
		if !f.repeats() || f.AttemptTimeout == 0 || f.AttemptTimeout < f.Deadline.Within {
			return
		}
		p.class(f.Set, f.Class, finding{
			Field: "attemptTimeout",
			Message: fmt.Sprintf("one attempt may take %s, but none may start after %s: after a timeout nothing is left of %d attempts",
				ir.FormatDuration(f.AttemptTimeout), ir.FormatDuration(f.Deadline.Within), f.Attempts),
			Help: []string{
				fmt.Sprintf("attemptTimeout: %q", ir.FormatDuration(neat(f.Deadline.Within/time.Duration(f.Attempts)))),
				fmt.Sprintf("within: %q", ir.FormatDuration(bounds.Times(f.AttemptTimeout, f.Attempts))),
			},
		})
	},
}
