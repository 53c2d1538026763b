package lint

import (
	"fmt"
	"time"

	"github.com/retryc/retryc/compiler/ir"
)

var keyLifetimeUnknown = &Rule{
	ID: "key-lifetime-unknown", Harm: Safety, Severity: ir.Info,
	Title: "attempts can come for over an hour, and nobody says how long the server keeps the key",
	Class: func(p *Pass, f *Facts) {
		if !f.keyed() || !f.repeats() || f.Effect != ir.NonIdempotent || f.Idempotency.KeptFor != 0 || f.end() <= assumedKeyLife {
			return
		}
		p.class(f.Set, f.Class, finding{
			Field:   "idempotency",
			Message: fmt.Sprintf("attempts can come until %s, and nothing says how long the server remembers the key", ir.FormatDuration(f.end())),
			Help:    []string{fmt.Sprintf("look it up and write it down: keptFor: %q", ir.FormatDuration(max(f.end(), 24*time.Hour)))},
		})
	},
}
