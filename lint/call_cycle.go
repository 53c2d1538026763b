package lint

import (
	"github.com/retryc/retryc/compiler/ir"
)

var callCycle = &Rule{
	ID: "call-cycle", Harm: Storm, Severity: ir.Error, Final: true,
	Title: "classes call each other in a circle",
	Tree: func(p *Pass, t *Tree) {
		seen := map[int]bool{}
		for _, n := range t.nodes {
			if !n.linted || seen[n.scc] {
				continue
			}
			first, path := t.cycle(n)
			if first == nil {
				continue
			}
			seen[n.scc] = true
			p.class(n.Facts.Set, n.Class, finding{
				Field:   first.field(),
				Message: path + ": they call each other in a circle, so no number of requests is the most",
				Help:    []string{"remove the entry that is not a call of the other's retried operation"},
			})
		}
	},
}
