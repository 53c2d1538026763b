package lint

import (
	"fmt"
	"time"

	"github.com/retryc/retryc/compiler/ir"
)

var waiverExpired = &Rule{
	ID: "waiver-expired", Harm: Hygiene, Severity: ir.Error, Final: true,
	Title: "a waiver has ended",
	Waiver: func(p *Pass, w *waiver) {
		if !w.expired {
			return
		}
		w.report(p, finding{
			Field:   ".until",
			Message: fmt.Sprintf("the waiver of %s ended on %s (%q)", w.Rule, w.Until.Format(time.DateOnly), w.Reason),
			Help:    []string{"mend what it waived, and remove it", "if the reason still holds, give it a new date"},
		})
	},
}
