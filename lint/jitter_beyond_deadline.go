package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var jitterBeyondDeadline = &Rule{
	ID: "jitter-beyond-deadline", Harm: DeadlineHarm, Severity: ir.Error,
	Title: "the start is spread beyond the deadline",
	Class: func(p *Pass, f *Facts) {
		if f.Timing != ir.Queue || f.Deadline.Mode != ir.Expire || f.StartJitter == 0 || f.StartJitter < f.Deadline.Within {
			return
		}
		lost := 100 - 100*float64(f.Deadline.Within)/float64(f.StartJitter)
		p.class(f.Set, f.Class, finding{
			Field: "startJitter",
			Message: fmt.Sprintf("the start is spread over %s, but the work expires after %s: %.0f%% of it never starts",
				ir.FormatDuration(f.StartJitter), ir.FormatDuration(f.Deadline.Within), lost),
			Help: []string{fmt.Sprintf("startJitter: %q", ir.FormatDuration(neat(f.Deadline.Within/10)))},
		})
	},
}
