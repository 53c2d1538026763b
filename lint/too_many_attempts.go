package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var tooManyAttempts = &Rule{
	ID: "too-many-attempts", Harm: Storm, Severity: ir.Warning,
	Title: "more attempts than an operation of its kind gains from",
	Class: func(p *Pass, f *Facts) {
		limit, where := maxInlineAttempts, "inline"
		switch f.Timing {
		case ir.Queue:
			limit, where = maxQueueAttempts, "in a queue"
		case ir.ByScheduler:
			limit, where = maxSchedulerAttempts, "under a scheduler"
		}
		if f.Attempts <= limit {
			return
		}
		help := []string{fmt.Sprintf("attempts: %d", limit)}
		if f.Timing == ir.Inline {
			help = append(help, "if it must outlast a long outage, let a row wait instead of a caller: timing: \"queue\"")
		}
		p.class(f.Set, f.Class, finding{
			Field:   "attempts",
			Message: fmt.Sprintf("%d attempts %s, more than %d: a server that fails for all gets %d times its load", f.Attempts, where, limit, f.Bounds.Requests),
			Help:    help,
		})
	},
}
