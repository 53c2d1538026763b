package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
)

// amplified is a chain whose product is too large, and the place to mend it.
type amplified struct {
	root  *node
	chain *chain
	path  []layer
	at    *node  // the class to edit
	field string // and its field
}

// amplified lists the worst chain from each class, without those that a worse
// one already contains, and of those to be mended in one place only the worst.
func (t *Tree) amplified() []amplified {
	var found []amplified
	for _, n := range t.nodes {
		if n.layer(false).times < 2 {
			continue // what it calls begins the same chain
		}
		if c := t.worst(n, false, 2); c != nil && c.product > amplificationWarning {
			found = append(found, amplified{root: n, chain: c})
		}
	}
	slices.SortStableFunc(found, func(a, b amplified) int { return cmp.Compare(b.chain.product, a.chain.product) })
	contained := map[*node]bool{}
	type spot struct {
		n     *node
		field string
	}
	spoken := map[spot]bool{}
	var out []amplified
	for _, a := range found {
		if contained[a.root] {
			continue
		}
		a.path = a.chain.layers()
		if !a.locate() || spoken[spot{a.at, a.field}] {
			continue
		}
		spoken[spot{a.at, a.field}] = true
		for _, l := range a.path[1:] {
			if l.n != nil {
				contained[l.n] = true
			}
		}
		out = append(out, a)
	}
	return out
}

// locate finds the place to mend: the deepest nested: "retry" that let the guard
// down, else the deepest call that the guard does not reach, else the first call,
// in each case of a class that is linted.
func (a *amplified) locate() bool {
	for i := len(a.path) - 1; i > 0; i-- {
		if n := a.path[i].n; n != nil && n.linted && n.Nested == ir.NestedRetry && a.path[i].times > 1 {
			a.at, a.field = n, "nested"
			return true
		}
	}
	for _, beyond := range []bool{true, false} {
		for i := len(a.path) - 1; i > 0; i-- {
			l := a.path[i]
			if l.from.linted && (!beyond || l.times > 1 && (l.n == nil || l.remote)) {
				a.at, a.field = l.from, "calls."+strconv.Itoa(l.entry)
				return true
			}
		}
	}
	return false
}

// shown is how many layers at each end of a long chain are worth reading.
const shown = 4

func (a *amplified) text() string {
	var parts []string
	for i := range a.path {
		if len(a.path) > 2*shown && i == shown {
			parts = append(parts, fmt.Sprintf("… %d more …", len(a.path)-2*shown))
		}
		if len(a.path) <= 2*shown || i < shown || i >= len(a.path)-shown {
			parts = append(parts, a.path[i].String())
		}
	}
	return strings.Join(parts, " > ")
}

func (a *amplified) product() string {
	if a.chain.product >= most {
		return "over a billion"
	}
	return strconv.Itoa(a.chain.product)
}

// help names the layer that multiplies most, and what leaving it out leaves.
func (a *amplified) help() []string {
	var out []string
	if a.field == "nested" {
		for _, l := range a.path[1:] {
			if l.n == a.at {
				out = append(out, fmt.Sprintf("remove nested: \"retry\" (leaves %d)", a.chain.product/l.times))
			}
		}
	}
	top := slices.MaxFunc(a.path, func(x, y layer) int { return cmp.Compare(x.times, y.times) })
	last := a.path[len(a.path)-1]
	if last.n == nil {
		out = append(out, fmt.Sprintf("tell %s not to retry, and say so: calls: [{name: %q, attempts: 1}] (leaves %d)", last.name, last.name, a.chain.product/last.times))
	}
	if top.n != nil {
		out = append(out, fmt.Sprintf("%s multiplies most: attempts: 1 there leaves %d", top.name, a.chain.product/top.times))
	}
	return out
}

// related points at the other calls of the chain, as many as are shown.
func (a *amplified) related() []ir.Related {
	var out []ir.Related
	for i, l := range a.path[1:] {
		field := "calls." + strconv.Itoa(l.entry)
		if l.from == a.at && field == a.field || len(a.path) > 2*shown && i >= shown-1 && i < len(a.path)-shown {
			continue
		}
		out = append(out, ir.Related{Span: l.from.Span(field), Message: l.from.name + " calls " + l.name})
	}
	return out
}

// beyondGuard is how often the layer of an entry repeats although an outer one
// does, and why the guard does not keep it at once.
func (n *node) beyondGuard(e *edge) (int, string) {
	switch {
	case e.target == nil && e.call.Class == "":
		return e.call.Attempts, "which is beyond the engine's guard"
	case e.target == nil || e.target.Timing != ir.Inline || e.target.scc == n.scc:
		return 0, ""
	case e.call.Remote:
		return e.target.Bounds.Requests, "which runs in another process, beyond the engine's guard"
	case e.target.Nested == ir.NestedRetry:
		return e.target.Bounds.Requests, "which says nested: \"retry\""
	}
	return 0, ""
}

func (e *edge) name() string {
	if e.target != nil {
		return e.target.name
	}
	return e.call.Name
}

func (t *Tree) names() []string {
	out := make([]string, len(t.nodes))
	for i, n := range t.nodes {
		out[i] = n.name
	}
	return out
}

// cycle returns the entry of n that begins a shortest way back to n, and the way
// in words.
func (t *Tree) cycle(n *node) (*edge, string) {
	type step struct {
		n    *node
		from *step
		via  *edge
	}
	seen := map[*node]bool{}
	queue := []*step{{n: n}}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		for i := range s.n.edges {
			e := &s.n.edges[i]
			if e.target == nil || e.target.scc != n.scc {
				continue
			}
			if e.target != n {
				if !seen[e.target] {
					seen[e.target] = true
					queue = append(queue, &step{e.target, s, e})
				}
				continue
			}
			words, first := []string{n.name}, e
			for ; s != nil; s = s.from {
				words = append(words, s.n.name)
				if s.via != nil {
					first = s.via
				}
			}
			slices.Reverse(words)
			if len(words) > 2*shown+1 {
				words = append(append(words[:shown:shown], fmt.Sprintf("… %d more …", len(words)-2*shown)), words[len(words)-shown:]...)
			}
			return first, strings.Join(words, " > ")
		}
	}
	return nil, ""
}
