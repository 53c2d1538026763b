package lint

import (
	"fmt"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
)

var retryOnUnauthorized = &Rule{
	ID: "retry-on-unauthorized", Harm: Classification, Severity: ir.Error,
	Title: "credentials that were refused are sent again",
	Mended: func(f *Facts, field string) bool {
		return f.outcome(strings.TrimPrefix(field, "outcome.")) == ir.Refresh
	},
	Class: func(p *Pass, f *Facts) {
		for _, on := range []string{"401", "UNAUTHENTICATED"} {
			if then, ok := f.written(on); !ok || then != ir.Retry || f.again(on) < 1 {
				continue
			}
			p.class(f.Set, f.Class, finding{
				Field: "outcome." + on,
				Message: fmt.Sprintf("%s is retried with the credentials that were refused: %s that cannot succeed",
					on, count(f.again(on), "request")),
				Help: []string{fmt.Sprintf("outcome: %s: \"refresh\"", label(on))},
				Fix:  f.replace("outcome."+on, "\"refresh\"", "refresh the credentials on "+on),
			})
		}
	},
}
