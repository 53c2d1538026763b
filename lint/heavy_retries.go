package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var heavyRetries = &Rule{
	ID: "heavy-retries", Harm: Storm, Severity: ir.Info,
	Title: "repeating the payload costs more than most plans give",
	Class: func(p *Pass, f *Facts) {
		if !f.repeats() || f.PayloadMax <= heavyBytes/int64(f.Attempts) {
			return
		}
		p.class(f.Set, f.Class, finding{
			Field:   "payload.max",
			Message: fmt.Sprintf("%s times %d attempts: one operation can send %s", ir.FormatSize(f.PayloadMax), f.Attempts, size(f.PayloadMax, f.Attempts)),
			Help:    []string{"send it in parts that can be resumed", "fewer attempts"},
		})
	},
}
