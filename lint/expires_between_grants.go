package lint

import (
	"fmt"
	"time"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/bounds"
)

var expiresBetweenGrants = &Rule{
	ID: "expires-between-grants", Harm: DeadlineHarm, Severity: ir.Error,
	Title: "the work can expire before the scheduler lets it start once",
	Class: func(p *Pass, f *Facts) {
		gap := bounds.Add(f.Scheduler.MaxGap, f.StartJitter)
		if f.Timing != ir.ByScheduler || f.Deadline.Mode != ir.Expire || f.Deadline.Within > gap {
			return
		}
		sum := ir.FormatDuration(f.Scheduler.MaxGap)
		if f.StartJitter > 0 {
			sum += ", and " + ir.FormatDuration(f.StartJitter) + " startJitter"
		}
		p.class(f.Set, f.Class, finding{
			Field: "deadline.within",
			Message: fmt.Sprintf("within %s is no longer than the gap between two grants (%s): the work may never start",
				ir.FormatDuration(f.Deadline.Within), sum),
			Help: []string{
				fmt.Sprintf("if it keeps its value: mode: \"extend\", extendAtMost: %q", ir.FormatDuration(bounds.Times(f.Scheduler.MaxGap, 2))),
				fmt.Sprintf("within: %q", ir.FormatDuration(ceil(bounds.Times(gap, 2), time.Hour))),
			},
		})
	},
}
