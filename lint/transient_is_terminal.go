package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var transientIsTerminal = &Rule{
	ID: "transient-is-terminal", Harm: Classification, Severity: ir.Info,
	Title: "an overloaded server ends the operation although there are attempts left",
	Class: func(p *Pass, f *Facts) {
		if !f.repeats() {
			return
		}
		seen := ""
		for _, on := range [...]string{f.perKind("429", "UNAVAILABLE"), f.perKind("503", "")} {
			if on == "" || f.outcome(on) != ir.Terminal || f.field(on) == seen {
				continue
			}
			seen = f.field(on)
			p.class(f.Set, f.Class, finding{
				Field:   seen,
				Message: fmt.Sprintf("%s ends the operation at once, although it passes and %s left", on, count(f.Attempts-1, "attempt is", "attempts are")),
				Help:    []string{fmt.Sprintf("outcome: %s: \"retry\"", label(on))},
			})
		}
	},
}
