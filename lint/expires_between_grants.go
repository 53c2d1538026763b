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
		if !f.mayNeverStart() {
			return
		}
		gap := bounds.Add(f.Scheduler.MaxGap, f.StartJitter)
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

// mayNeverStart reports whether a scheduler may let the work expire before its
// first grant.
func (f *Facts) mayNeverStart() bool {
	return f.Timing == ir.ByScheduler && f.Deadline.Mode == ir.Expire && !f.startsWithin(f.Deadline.Within)
}

// startsWithin reports whether work that expires after d is sure to start: after
// the longest gap between two grants and the whole start jitter.
func (f *Facts) startsWithin(d time.Duration) bool {
	switch f.Timing {
	case ir.ByScheduler:
		return d > bounds.Add(f.Scheduler.MaxGap, f.StartJitter)
	case ir.Queue:
		return d > f.StartJitter
	}
	return true
}
