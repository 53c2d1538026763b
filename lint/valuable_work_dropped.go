package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var valuableWorkDropped = &Rule{
	ID: "valuable-work-dropped", Harm: Deferred, Severity: ir.Warning,
	Title: "a low battery ends work that somebody counts on",
	Class: func(p *Pass, f *Facts) {
		if !f.durable() || f.WhenConstrained != ir.DropConstrained {
			return
		}
		why := ""
		switch {
		case f.Audience == ir.Interactive:
			why = "a person waits for it"
		case f.Effect == ir.NonIdempotent && f.Duplicates == ir.Refused:
			why = "its first attempt may have been applied, and nobody finds out"
		default:
			return
		}
		p.class(f.Set, f.Class, finding{
			Field:   "whenConstrained",
			Message: fmt.Sprintf("a metered network or a low battery drops %s before its second attempt, although %s", f.Name, why),
			Help:    []string{"whenConstrained: \"defer\""},
		})
	},
}
