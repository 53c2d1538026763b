package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var keyOnSafeOperation = &Rule{
	ID: "key-on-safe-operation", Harm: Safety, Severity: ir.Info,
	Title: "a key is sent with an operation whose repetition is harmless",
	Class: func(p *Pass, f *Facts) {
		if f.Effect != ir.Safe || f.Timing != ir.Inline || !f.keyed() || f.Idempotency.Sent != ir.InHeader {
			return
		}
		p.class(f.Set, f.Class, finding{
			Field: "idempotency", OnLabel: true,
			Message: fmt.Sprintf("%s is safe to repeat: the header %s says nothing to its server", f.what(), f.Idempotency.Header),
			Help:    []string{"remove idempotency"},
		})
	},
}
