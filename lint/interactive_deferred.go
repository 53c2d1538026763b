package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/bounds"
)

var interactiveDeferred = &Rule{
	ID: "interactive-deferred", Harm: Deferred, Severity: ir.Warning,
	Title: "a person watches work that a scheduler may start in hours",
	Class: func(p *Pass, f *Facts) {
		gap := bounds.Add(f.Scheduler.MaxGap, f.StartJitter)
		if f.Timing != ir.ByScheduler || f.Audience != ir.Interactive || gap < interactiveGrant {
			return
		}
		p.class(f.Set, f.Class, finding{
			Field:   "audience",
			Message: fmt.Sprintf("a person watches, but the scheduler may take %s to start the first attempt", ir.FormatDuration(gap)),
			Help:    []string{"let a row wait that starts at once: timing: \"queue\"", "if nobody watches: audience: \"background\""},
		})
	},
}
