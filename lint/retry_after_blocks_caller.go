package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var retryAfterBlocksCaller = &Rule{
	ID: "retry-after-blocks-caller", Harm: PushBack, Severity: ir.Info,
	Title: "a server can hold a person as long as the deadline allows",
	Class: func(p *Pass, f *Facts) {
		if f.Timing != ir.Inline || f.Audience != ir.Interactive || !f.repeats() || f.RetryAfter.Mode != ir.Override || f.Deadline.Within <= interactiveWait {
			return
		}
		p.class(f.Set, f.Class, finding{
			Field:   "deadline.within",
			Message: fmt.Sprintf("a server that asks for a delay holds a person for up to %s", ir.FormatDuration(f.Bounds.PushedBack)),
			Help:    []string{"retryAfter: {mode: \"stop\", max: \"5s\"}", fmt.Sprintf("within: %q", ir.FormatDuration(interactiveWait))},
		})
	},
}
