package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var retryAfterBeyondDeadline = &Rule{
	ID: "retry-after-beyond-deadline", Harm: PushBack, Severity: ir.Warning,
	Title: "a limit of the server's delay lies beyond the deadline and never acts",
	Class: func(p *Pass, f *Facts) {
		if f.RetryAfter.Mode != ir.Stop && f.RetryAfter.Mode != ir.Clamp || f.RetryAfter.Max <= f.Deadline.Within || !f.Written("retryAfter.max") {
			return
		}
		p.class(f.Set, f.Class, finding{
			Field: "retryAfter.max",
			Message: fmt.Sprintf("a delay of up to %s is allowed, but none may start after %s: the deadline ends it first",
				ir.FormatDuration(f.RetryAfter.Max), ir.FormatDuration(f.Deadline.Within)),
			Help: []string{fmt.Sprintf("max: %q", ir.FormatDuration(neat(f.Deadline.Within/2)))},
		})
	},
}
