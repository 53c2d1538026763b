package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var serverErrorReplayed = &Rule{
	ID: "server-error-replayed", Harm: Safety, Severity: ir.Info,
	Title: "a 500 is repeated under a key whose first answer the server may have stored",
	Class: func(p *Pass, f *Facts) {
		if then, ok := f.written("500"); !ok || then != ir.Retry || f.again("500") < 1 || !f.keyed() || f.Idempotency.Sent != ir.InHeader {
			return
		}
		p.class(f.Set, f.Class, finding{
			Field:   "outcome.500",
			Message: fmt.Sprintf("500 is repeated with the key of the first attempt: a server that stores its first answer replays it, %s", count(f.again("500"), "time")),
			Help:    []string{"remove \"500\", unless the server's documentation says that it forgets a key whose work failed"},
		})
	},
}
