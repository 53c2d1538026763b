package lint

import (
	"cmp"
	"slices"

	"github.com/retryc/retryc/compiler/ir"
)

// lead is a way down to a class, from the root of a chain to the entry of calls
// that names the class.
type lead struct {
	up      *lead // nil: from is the root
	root    *node
	from    *node
	guarded bool // an outer layer of the same process repeats from already
	edge    *edge
	product int // of the layers down to from
	layered int // how many of them multiply
	mend    spot
}

// descend finds for every class the ways down to it whose product is largest, by
// whether the class is then guarded and by how many layers of the way multiply at
// least. Callers come first, so that each edge is looked at once for each of the
// six answers.
func (t *Tree) descend() {
	for _, n := range slices.Backward(t.bottomUp) {
		for _, guarded := range []bool{false, true} {
			n.leads(guarded, func(l *lead) { n.extend(l, guarded) })
		}
	}
}

// leads calls with the ways down to a class that is guarded or not; nil is the one
// of no steps.
func (n *node) leads(guarded bool, with func(*lead)) {
	all := &n.above[index(guarded)]
	if guarded && all[0] == nil {
		return
	}
	for i, l := range all {
		if i == 0 || l != nil && l != all[i-1] {
			with(l)
		}
	}
}

// step adds a class to the way that leads to it.
func (l *lead) step(own layer) (product, layered int, mend spot) {
	product = own.times
	if l != nil {
		product, layered, mend = times(l.product, own.times), l.layered, l.mend
	}
	if own.times > 1 {
		layered++
	}
	return product, layered, mend
}

// inner reports whether what a class calls in its own process is guarded: a
// durable attempt is no outer layer, what it calls begins anew.
func (n *node) inner(guarded bool, own layer) bool {
	return n.Timing == ir.Inline && (guarded || own.times > 1)
}

// extend leads a way on to everything that the class calls.
func (n *node) extend(up *lead, guarded bool) {
	own := n.layer(guarded)
	product, layered, mend := up.step(own)
	if product == 1 {
		return // what it calls begins the same chains
	}
	root, inner := n, n.inner(guarded, own)
	if up != nil {
		root = up.root
	}
	for i := range n.edges {
		e := &n.edges[i]
		if e.target == nil || e.target.scc == n.scc {
			continue
		}
		below := inner && !e.call.Remote
		best := &e.target.above[index(below)]
		var next *lead
		for least := range min(layered, 2) + 1 {
			if best[least] != nil && best[least].product >= product {
				continue
			}
			if next == nil {
				next = &lead{up, root, n, guarded, e, product, min(layered, 2), mend}
				step := n.below(e, e.target.layer(below))
				if s := step.spot(); s.rank >= mend.rank {
					next.mend = s
				}
			}
			best[least] = next
		}
	}
}

// below is the layer of an entry as the class that has it calls it.
func (n *node) below(e *edge, l layer) layer {
	l.from, l.entry, l.remote = n, e.index, e.call.Remote
	return l
}

// passage is the worst chain through one entry of calls.
type passage struct {
	lead    *lead // nil: from is the root
	from    *node
	guarded bool
	edge    *edge
	chain   *chain // from the entry's layer on
	product int
	mend    spot
}

func (p *passage) root() *node {
	if p.lead == nil {
		return p.from
	}
	return p.lead.root
}

// worstThrough finds for each entry of a class the worst chain through it with at
// least two layers that multiply, above a limit, into a slice of before. One that is
// not there has no from.
func (n *node) worstThrough(limit int, worst []passage) []passage {
	worst = slices.Grow(worst[:0], len(n.edges))[:len(n.edges)]
	clear(worst)
	for _, guarded := range []bool{false, true} {
		own := n.layer(guarded)
		inner := n.inner(guarded, own)
		n.leads(guarded, func(l *lead) {
			if l == nil && own.times < 2 {
				return // what it calls begins the same chains
			}
			down, layered, mend := l.step(own)
			need := max(0, 2-layered)
			for i := range n.edges {
				e, w := &n.edges[i], &worst[i]
				var c *chain
				switch {
				case e.target != nil && e.target.scc != n.scc:
					c = e.target.worst[index(inner && !e.call.Remote)][need]
				case e.target == nil && e.call.Class == "":
					c = external(e, need)
				}
				if c == nil || c.product == 1 {
					continue // nothing multiplies from here on
				}
				if product := times(down, c.product); product > max(limit, w.product) {
					step := n.below(e, c.layer)
					*w = passage{l, n, guarded, e, c, product, better(better(c.mend, step.spot()), mend)}
				}
			}
		})
	}
	return worst
}

// better is the first of two places to mend a chain unless the second has the
// better rank.
func better(deeper, s spot) spot {
	if s.rank > deeper.rank {
		return s
	}
	return deeper
}

// layers lists a chain from its root.
func (p *passage) layers() []layer {
	var up []layer
	enter := func(n *node, guarded bool, l *lead) {
		own := n.layer(guarded)
		if l != nil {
			own = l.from.below(l.edge, own)
		}
		up = append(up, own)
	}
	enter(p.from, p.guarded, p.lead)
	for l := p.lead; l != nil; l = l.up {
		enter(l.from, l.guarded, l.up)
	}
	slices.Reverse(up)
	down := p.chain.layers()
	down[0] = p.from.below(p.edge, down[0])
	return append(up, down...)
}

// passages are the worst chains through each entry where something can be mended,
// the worst first.
func (t *Tree) passages() []*passage {
	for _, n := range t.nodes {
		t.solve(n)
	}
	t.descend()
	// Nodes are sorted by name: their numbers order as their names do.
	for i, n := range t.nodes {
		n.rank = i
	}
	type ranked struct {
		first, second uint64
		*passage
	}
	var worst []passage
	var all []ranked
	for _, n := range t.nodes {
		if len(n.edges) == 0 {
			continue
		}
		worst = n.worstThrough(amplificationWarning, worst)
		for i := range worst {
			if w := &worst[i]; w.mend.rank != noSpot {
				kept := *w
				all = append(all, ranked{uint64(most-w.product)<<32 | uint64(w.root().rank), uint64(n.rank)<<32 | uint64(i), &kept})
			}
		}
	}
	slices.SortFunc(all, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.second, b.second))
	})
	out := make([]*passage, len(all))
	for i := range all {
		out[i] = all[i].passage
	}
	return out
}
