package lint

import (
	"fmt"
	"slices"

	"github.com/retryc/retryc/compiler/ir"
)

// waitableClientErrors are the 4xx that the same request may outlive.
var waitableClientErrors = []string{"401", "408", "409", "421", "425", "429"}

var retryOnClientError = &Rule{
	ID: "retry-on-client-error", Harm: Classification, Severity: ir.Error,
	Title:  "an answer that blames the request is answered with the same request",
	Mended: func(f *Facts, field string) bool { return f.ends(field) },
	Class: func(p *Pass, f *Facts) {
		if !f.repeats() || f.durable() && f.longestWaits() >= slowSchedule {
			return
		}
		for _, r := range f.Outcome {
			if r.Then != ir.Retry || len(r.On) != 3 || r.On[0] != '4' || slices.Contains(waitableClientErrors, r.On) || f.again(r.On) < 1 {
				continue
			}
			instead, fix := f.giveUp(r.On)
			help := []string{instead}
			if r.On == "404" {
				help = append(help, "name what it means here: conditions: [\"not_yet_visible\"], outcome: not_yet_visible: \"retry\"")
			}
			p.class(f.Set, f.Class, finding{
				Field: "outcome." + r.On,
				Message: fmt.Sprintf("%s is retried, but the same request gets the same answer: %s%s",
					r.On, count(f.again(r.On), "futile request"), f.spent()),
				Help: help,
				Fix:  fix,
			})
		}
	},
}
