package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var unsafeRetryWithoutKey = &Rule{
	ID: "unsafe-retry-without-key", Harm: Safety, Severity: ir.Error,
	Title: "a non-idempotent operation is attempted more than once and carries no key",
	Class: func(p *Pass, f *Facts) {
		if f.Effect != ir.NonIdempotent || f.Duplicates != ir.Refused || !f.repeats() || f.keyed() {
			return
		}
		p.class(f.Set, f.Class, finding{
			Field: "attempts",
			Message: fmt.Sprintf("%d attempts of %s that has no idempotency key: if an answer is lost, it may be applied twice",
				f.Attempts, f.what()),
			Help: []string{
				fmt.Sprintf("name what makes two of them the same: idempotency: {source: \"fields\", fields: [%q]}", f.exampleKey()),
				"try once and let the caller decide: attempts: 1",
			},
		})
	},
}
