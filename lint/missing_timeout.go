package lint

import (
	"fmt"
	"time"

	"github.com/retryc/retryc/compiler/ir"
)

var missingTimeout = &Rule{
	ID: "missing-timeout", Harm: DeadlineHarm, Severity: ir.Warning,
	Title: "an attempt that is never answered lasts for ever",
	Class: func(p *Pass, f *Facts) {
		if f.Timing != ir.Inline || f.Op.Kind == ir.Task || f.AttemptTimeout != 0 {
			return
		}
		then := "the caller waits for ever"
		if f.repeats() {
			then = fmt.Sprintf("the caller waits for ever, and the other %s never come", count(f.Attempts-1, "attempt"))
		}
		p.class(f.Set, f.Class, finding{
			Message: "no attemptTimeout: if the server does not answer, " + then,
			Help:    []string{fmt.Sprintf("attemptTimeout: %q", ir.FormatDuration(neat(min(10*time.Second, f.Deadline.Within/time.Duration(max(f.Attempts, 2))))))},
		})
	},
}
