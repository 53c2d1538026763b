package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/bounds"
)

var attemptsExceedGrants = &Rule{
	ID: "attempts-exceed-grants", Harm: Deferred, Severity: ir.Info,
	Title: "more attempts than the scheduler grants before the deadline",
	Class: func(p *Pass, f *Facts) {
		if f.Timing != ir.ByScheduler || f.mayNeverStart() || bounds.Times(f.Scheduler.MaxGap, f.Attempts-1) <= f.end() {
			return
		}
		p.class(f.Set, f.Class, finding{
			Field: "attempts",
			Message: fmt.Sprintf("%d attempts at one grant every %s take %s, but the last may start after %s: %s for sure",
				f.Attempts, ir.FormatDuration(f.Scheduler.MaxGap), ir.FormatDuration(bounds.Times(f.Scheduler.MaxGap, f.Attempts-1)),
				ir.FormatDuration(f.end()), count(f.Bounds.Grants, "attempt is granted", "attempts are granted")),
			Help: []string{fmt.Sprintf("attempts: %d", f.Bounds.Grants)},
		})
	},
}
