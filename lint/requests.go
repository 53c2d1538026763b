package lint

import (
	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen"
	"github.com/retryc/retryc/internal/bounds"
)

// Calls answers how calls multiply in one state of a tree of sets.
type Calls struct{ tree *Tree }

// NewCalls reads the calls of all classes of the sets.
func NewCalls(sets []*ir.Set) *Calls {
	all := make([]*SetFacts, len(sets))
	for i, s := range sets {
		all[i] = factsOf(s)
	}
	return &Calls{newTree(all, Options{})}
}

// Requests is the most requests that one operation of a class makes along its
// calls, the nesting guard applied. The class may differ from the tree's own of
// that name: what stands below it is the tree's.
func (c *Calls) Requests(class *ir.Class) int {
	f := &Facts{Class: class, Spec: gen.Lower(class)}
	f.Bounds = bounds.Of(&f.Spec)
	n := &node{Facts: f, name: class.Set + "." + class.Name}
	if own := c.tree.byName[n.name]; own != nil {
		n.scc = own.scc
	}
	n.edges = make([]edge, len(class.Calls))
	for i, call := range class.Calls {
		target := c.tree.byName[call.Class]
		n.edges[i] = edge{call: call, index: i, target: target}
		if target != nil {
			c.tree.solve(target)
		}
	}
	return n.best(false, 0).product
}
