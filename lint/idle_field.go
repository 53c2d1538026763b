package lint

import (
	"github.com/retryc/retryc/compiler/ir"
)

// idleOnce are the fields that only speak of attempts after the first.
var idleOnce = []string{"backoff", "outcomeAfterAmbiguous", "perOutcome", "nested"}

var idleField = &Rule{
	ID: "idle-field", Harm: Hygiene, Severity: ir.Info,
	Title: "a field that changes nothing",
	Class: func(p *Pass, f *Facts) {
		say := func(field, why string) {
			p.class(f.Set, f.Class, finding{
				Field: field, OnLabel: true,
				Message: field + " changes nothing: " + why,
				Help:    []string{"remove " + field},
				Fix:     f.remove(field, "remove "+field),
			})
		}
		for _, field := range idleOnce {
			if !f.repeats() && f.Written(field) {
				say(field, "there is one attempt")
			}
		}
		if len(f.Aliases) > 0 && !f.durable() && f.Idempotency.Source != ir.KeyFromFields {
			say("aliases", "the class has neither rows nor keys that carry its name")
		}
		if at := f.Bounds.Attempts; f.waits() && at[len(at)-1].Wait.Longest == 0 && f.Written("backoff.jitter") {
			say("backoff.jitter", "there is no wait to spread")
		}
	},
}
