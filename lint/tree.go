package lint

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/retryc/retryc/compiler/ir"
)

// Tree is every class of the run and of the sets read for their calls, with the
// layers that each calls.
type Tree struct {
	Unknown bool    // not all sets could be read
	nodes   []*node // by set and class
	byName  map[string]*node
	partial map[string]bool // sets that are not whole, by name

	bottomUp []*node // each behind what it calls

	found  []amplified    // once asked for
	told   map[*edge]bool // that lie on them
	sought bool
}

// node is one class in the tree.
type node struct {
	*Facts
	name   string // "set.class"
	linted bool   // reported about, not only read
	rank   int    // among all, by name
	edges  []edge
	scc    int // classes that can reach each other have the same number

	visited, low int // Tarjan's numbers
	stacked      bool

	// worst of the chains that begin here, by whether an outer layer of the same
	// process repeats already, and by how many more layers must multiply.
	worst [2][3]*chain

	above [2][3]*lead // the same for the ways that lead here
}

// edge is one entry of calls.
type edge struct {
	call   ir.Call
	index  int   // of the entry
	target *node // nil: an external layer, or no class of that name
}

// field is the path of the entry.
func (e *edge) field() string { return "calls." + strconv.Itoa(e.index) }

func newTree(linted []*SetFacts, opt Options) *Tree {
	t := &Tree{Unknown: opt.CallsUnknown, partial: map[string]bool{}}
	classes := 0
	for _, s := range linted {
		classes += len(s.Classes)
	}
	for _, s := range opt.Others {
		classes += len(s.Classes)
	}
	t.byName, t.nodes = make(map[string]*node, classes), make([]*node, 0, classes)
	for _, s := range linted {
		t.add(s, true)
	}
	for _, s := range opt.Others {
		f := factsOf(s)
		f.Partial = opt.Partial != nil && opt.Partial(s)
		t.add(f, false)
	}
	slices.SortFunc(t.nodes, func(a, b *node) int {
		if a.name < b.name {
			return -1
		}
		return 1
	})
	calls := 0
	for _, n := range t.nodes {
		calls += len(n.Calls)
	}
	edges := make([]edge, calls)
	for _, n := range t.nodes {
		n.edges, edges = edges[:len(n.Calls):len(n.Calls)], edges[len(n.Calls):]
		for i, c := range n.Calls {
			n.edges[i] = edge{call: c, index: i, target: t.byName[c.Class]}
		}
	}
	t.components()
	return t
}

// add enters the classes of a set. Of two sets of one name the first counts:
// the compiler refuses them in one run.
func (t *Tree) add(s *SetFacts, linted bool) {
	t.partial[s.Name] = t.partial[s.Name] || s.Partial
	all := make([]node, len(s.Classes))
	for i, f := range s.Classes {
		n := &all[i]
		n.Facts, n.name, n.linted = f, s.Name+"."+f.Name, linted
		if t.byName[n.name] == nil {
			t.byName[n.name] = n
			t.nodes = append(t.nodes, n)
		}
	}
}

// components numbers the strongly connected components (Tarjan 1972), without
// recursion: a chain of calls can be as long as the tree has classes.
func (t *Tree) components() {
	type frame struct {
		n    *node
		next int
	}
	var stack []*node
	var work []frame
	count := 0
	for _, root := range t.nodes {
		if root.visited != 0 {
			continue
		}
		work = append(work[:0], frame{n: root})
		for len(work) > 0 {
			f := &work[len(work)-1]
			if f.next == 0 {
				count++
				f.n.visited, f.n.low, f.n.stacked = count, count, true
				stack = append(stack, f.n)
			}
			if f.next < len(f.n.edges) {
				target := f.n.edges[f.next].target
				f.next++
				switch {
				case target == nil:
				case target.visited == 0:
					work = append(work, frame{n: target})
				case target.stacked:
					f.n.low = min(f.n.low, target.visited)
				}
				continue
			}
			n := f.n
			work = work[:len(work)-1]
			if len(work) > 0 {
				outer := work[len(work)-1].n
				outer.low = min(outer.low, n.low)
			}
			if n.low != n.visited {
				continue
			}
			for {
				last := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				last.stacked = false
				last.scc = n.visited
				t.bottomUp = append(t.bottomUp, last)
				if last == n {
					break
				}
			}
		}
	}
}

// chain is a way down the tree, from one layer on.
type chain struct {
	layer   layer
	product int
	layered int   // how many of its layers multiply
	via     *edge // of this layer, to the next
	next    *chain
	mend    spot // the best place to mend it, below its root
}

// layer is one step of a chain.
type layer struct {
	n      *node // nil: external
	from   *node // the class whose entry names it; nil at the root
	entry  int
	times  int  // how often it repeats what is below it
	guard  bool // an outer layer's mark keeps it at one attempt
	remote bool
}

// most is where products stop growing: beyond it the number says nothing more.
const most = 1 << 30

func times(a, b int) int {
	if a > most/b {
		return most
	}
	return a * b
}

// worst returns the chain with the largest product that begins at n and has at
// least `layers` layers that multiply, or nil. guarded: an outer layer of the
// same process repeats already. Each of a class's six answers is computed once,
// so that the whole tree costs as much as it has edges. Calls within a cycle
// count for nothing: call-cycle speaks of those.
func (t *Tree) worst(n *node, guarded bool, layers int) *chain {
	t.solve(n)
	return n.worst[index(guarded)][layers]
}

func index(guarded bool) int {
	if guarded {
		return 1
	}
	return 0
}

// solve fills in n and what is below it, deepest first, without recursion.
func (t *Tree) solve(root *node) {
	if root.worst[0][0] != nil {
		return
	}
	type frame struct {
		n    *node
		next int
	}
	work := []frame{{n: root}}
	for len(work) > 0 {
		f := &work[len(work)-1]
		if f.next < len(f.n.edges) {
			target := f.n.edges[f.next].target
			f.next++
			if target != nil && target.scc != f.n.scc && target.worst[0][0] == nil {
				work = append(work, frame{n: target})
			}
			continue
		}
		n := f.n
		work = work[:len(work)-1]
		for _, guarded := range []bool{false, true} {
			var c *chain
			for layers := range 3 {
				// The worst of all is the worst of those with more layers, too.
				if c == nil && layers == 0 || c != nil && c.layered < layers {
					c = n.best(guarded, layers)
				}
				n.worst[index(guarded)][layers] = c
			}
		}
	}
}

// best chooses among the chains below n, all of which are solved.
func (n *node) best(guarded bool, layers int) *chain {
	own := n.layer(guarded)
	need, layered := layers, 0
	if own.times > 1 {
		layered, need = 1, max(0, layers-1)
	}
	// A durable attempt is no outer layer: what it calls begins anew.
	inner := n.Timing == ir.Inline && (guarded || own.times > 1)
	var worst *chain
	entry := 0
	for i := range n.edges {
		e := &n.edges[i]
		var c *chain
		switch {
		case e.target != nil && e.target.scc != n.scc:
			c = e.target.worst[index(inner && !e.call.Remote)][need]
		case e.target == nil && e.call.Class == "":
			c = external(e, need)
		}
		if c != nil && (worst == nil || c.product > worst.product) {
			worst, entry = c, i
		}
	}
	switch {
	case worst != nil && (worst.product > 1 || need > 0):
		e := &n.edges[entry]
		step := n.below(e, worst.layer)
		return &chain{own, times(own.times, worst.product), layered + worst.layered, e, worst, better(worst.mend, step.spot())}
	case need > 0:
		return nil
	}
	return &chain{layer: own, product: own.times, layered: layered}
}

// external is the chain of a layer that is no class.
func external(e *edge, need int) *chain {
	n := max(e.call.Attempts, 1)
	if need > 1 || need == 1 && n == 1 {
		return nil
	}
	c := &chain{layer: layer{times: n}, product: n}
	if n > 1 {
		c.layered = 1
	}
	return c
}

// layer is what n contributes: a durable class's attempts are spread over hours
// and count once.
func (n *node) layer(guarded bool) layer {
	l := layer{n: n, times: 1}
	if n.Timing != ir.Inline {
		return l
	}
	l.times = n.Bounds.Requests
	if guarded && n.Nested == ir.NestedOnce && l.times > 1 {
		l.times, l.guard = 1, true
	}
	return l
}

// layers lists a chain from its root.
func (c *chain) layers() []layer {
	out := []layer{c.layer}
	for ; c.next != nil; c = c.next {
		out = append(out, c.layer.n.below(c.via, c.next.layer))
	}
	return out
}

func (l *layer) name() string {
	if l.n == nil {
		return l.from.edges[l.entry].call.Name
	}
	return l.n.name
}

func (l *layer) String() string {
	switch {
	case l.guard:
		return fmt.Sprintf("%s(1 of %d: nested once)", l.name(), l.n.Bounds.Requests)
	case l.n == nil || l.n.Timing == ir.Inline && l.n.Nested == ir.NestedOnce:
		return fmt.Sprintf("%s(%d)", l.name(), l.times)
	case l.n.Timing != ir.Inline:
		return l.name() + "(1: durable)"
	}
	return fmt.Sprintf("%s(%d, nested: \"retry\")", l.name(), l.times)
}
