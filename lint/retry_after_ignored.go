package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var retryAfterIgnored = &Rule{
	ID: "retry-after-ignored", Harm: PushBack, Severity: ir.Error,
	Title: "the server names a time, and nobody reads it",
	Class: func(p *Pass, f *Facts) {
		if f.RetryAfter.Mode != ir.Ignore {
			return
		}
		on, ok := f.throttleRetried()
		if !ok {
			return
		}
		p.class(f.Set, f.Class, finding{
			Field:   "retryAfter.mode",
			Message: fmt.Sprintf("%s is retried, but the delay that the server asks for with it is not read: %s before it is willing", on, count(f.again(on), "request")),
			Help:    []string{"mode: \"override\"", "give up where it asks for too long: mode: \"stop\", max: \"1m\""},
			Fix:     f.replace("retryAfter.mode", "\"override\"", "obey the server's delay"),
		})
	},
}
