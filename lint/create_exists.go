package lint

import (
	"fmt"
	"slices"

	"github.com/retryc/retryc/compiler/ir"
)

var createExists = &Rule{
	ID: "create-exists", Harm: Safety, Severity: ir.Info,
	Title: "a repeated create that finds its own work done ends as a failure",
	Class: func(p *Pass, f *Facts) {
		on := f.perKind("409", "ALREADY_EXISTS")
		if on == "" || f.Effect != ir.NonIdempotent || !f.repeats() || !f.keyed() || f.Idempotency.Sent != ir.ByApp {
			return
		}
		for _, r := range slices.Concat(f.Outcome, f.OutcomeAfterAmbiguous) {
			if r.On == on {
				return
			}
		}
		p.class(f.Set, f.Class, finding{
			Field:   "idempotency.sent",
			Message: fmt.Sprintf("if an answer is lost, the repetition may find what the first attempt made: %s then counts as a failure", on),
			Help: []string{
				fmt.Sprintf("outcomeAfterAmbiguous: %s: \"success\"", label(on)),
				fmt.Sprintf("if the server answers repetitions as it answered the first, say so: outcome: %s: \"terminal\"", label(on)),
			},
		})
	},
}
