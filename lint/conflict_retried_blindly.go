package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var conflictRetriedBlindly = &Rule{
	ID: "conflict-retried-blindly", Harm: Classification, Severity: ir.Warning,
	Title: "a conflict is met with the same stale request",
	Class: func(p *Pass, f *Facts) {
		for _, on := range []string{"409", "ABORTED"} {
			if then, ok := f.written(on); !ok || then != ir.Retry || f.again(on) < 1 || f.keyed() || f.Effect == ir.Safe {
				continue
			}
			p.class(f.Set, f.Class, finding{
				Field: "outcome." + on,
				Message: fmt.Sprintf("%s says that the state has changed, but the request is repeated as it was: %s against the same conflict",
					on, count(f.again(on), "request")),
				Help: []string{fmt.Sprintf("read the state again first: outcome: %s: \"reread\"", label(on))},
			})
		}
	},
}
