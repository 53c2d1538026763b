package compiler

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
)

// checker holds one class, or the set-level fields, against the shape. It finds
// all mistakes: each field is looked at by itself.
type checker struct {
	notes
	sources sources
	shared  map[string]string // see unit.sharedAs
	lost    map[string]bool   // fields that a mistake of syntax took away

	what  string // "class \"charge\"", or "the set"
	set   string
	class string // name, or empty
	self  ir.Span
	root  *node

	// claimed holds the paths that a misspelt field was meant to be: they are
	// not missing as well.
	claimed map[string]bool
}

// at reports a mistake about the value of a node.
func (c *checker) at(n *node, path, format string, args ...any) *ir.Diagnostic {
	d := c.mistake(n.value, format, args...)
	c.mark(d, n, path)
	return d
}

// atLabel reports a mistake about the name of a node, or that it is there.
func (c *checker) atLabel(n *node, path, format string, args ...any) *ir.Diagnostic {
	d := c.mistake(n.label, format, args...)
	c.mark(d, n, path)
	return d
}

// atSelf reports a mistake about a class, or the set, as a whole: what is not
// there.
func (c *checker) atSelf(path, format string, args ...any) *ir.Diagnostic {
	d := c.mistake(c.self, format, args...)
	d.Set, d.Class, d.Field = c.set, c.class, path
	if c.root != nil && !c.root.maker.IsZero() && c.root.maker != d.Span {
		d.Related = append(d.Related, ir.Related{Span: c.root.maker, Message: fmt.Sprintf("class %q is made from this", c.class)})
	}
	return d
}

func (c *checker) mark(d *ir.Diagnostic, n *node, path string) {
	n.broken = true
	d.Set, d.Class, d.Field = c.set, c.class, path
	for _, r := range c.through(n) {
		if r.Span != d.Span {
			d.Related = append(d.Related, r)
		}
	}
	if n.kind != structNode {
		for _, sp := range n.also {
			d.Related = append(d.Related, ir.Related{Span: sp, Message: "the same is said here"})
		}
	}
}

// through names the class that a shared value was found in, where the value
// stands somewhere else, or in what makes many classes.
func (c *checker) through(n *node) []ir.Related {
	made := c.root != nil && !c.root.maker.IsZero()
	var out []ir.Related
	if len(n.related) > 0 {
		out = append(out, n.related[0])
		if c.class != "" && !made {
			out[0].Message = fmt.Sprintf("class %q has it from here", c.class)
		}
	}
	if made {
		out = append(out, ir.Related{Span: c.root.maker, Message: fmt.Sprintf("class %q is made from this", c.class)})
	}
	return out
}

// check holds a node against a type.
func (c *checker) check(n *node, t *typ, path string) {
	if n.kind == brokenNode {
		n.broken = true
		return
	}
	if t.kind != structType && t.kind != mapType && c.swallowed(n) {
		// "owner:" alone, and below it "deadline: …": CUE reads the second line
		// as the value of the first.
		d := c.atLabel(n, path, "%s has no value, so the line below became its value", last(path))
		if ex := exampleOf(path); ex != "" {
			d.Help = []string{help(path, ex)}
		}
		for _, f := range n.fields {
			c.claim(join(strings.TrimSuffix(strings.TrimSuffix(path, last(path)), "."), f.name))
		}
		return
	}
	switch t.kind {
	case scalarType:
		c.scalar(n, t, path)
	case structType:
		if n.kind != structNode {
			name := last(path)
			if strings.HasPrefix(path, "perOutcome.") || !isIdentifier(name) {
				name = strconv.Quote(n.name)
			}
			d := c.at(n, path, "%s is %s, but it is a struct with %s", name, n.quoted(), enumerate(t.names()))
			if right := c.wrapped(n, t, path); right != "" {
				c.suggest(d, n, path, right, true)
			} else {
				c.suggest(d, n, path, exampleOf(path), false)
			}
			return
		}
		c.structure(n, t, path)
	case mapType:
		if n.kind != structNode {
			d := c.at(n, path, "%s is %s, but it is a struct of names and values", last(path), n.quoted())
			if ex := exampleOf(path); ex != "" {
				d.Help = []string{c.help(n, path, ex)}
			}
			return
		}
		for _, f := range n.fields {
			c.key(f, path)
			c.check(f, t.elem, join(path, f.name))
		}
	case listType:
		if n.kind != listNode {
			d := c.at(n, path, "%s is %s, but it is a list", last(path), n.quoted())
			if text := c.sources.text(n.value); text != "" && n.kind == stringNode {
				d.Help = []string{c.help(n, path, "["+text+"]")}
				d.Fix = &ir.Fix{Title: "make it a list", Edits: []ir.Edit{{Span: n.value, Text: "[" + text + "]"}}}
			}
			return
		}
		first := len(c.mistakes)
		seen := map[string]*node{}
		for _, e := range n.elems {
			before := len(c.mistakes)
			c.check(e, t.elem, join(path, e.name))
			for _, d := range c.mistakes[before:] {
				if d.Fix != nil && slices.ContainsFunc(n.elems, func(o *node) bool { return o.kind == stringNode && strconv.Quote(o.text) == d.Fix.Edits[0].Text }) {
					d.Fix = nil // it would then be twice in the list
				}
			}
			if e.kind == stringNode && !e.broken {
				if seen[e.text] != nil {
					c.at(e, join(path, e.name), "%q is twice in %s", e.text, last(path))
				}
				seen[e.text] = e
			}
		}
		// An example that is what another element is to be called is none.
		for _, d := range c.mistakes[first:] {
			if d.Fix == nil && len(d.Help) == 1 && slices.ContainsFunc(c.mistakes[first:], func(o *ir.Diagnostic) bool {
				return o != d && o.Fix != nil && slices.Equal(o.Help, d.Help)
			}) {
				d.Help = nil
			}
		}
	case unionType:
		if n.kind == structNode {
			c.check(n, t.body, path)
			return
		}
		if n.kind != scalarKind(t.text) {
			d := c.at(n, path, "%s is neither %s nor a struct with the fields %s", n.quoted(), nounOf(t.text), list(t.body.names()))
			if ex := exampleOf(path); ex != "" {
				d.Help = []string{c.help(n, path, ex)}
			}
			return
		}
		c.check(n, t.text, path)
	}
}

func (c *checker) structure(n *node, t *typ, path string) {
	for _, name := range n.unmade {
		c.claim(join(path, name)) // "*": any, and what is in them
	}
	for _, f := range n.fields {
		ft := t.field(f.name)
		if ft == nil {
			c.unknown(f, n, t, path)
			continue
		}
		c.check(f, ft.typ, join(path, f.name))
	}
	for _, ft := range t.fields {
		if !ft.required || n.field(ft.name) != nil || c.excused(join(path, ft.name)) {
			continue
		}
		c.missing(n, path, ft.name)
	}
}

// key checks the name of an entry whose name the author chose. Keys of outcomes
// depend on the kind of the class and are checked with the rules.
func (c *checker) key(f *node, path string) {
	switch path {
	case "retryBudgets":
		if reason, right := scalars["#BudgetName"].check(&node{text: f.name}); reason != "" {
			d := c.atLabel(f, join(path, f.name), "%q is not the name of a retry budget: %s", f.name, reason)
			if right != "" {
				d.Help = []string{right}
			}
		}
	case "lint", "waive":
		if !ruleRE.MatchString(f.name) {
			d := c.atLabel(f, join(path, f.name), `%q is not the id of a rule: lower-case letters, digits and "-"`, f.name)
			if right := suggestName(f.name, ruleRE, '-', true); right != "" {
				d.Help = []string{right}
			}
		}
	}
}

// look finds a sound node. known is false where the path cannot be judged: it
// is broken, misspelt, or below something that is.
func (c *checker) look(path string) (n *node, known bool) {
	n = c.root
	full := ""
	for _, name := range strings.Split(path, ".") {
		if n.broken {
			return nil, false
		}
		full = join(full, name)
		next := n.field(name)
		if next == nil {
			return nil, !c.excused(full)
		}
		n = next
	}
	return n, !n.broken
}
