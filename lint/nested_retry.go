package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var nestedRetry = &Rule{
	ID: "nested-retry", Harm: Storm, Severity: ir.Warning,
	Title: "a class that retries calls a layer that retries as well, out of the guard's reach",
	Tree: func(p *Pass, t *Tree) {
		for _, n := range t.nodes {
			if !n.linted || n.Timing != ir.Inline || n.Bounds.Requests < 2 {
				continue
			}
			for i := range n.edges {
				below, why := n.beyondGuard(&n.edges[i])
				if below < 2 || t.amplifies(&n.edges[i]) {
					continue // load-amplification speaks of it
				}
				p.class(n.Facts.Set, n.Class, finding{
					Field: n.edges[i].field(),
					Message: fmt.Sprintf("each of the %d attempts of %s can become %d in %s, %s: %d requests for one operation",
						n.Bounds.Requests, n.name, below, n.edges[i].name(), why, times(n.Bounds.Requests, below)),
					Help: []string{"retry in one layer: attempts: 1 in the other", "if the layer below does not retry this call, say so in calls"},
				})
			}
		}
	},
}
