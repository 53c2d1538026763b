package lint

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/retryc/retryc/compiler/ir"
)

// class makes a class without its policy's text.
func class(name string, attempts int, calls ...ir.Call) ir.Class {
	return ir.Class{
		Name: name, Doc: "x", Op: ir.Operation{Kind: ir.HTTP, Text: "PUT h.example/" + name + "/{id}"}, Effect: ir.Idempotent,
		Attempts: attempts, AttemptTimeout: time.Second, Deadline: ir.Deadline{Within: time.Minute},
		Backoff: ir.Backoff{Base: 500 * time.Millisecond, Factor: 2, Cap: 5 * time.Second}, Calls: calls,
	}
}

func set(name string, classes ...ir.Class) *ir.Set {
	s := &ir.Set{Name: name, Dir: name, Classes: classes}
	for i := range s.Classes {
		s.Classes[i].Set = name
	}
	return s
}

func local(target string) ir.Call            { return ir.Call{Class: target} }
func remote(target string) ir.Call           { return ir.Call{Class: target, Remote: true} }
func outside(name string, times int) ir.Call { return ir.Call{Name: name, Attempts: times} }
func nested(c ir.Class) ir.Class             { c.Nested = ir.NestedRetry; return c }
func queued(c ir.Class) ir.Class {
	c.Timing = ir.Queue
	c.Idempotency.Source = ir.KeyFromCaller
	return c
}

func messages(sets []*ir.Set, opt Options, rules ...string) string {
	var out []string
	for _, d := range Run(sets, opt).Findings {
		for _, r := range rules {
			if d.Rule == r {
				out = append(out, fmt.Sprintf("%s.%s %s %s: %s", d.Set, d.Class, d.Field, d.Severity, d.Message))
			}
		}
	}
	return strings.Join(out, "\n")
}

func TestAmplification(t *testing.T) {
	for _, c := range []struct {
		what string
		sets []*ir.Set
		want string // of load-amplification and nested-retry
	}{
		{"the guard keeps the inner class at once, a sidecar below multiplies", []*ir.Set{
			set("checkout", class("submit", 5, local("payments.charge"))), set("payments", class("charge", 4, outside("mesh", 3))),
		}, `payments.charge calls.0 warning: checkout.submit(5) > payments.charge(1 of 4: nested once) > mesh(3): one operation can make 15 requests; from 27 on this is an error`},
		{"of chains that are mended in one place the worst is told", []*ir.Set{
			set("checkout", class("submit", 3, local("payments.charge"))), set("payments", class("charge", 4, outside("mesh", 3))),
		}, `payments.charge calls.0 warning: payments.charge(4) > mesh(3): one operation can make 12 requests; from 27 on this is an error`},
		{"nested: retry lets the guard down", []*ir.Set{
			set("checkout", class("submit", 3, local("payments.charge"))), set("payments", nested(class("charge", 4, outside("mesh", 3)))),
		}, `payments.charge nested error: checkout.submit(3) > payments.charge(4, nested: "retry") > mesh(3): one operation can make 36 requests; from 27 on this is an error`},
		{"two layers of two are no storm, but do each other's work", []*ir.Set{
			set("a", class("x", 2, remote("b.y"))), set("b", class("y", 2)),
		}, `a.x calls.0 warning: each of the 2 attempts of a.x can become 2 in b.y, which runs in another process, beyond the engine's guard: 4 requests for one operation`},
		{"work in a queue counts once and is no outer layer", []*ir.Set{
			set("a", queued(class("x", 20, local("b.y")))), set("b", class("y", 3, outside("mesh", 3))),
		}, `b.y calls.0 warning: b.y(3) > mesh(3): one operation can make 9 requests; from 27 on this is an error`},
		{"one layer, however high, is another rule's", []*ir.Set{set("a", class("x", 30))}, ``},
		{"a class that is tried once is no outer layer", []*ir.Set{
			set("a", class("x", 1, local("b.y"))), set("b", class("y", 3)),
		}, ``},
		{"the guard holds through a class that is tried once", []*ir.Set{
			set("a", class("x", 3, local("b.y"))), set("b", class("y", 1, local("c.z"))), set("c", class("z", 3)),
		}, ``},
		{"another process begins anew", []*ir.Set{
			set("a", class("x", 3, remote("b.y"))), set("b", class("y", 3, local("c.z"))), set("c", class("z", 3)),
		}, `a.x calls.0 warning: a.x(3) > b.y(3): one operation can make 9 requests; from 27 on this is an error`},
		{"of two ways the worse one is told", []*ir.Set{
			set("a", class("x", 3, outside("small", 2), outside("large", 4))),
		}, `a.x calls.0 warning: each of the 3 attempts of a.x can become 2 in small, which is beyond the engine's guard: 6 requests for one operation
a.x calls.1 warning: a.x(3) > large(4): one operation can make 12 requests; from 27 on this is an error`},
		{"a worse chain from the same root hides no other", []*ir.Set{
			set("checkout", class("submit", 3, remote("p.pay"), outside("sdk", 10))), set("p", class("pay", 3, outside("mesh", 3))),
		}, `checkout.submit calls.1 error: checkout.submit(3) > sdk(10): one operation can make 30 requests; from 27 on this is an error
p.pay calls.0 error: checkout.submit(3) > p.pay(3) > mesh(3): one operation can make 27 requests; from 27 on this is an error`},
		{"a call that is on no chain told is told by itself", []*ir.Set{
			set("a", class("x", 5, remote("p.pay"))), set("b", class("y", 2, remote("p.pay"))), set("p", class("pay", 3, outside("mesh", 3))),
		}, `p.pay calls.0 error: a.x(5) > p.pay(3) > mesh(3): one operation can make 45 requests; from 27 on this is an error
b.y calls.0 warning: each of the 2 attempts of b.y can become 3 in p.pay, which runs in another process, beyond the engine's guard: 6 requests for one operation`},
	} {
		if got := messages(c.sets, Options{}, "load-amplification", "nested-retry"); !sameLines(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.what, got, c.want)
		}
	}
}

func sameLines(a, b string) bool {
	count := map[string]int{}
	for _, l := range strings.Split(a, "\n") {
		count[l]++
	}
	for _, l := range strings.Split(b, "\n") {
		count[l]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// One set alone: the others are read for their calls, and nothing is said about
// them; where the culprit is among them the finding stands at the call.
func TestOthersAreOnlyRead(t *testing.T) {
	checkout := set("checkout", class("submit", 3, local("payments.charge")))
	payments := set("payments", nested(class("charge", 4, outside("mesh", 3))))
	payments.Classes[0].Doc = ""
	got := Run([]*ir.Set{checkout}, Options{Others: []*ir.Set{payments}}).Findings
	if len(got) != 1 || got[0].Set != "checkout" || got[0].Field != "calls.0" || !strings.Contains(got[0].Message, "36 requests") {
		t.Errorf("found %v", got)
	}
	got = Run([]*ir.Set{payments}, Options{Others: []*ir.Set{checkout}}).Findings
	if m := fmt.Sprint(got); !strings.Contains(m, "36 requests") || strings.Contains(m, "submit: {") {
		t.Errorf("found %v", got)
	}
}

func TestTargetsAndCycles(t *testing.T) {
	sets := []*ir.Set{
		set("a", class("x", 2, local("b.y")), class("self", 2, local("a.self"))),
		set("b", class("y", 2, local("c.z"))), set("c", class("z", 2, local("a.x"), local("a.gone"))),
	}
	want := `a.self calls.0 error: a.self > a.self: they call each other in a circle, so no number of requests is the most
a.x calls.0 error: a.x > b.y > c.z > a.x: they call each other in a circle, so no number of requests is the most
c.z calls.1 error: no policy set has a class "a.gone"`
	if got := messages(sets, Options{}, "call-cycle", "unknown-call-target"); !sameLines(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := messages(sets, Options{CallsUnknown: true}, "unknown-call-target"); got != "" {
		t.Errorf("although not all sets could be read: %s", got)
	}
	partial := func(s *ir.Set) bool { return s.Name == "a" }
	if got := messages(sets, Options{Partial: partial}, "unknown-call-target"); got != "" {
		t.Errorf("although the set has mistakes: %s", got)
	}
}

// bruteForce walks every path and returns the largest product with at least two
// layers that multiply; 1 where there is none.
func bruteForce(t *Tree, n *node, guarded bool, layers, product int) int {
	l := n.layer(guarded)
	product *= l.times
	if l.times > 1 {
		layers++
	}
	best := 1
	if layers >= 2 {
		best = product
	}
	inner := n.Timing == ir.Inline && (guarded || l.times > 1)
	for i := range n.edges {
		e := &n.edges[i]
		switch {
		case e.target != nil:
			best = max(best, bruteForce(t, e.target, inner && !e.call.Remote, layers, product))
		case e.call.Class == "":
			below := layers
			if e.call.Attempts > 1 {
				below++
			}
			if below >= 2 {
				best = max(best, product*e.call.Attempts)
			}
		}
	}
	return best
}

// bruteThrough walks every path and notes for each entry of calls the largest
// product of the paths through it that end in a layer that multiplies and have at
// least two of those.
func bruteThrough(t *Tree, n *node, guarded bool, layers, product int, path []*edge, worst map[*edge]int) {
	l := n.layer(guarded)
	if len(path) == 0 && l.times < 2 {
		return
	}
	note := func(times int) {
		if times > 1 {
			product, layers = product*times, layers+1
			for _, e := range path {
				if layers >= 2 {
					worst[e] = max(worst[e], product)
				}
			}
		}
	}
	note(l.times)
	inner := n.Timing == ir.Inline && (guarded || l.times > 1)
	for i := range n.edges {
		e := &n.edges[i]
		switch {
		case e.target != nil:
			bruteThrough(t, e.target, inner && !e.call.Remote, layers, product, append(path, e), worst)
		case e.call.Class == "":
			p, n, all := product, layers, path
			path = append(path, e)
			note(e.call.Attempts)
			product, layers, path = p, n, all
		}
	}
}

// The worst chain of each class of a random tree without cycles is what walking
// every path finds, and its layers multiply to its product.
func TestWorstChain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(t, "classes")
		var classes []ir.Class
		for i := range n {
			c := class(fmt.Sprintf("c%d", i), rapid.IntRange(1, 4).Draw(t, "attempts"))
			for range rapid.IntRange(0, 3).Draw(t, "calls") {
				if i == 0 || rapid.Bool().Draw(t, "external") {
					c.Calls = append(c.Calls, outside("mesh", rapid.IntRange(1, 3).Draw(t, "times")))
					continue
				}
				target := fmt.Sprintf("s.c%d", rapid.IntRange(0, i-1).Draw(t, "target"))
				c.Calls = append(c.Calls, ir.Call{Class: target, Remote: rapid.Bool().Draw(t, "remote")})
			}
			if rapid.Bool().Draw(t, "nested") {
				c = nested(c)
			}
			if rapid.IntRange(0, 4).Draw(t, "queued") == 0 {
				c = queued(c)
			}
			classes = append(classes, c)
		}
		tree := newTree([]*SetFacts{factsOf(set("s", classes...))}, Options{})
		tree.passages()
		through := map[*edge]int{}
		for _, n := range tree.nodes {
			bruteThrough(tree, n, false, 0, 1, nil, through)
		}
		for _, n := range tree.nodes {
			for i, p := range n.worstThrough(1, nil) {
				got, e := 0, &n.edges[i]
				if p.from != nil {
					got = p.product
					product, here := 1, false
					for _, l := range p.layers() {
						product *= l.times
						here = here || l.from == n && l.entry == i
					}
					if product != got || !here {
						t.Fatalf("%s %s: layers %v, product %d", n.name, e.field(), p.layers(), got)
					}
				}
				if got != through[e] {
					t.Fatalf("%s %s: worst product %d, want %d", n.name, e.field(), got, through[e])
				}
			}
		}
		for _, n := range tree.nodes {
			got, want := 1, bruteForce(tree, n, false, 0, 1)
			if c := tree.worst(n, false, 2); c != nil {
				got = c.product
				product, multiplying := 1, 0
				for _, l := range c.layers() {
					product *= l.times
					if l.times > 1 {
						multiplying++
					}
				}
				if product != c.product || multiplying < 2 {
					t.Fatalf("%s: layers %v, product %d", n.name, c.layers(), c.product)
				}
			}
			if got != want {
				t.Fatalf("%s: worst product %d, want %d", n.name, got, want)
			}
		}
	})
}

// A dense tree has more paths than could ever be walked: 40 levels of 20
// classes, each calling all of the next.
func TestDenseTreesEnd(t *testing.T) {
	var sets []*ir.Set
	for level := range 40 {
		var classes []ir.Class
		for i := range 20 {
			c := nested(class(fmt.Sprintf("c%d", i), 3))
			for j := range 20 {
				if level < 39 {
					c.Calls = append(c.Calls, local(fmt.Sprintf("l%d.c%d", level+1, j)))
				}
			}
			classes = append(classes, c)
		}
		sets = append(sets, set(fmt.Sprintf("l%d", level), classes...))
	}
	got := messages(sets, Options{}, "load-amplification")
	first, _, _ := strings.Cut(got, "\n")
	if !strings.Contains(got, "over a billion requests") || !strings.Contains(got, "… 32 more …") || len(first) > 1000 {
		t.Errorf("%d findings, the first %q", strings.Count(got, "\n")+1, first)
	}
}
