package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var missingJitter = &Rule{
	ID: "missing-jitter", Harm: Storm, Severity: ir.Error,
	Title: "clients that failed together come back together",
	Class: func(p *Pass, f *Facts) {
		if !f.waits() || f.Backoff.Jitter != ir.NoJitter {
			return
		}
		p.class(f.Set, f.Class, finding{
			Field:   "backoff.jitter",
			Message: fmt.Sprintf("jitter \"none\": all clients that failed together come back together, %s", count(f.Attempts-1, "time")),
			Help:    []string{"jitter: \"full\""},
			Fix:     f.replace("backoff.jitter", "\"full\"", "spread the waits"),
		})
	},
}
