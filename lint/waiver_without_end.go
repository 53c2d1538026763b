package lint

import (
	"fmt"
	"slices"
	"time"

	"github.com/retryc/retryc/compiler/ir"
)

// endlessFacts are about the world and not about a debt: their waivers need no end.
var endlessFacts = []string{"effect-overrides-method", "duplicates-tolerated"}

var waiverWithoutEnd = &Rule{
	ID: "waiver-without-end", Harm: Hygiene, Severity: ir.Info,
	Title: "a waiver has no date on which somebody looks at it again",
	Waiver: func(p *Pass, w *waiver) {
		if r := Find(w.Rule); r == nil || r.Final || !w.Until.IsZero() || slices.Contains(endlessFacts, w.Rule) {
			return
		}
		w.report(p, finding{
			OnLabel: true,
			Message: fmt.Sprintf("the waiver of %s has no end: nobody will ask again whether %q still holds", w.Rule, w.Reason),
			Help:    []string{fmt.Sprintf("until: %q", date(p.Today).AddDate(0, 6, 0).Format(time.DateOnly))},
		})
	},
}
