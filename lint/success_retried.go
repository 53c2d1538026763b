package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var successRetried = &Rule{
	ID: "success-retried", Harm: Classification, Severity: ir.Warning,
	Title: "an answer that says success is retried",
	Class: func(p *Pass, f *Facts) {
		if !f.repeats() {
			return
		}
		for _, r := range f.Outcome {
			if len(r.On) != 3 || r.On[0] != '2' || r.Then != ir.Retry && r.Then != ir.Reread || f.again(r.On) < 1 {
				continue
			}
			p.class(f.Set, f.Class, finding{
				Field:   "outcome." + r.On,
				Message: fmt.Sprintf("%s is success and is repeated %s: that is polling, which backs off where it should keep its pace", r.On, count(f.again(r.On), "time")),
				Help: []string{
					"remove " + label(r.On) + " and poll in a loop of its own",
					"name the answer that is not there yet: conditions: [\"pending\"], outcome: pending: \"retry\"",
				},
			})
		}
	},
}
