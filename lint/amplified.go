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
	root    *node
	product int
	mend    spot
	path    []layer
}

// spot is a field of a class where a chain can be mended. The deepest of the
// best rank is told: what is mended there, every chain through it gains from.
type spot struct {
	rank  int
	n     *node
	entry int // of its calls
}

// field is the path of the place.
func (s spot) field() string {
	if s.rank == guardDown {
		return "nested"
	}
	return "calls." + strconv.Itoa(s.entry)
}

const (
	noSpot    = iota
	aCall     // a call that the guard reaches: the class that is linted has nothing better
	beyond    // a call that the guard does not reach
	guardDown // nested: "retry", which let the guard down
)

// spot is where the step to this layer can be mended, among the classes that
// are linted.
func (l *layer) spot() spot {
	switch {
	case l.n != nil && l.n.linted && l.n.Nested == ir.NestedRetry && l.times > 1:
		return spot{guardDown, l.n, 0}
	case !l.from.linted:
		return spot{}
	case l.times > 1 && (l.n == nil || l.remote):
		return spot{beyond, l.from, l.entry}
	}
	return spot{aCall, l.from, l.entry}
}

// amplified lists the worst chain through each entry of calls, but for entries that
// lie on one told already; of chains that are mended in one place it lists the worst.
func (t *Tree) amplified() []amplified {
	if t.sought {
		return t.found
	}
	t.sought, t.told = true, map[*edge]bool{}
	mended := map[spot]bool{}
	for _, p := range t.passages() {
		if t.told[p.edge] || mended[p.mend] {
			continue
		}
		mended[p.mend] = true
		a := amplified{p.root(), p.product, p.mend, p.layers()}
		for _, l := range a.path[1:] {
			t.told[&l.from.edges[l.entry]] = true
		}
		t.found = append(t.found, a)
	}
	return t.found
}

// amplifies reports whether an entry lies on a chain that is listed.
func (t *Tree) amplifies(e *edge) bool {
	t.amplified()
	return t.told[e]
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

func (a *amplified) requests() string {
	if a.product >= most {
		return "over a billion"
	}
	return strconv.Itoa(a.product)
}

// help names the layer that multiplies most, and what leaving it out leaves.
func (a *amplified) help() []string {
	var out []string
	if a.mend.rank == guardDown {
		for _, l := range a.path[1:] {
			if l.n == a.mend.n {
				out = append(out, fmt.Sprintf("to leave %s, remove nested: \"retry\"", count(a.product/l.times, "request")))
			}
		}
	}
	top := slices.MaxFunc(a.path, func(x, y layer) int { return cmp.Compare(x.times, y.times) })
	last := a.path[len(a.path)-1]
	if last.n == nil {
		out = append(out, fmt.Sprintf("to leave %s, tell %s not to retry, and say so: calls: [{name: %q, attempts: 1}]", count(a.product/last.times, "request"), last.name(), last.name()))
	}
	if top.n != nil {
		out = append(out, fmt.Sprintf("%s multiplies most; to leave %s, there: attempts: 1", top.name(), count(a.product/top.times, "request")))
	}
	return out
}

// related points at the other calls of the chain, as many as are shown.
func (a *amplified) related() []ir.Related {
	var out []ir.Related
	for i, l := range a.path[1:] {
		field := "calls." + strconv.Itoa(l.entry)
		if l.from == a.mend.n && field == a.mend.field() || len(a.path) > 2*shown && i >= shown-1 && i < len(a.path)-shown {
			continue
		}
		out = append(out, ir.Related{Span: l.from.Span(field), Message: l.from.name + " calls " + l.name()})
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
