package lint

import (
	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen/engine"
)

var deleteNotFound = &Rule{
	ID: "delete-not-found", Harm: Safety, Severity: ir.Info,
	Title: "a repeated DELETE that finds its own work done ends as a failure",
	Class: func(p *Pass, f *Facts) {
		if f.method() != "DELETE" || !f.repeats() || ir.Outcome(engine.EffectiveOutcome(&f.Spec, "404", true)) != ir.Terminal {
			return
		}
		p.class(f.Set, f.Class, finding{
			Field:   f.Op.Kind.String(),
			Message: "if the answer to a DELETE is lost, its repetition gets 404 and the caller hears of a failure that is none",
			Help:    []string{"outcomeAfterAmbiguous: \"404\": \"success\""},
		})
	},
}
