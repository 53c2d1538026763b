package lint

import (
	"strings"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen/engine"
)

// conflict is a pair of classes whose operations cannot be told apart.
type conflict struct {
	a, b *Facts
	same bool // the same requests; else they overlap and neither is narrower
}

// together is up to how many classes of a set are compared pair by pair.
const together = 16

// conflicts finds them by what can meet at all: pair by pair in a small set, and
// by walking a tree of path segments in one of ten thousand classes. The engine's
// own comparison decides about the few that are left.
func conflicts(s *SetFacts) []conflict {
	var out []conflict
	met := func(other, f *Facts) {
		a, errA := engine.ParsePattern(f.Spec.Kind, other.Op.Text)
		b, errB := engine.ParsePattern(f.Spec.Kind, f.Op.Text)
		if errA != nil || errB != nil {
			return // the compiler has said so
		}
		switch engine.Compare(a, b) {
		case engine.Equal:
			out = append(out, conflict{other, f, true})
		case engine.Overlap:
			out = append(out, conflict{other, f, false})
		}
	}
	if len(s.Classes) <= together {
		pairs(s.Classes, met)
	} else {
		walk(s.Classes, met)
	}
	return out
}

func pairs(classes []*Facts, met func(other, f *Facts)) {
	type operation struct {
		*Facts
		at   string
		path []string
	}
	var before [together]operation
	n := 0
	for _, f := range classes {
		if f.Op.Kind == ir.Task {
			continue
		}
		at, path := f.segments()
		for _, o := range before[:n] {
			if o.at == at && meet(o.path, path) {
				met(o.Facts, f)
			}
		}
		before[n] = operation{f, at, path}
		n++
	}
}

// meet reports whether a path could match both of two patterns.
func meet(a, b []string) bool {
	for i := 0; ; i++ {
		switch {
		case i < len(a) && isRest(a[i]) || i < len(b) && isRest(b[i]):
			return true
		case i == len(a) || i == len(b):
			return len(a) == len(b)
		case a[i] != b[i] && !isWild(a[i]) && !isWild(b[i]):
			return false
		}
	}
}

func walk(classes []*Facts, met func(other, f *Facts)) {
	roots := map[string]*segment{}
	for _, f := range classes {
		if f.Op.Kind == ir.Task {
			continue
		}
		at, path := f.segments()
		root := roots[at]
		if root == nil {
			root = &segment{}
			roots[at] = root
		}
		root.meet(path, func(other *Facts) { met(other, f) })
		root.add(path, f)
	}
}

// segments splits an operation: what must be equal for two to meet at all, and
// the segments of its path. A gRPC method is a path of two.
func (f *Facts) segments() (at string, path []string) {
	if f.Op.Kind == ir.GRPC {
		return "grpc", strings.Split(f.Op.Text, "/")
	}
	return f.method(), strings.Split(strings.TrimPrefix(f.path(), "/"), "/")
}

// segment is a node of the tree of patterns seen so far.
type segment struct {
	literal []branch            // while there are few
	many    map[string]*segment // all of them, once there are not
	wild    *segment            // {name}, with or without a verb behind it
	rest    []*Facts            // patterns that take whatever follows
	ends    []*Facts            // patterns that end here
}

// branch is a way on by a literal segment.
type branch struct {
	text string
	next *segment
}

// few is how many branches are looked through one by one.
const few = 8

// by is the way on by a literal, or nil.
func (n *segment) by(text string) *segment {
	if n.many != nil {
		return n.many[text]
	}
	for _, b := range n.literal {
		if b.text == text {
			return b.next
		}
	}
	return nil
}

// grow adds a way on.
func (n *segment) grow(text string) *segment {
	next := &segment{}
	n.literal = append(n.literal, branch{text, next})
	switch {
	case n.many != nil:
		n.many[text] = next
	case len(n.literal) > few:
		n.many = make(map[string]*segment, 2*len(n.literal))
		for _, b := range n.literal {
			n.many[b.text] = b.next
		}
	}
	return next
}

func isRest(seg string) bool { return seg == "*" || strings.HasSuffix(seg, "...}") }

func isWild(seg string) bool { return strings.HasPrefix(seg, "{") && seg != "{$}" }

func (n *segment) add(path []string, e *Facts) {
	switch {
	case len(path) == 0:
		n.ends = append(n.ends, e)
	case isRest(path[0]):
		n.rest = append(n.rest, e)
	case isWild(path[0]):
		if n.wild == nil {
			n.wild = &segment{}
		}
		n.wild.add(path[1:], e)
	default:
		next := n.by(path[0])
		if next == nil {
			next = n.grow(path[0])
		}
		next.add(path[1:], e)
	}
}

// meet calls with every pattern that could match a path that this one matches.
func (n *segment) meet(path []string, with func(*Facts)) {
	for _, e := range n.rest {
		with(e)
	}
	switch {
	case len(path) == 0:
		for _, e := range n.ends {
			with(e)
		}
	case isRest(path[0]):
		n.all(with)
	case isWild(path[0]):
		if n.wild != nil {
			n.wild.meet(path[1:], with)
		}
		for _, b := range n.literal {
			b.next.meet(path[1:], with)
		}
	default:
		if n.wild != nil {
			n.wild.meet(path[1:], with)
		}
		if next := n.by(path[0]); next != nil {
			next.meet(path[1:], with)
		}
	}
}

func (n *segment) all(with func(*Facts)) {
	for _, e := range n.ends {
		with(e)
	}
	if n.wild != nil {
		n.wild.all(with)
		for _, e := range n.wild.rest {
			with(e)
		}
	}
	for _, b := range n.literal {
		b.next.all(with)
		for _, e := range b.next.rest {
			with(e)
		}
	}
}
