package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var missingOwner = &Rule{
	ID: "missing-owner", Harm: Hygiene, Severity: ir.Info,
	Title: "a class names no owner in a set where another does",
	Set: func(p *Pass, s *SetFacts) {
		owner := ""
		for _, f := range s.Classes {
			if f.Owner != "" {
				owner = f.Owner
				break
			}
		}
		for _, f := range s.Classes {
			if owner != "" && f.Owner == "" {
				p.class(s.Set, f.Class, finding{
					Message: fmt.Sprintf("%s has no owner, although others of its set have", f.Name),
					Help:    []string{fmt.Sprintf("owner: %q", owner)},
				})
			}
		}
	},
}
