package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var interactiveRetries = &Rule{
	ID: "interactive-retries", Harm: DeadlineHarm, Severity: ir.Warning,
	Title: "a person watches more than one retry",
	Class: func(p *Pass, f *Facts) {
		if f.Timing != ir.Inline || f.Audience != ir.Interactive || f.Attempts <= interactiveAttempts {
			return
		}
		wait := fmt.Sprintf("%s if each fails at once", dur(f.Bounds.AtOnce.End.Average))
		if f.AttemptTimeout > 0 {
			wait = fmt.Sprintf("%s if none answers", dur(f.Bounds.Silent.End.Average))
		}
		p.class(f.Set, f.Class, finding{
			Field:   "attempts",
			Message: fmt.Sprintf("a person waits through %d attempts (%s): retry once, then let them decide", f.Attempts, wait),
			Help:    []string{fmt.Sprintf("attempts: %d", interactiveAttempts)},
		})
	},
}
