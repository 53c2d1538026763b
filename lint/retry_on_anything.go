package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var retryOnAnything = &Rule{
	ID: "retry-on-anything", Harm: Classification, Severity: ir.Warning,
	Title: "whatever nobody has classified is retried",
	Class: func(p *Pass, f *Facts) {
		if then, ok := f.written("error"); !ok || then != ir.Retry || f.again("error") < 1 {
			return
		}
		p.class(f.Set, f.Class, finding{
			Field:   "outcome.error",
			Message: fmt.Sprintf("%q is every failure that nothing else names, bugs included, and it is retried: %s", "error", count(f.again("error"), "more attempt")),
			Help: []string{
				"remove error; timeouts and broken connections are retried without it",
				"name what you mean: conditions: [\"busy\"], outcome: busy: \"retry\"",
			},
		})
	},
}
