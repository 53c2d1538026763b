package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var randomKeyForgets = &Rule{
	ID: "random-key-forgets", Harm: Safety, Severity: ir.Info, Worst: ir.Warning,
	Title: "the key of an unsafe operation is drawn anew after a restart or a second tap",
	Class: func(p *Pass, f *Facts) {
		if f.Effect != ir.NonIdempotent || f.Duplicates != ir.Refused || f.Timing != ir.Inline || f.Idempotency.Source != ir.RandomKey {
			return
		}
		again, severity := "a restart", ir.Info
		if f.Audience == ir.Interactive {
			again, severity = "a second tap", ir.Warning
		}
		p.class(f.Set, f.Class, finding{
			Field: "idempotency.source", Severity: severity,
			Message: fmt.Sprintf("the key is drawn at random once an operation: after %s the same %s has another one, and may be applied twice", again, f.Name),
			Help:    []string{fmt.Sprintf("source: \"fields\", fields: [%q]", f.exampleKey())},
		})
	},
}
