package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var attemptsSpentEarly = &Rule{
	ID: "attempts-spent-early", Harm: Storm, Severity: ir.Info,
	Title: "a queue's attempts are over long before its deadline",
	Class: func(p *Pass, f *Facts) {
		spent := f.averageWaits()
		if f.Timing != ir.Queue || !f.repeats() || float64(spent) >= earlyShare*float64(f.Deadline.Within) {
			return
		}
		p.class(f.Set, f.Class, finding{
			Field: "attempts",
			Message: fmt.Sprintf("the %d attempts are spent after %s on average, although the work is worth %s: any longer outage loses it",
				f.Attempts, dur(spent), ir.FormatDuration(f.Deadline.Within)),
			Help: []string{"more attempts, or longer waits: a higher base and cap"},
		})
	},
}
