package lint

import (
	"fmt"
	"time"

	"github.com/retryc/retryc/compiler/ir"
)

var waiverEndsSoon = &Rule{
	ID: "waiver-ends-soon", Harm: Hygiene, Severity: ir.Info,
	Title: "a waiver ends within two weeks",
	Waiver: func(p *Pass, w *waiver) {
		if w.Until.IsZero() || w.expired || w.covers == 0 || w.Until.Sub(date(p.Today)) > waiverSoon {
			return
		}
		days := int(w.Until.Sub(date(p.Today)) / (24 * time.Hour))
		w.report(p, finding{
			Field:   ".until",
			Message: fmt.Sprintf("the waiver of %s ends in %s: then it is reported again, to whoever commits first", w.Rule, count(days, "day")),
			Help:    []string{"mend what it waives", "if the reason still holds, give it a later date"},
		})
	},
}
