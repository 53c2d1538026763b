package lint

import (
	"fmt"
	"time"

	"github.com/retryc/retryc/compiler/ir"
)

var scheduleNotSpread = &Rule{
	ID: "schedule-not-spread", Harm: Storm, Severity: ir.Info,
	Title: "background work of a whole fleet starts on the same tick",
	Class: func(p *Pass, f *Facts) {
		if f.Timing != ir.ByScheduler || f.Audience != ir.Background || f.StartJitter != 0 {
			return
		}
		p.class(f.Set, f.Class, finding{
			Field:   "scheduler",
			Message: "no startJitter: a push or a restored network starts every device at once",
			Help:    []string{fmt.Sprintf("startJitter: %q", ir.FormatDuration(min(15*time.Minute, max(time.Minute, f.Scheduler.MaxGap/10))))},
		})
	},
}
