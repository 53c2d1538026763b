package lint

import (
	"fmt"
	"slices"

	"github.com/retryc/retryc/compiler/ir"
)

var keyFromVolatileField = &Rule{
	ID: "key-from-volatile-field", Harm: Safety, Severity: ir.Warning,
	Title: "a field of the key differs from one attempt to the next",
	Class: func(p *Pass, f *Facts) {
		if f.Idempotency.Source != ir.KeyFromFields {
			return
		}
		for i, name := range f.Idempotency.Fields {
			if !slices.Contains(volatileFields, name) {
				continue
			}
			kept := slices.DeleteFunc(slices.Clone(f.Idempotency.Fields), func(s string) bool { return slices.Contains(volatileFields, s) })
			if len(kept) == 0 {
				kept = []string{f.exampleKey()}
			}
			p.class(f.Set, f.Class, finding{
				Field:   fmt.Sprintf("idempotency.fields.%d", i),
				Message: fmt.Sprintf("%q is part of the key, but it differs each time the operation is asked for: the server takes the second for a new one", name),
				Help:    []string{"name only what the operation is about: fields: [" + quoted(kept) + "]"},
			})
		}
	},
}
