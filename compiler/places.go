package compiler

// Where an evaluated value stands, as the author sees it.

import (
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"github.com/retryc/retryc/compiler/ir"
)

// isPoisoned reports whether a value hangs on a reference that was reported.
func (e *evaluator) isPoisoned(from []contribution) bool {
	for _, c := range from {
		if c.field != nil && hasEmbed(c.field) {
			return true
		}
	}
	if len(e.poison) == 0 {
		return false
	}
	l := &locator{}
	for _, c := range from {
		nodes := append([]ast.Node{c.expr}, c.via...)
		for _, x := range l.expand(c) {
			nodes = append(nodes, x.expr)
			nodes = append(nodes, x.via...)
		}
		for _, x := range nodes {
			if x != nil && e.mentionsPoison(x) {
				return true
			}
		}
	}
	return false
}

// mentionsPoison reports whether a text has a reference in it that was reported.
func (e *evaluator) mentionsPoison(x ast.Node) bool {
	if len(e.poison) == 0 {
		return false
	}
	found := false
	ast.Walk(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && e.poison[id] {
			found = true
		}
		return !found
	}, nil)
	return found
}

func hasEmbed(f *ast.Field) bool {
	for _, a := range f.Attrs {
		if name, _ := a.Split(); name == "embed" {
			return true
		}
	}
	return false
}

// place puts a node where the text is that the fewest references lead to.
func (e *evaluator) place(n *node, from []contribution, around *node) {
	l := &locator{}
	for i, c := range from {
		if i == 0 || len(c.via) == 0 {
			n.label = e.sources.span(c.label)
		}
		if len(c.via) == 0 {
			break
		}
	}
	nearest := -1
	for _, c := range from {
		for _, x := range l.expand(c) {
			sp := e.sources.span(x.expr)
			if sp.IsZero() || nearest >= 0 && len(x.via) >= nearest {
				continue
			}
			nearest = len(x.via)
			n.value, n.related = sp, e.relatedOf(x)
			e.hold(n, x)
			if n.label.IsZero() {
				n.label = sp
			}
		}
	}
	if n.value.IsZero() {
		n.value = n.label
	}
	if n.value.IsZero() && around != nil {
		// Made by an expression that cannot be followed: that expression is what
		// the author can edit.
		n.value, n.label, n.related = around.value, around.value, around.related
	}
	if n.value.IsZero() {
		n.value, n.label = e.files[0].start(), e.files[0].start() // from a package of CUE's
	}
}

// hold keeps which declaration holds the text of a node: a help is written for
// that, not for the field that refers to it.
func (e *evaluator) hold(n *node, x contribution) {
	n.held, n.own, n.bare = ir.Span{}, "", x.decl == nil
	switch d := x.decl.(type) {
	case *ast.Field:
		if len(x.via) > 0 || d.Value != x.expr {
			n.held = e.sources.span(d)
		}
		if name, _, err := ast.LabelName(d.Label); err == nil && len(x.via) > 0 {
			n.own = name
		}
	case *ast.LetClause:
		n.held, n.own = e.sources.span(d), d.Ident.Name
	}
}

// placeBySource puts a node that no text could be found for where CUE says that
// its value comes from, such as the body of a loop over what a function returns.
func (e *evaluator) placeBySource(n *node, v cue.Value) {
	switch x := v.Source().(type) {
	case *ast.Field:
		n.label, n.value = e.sources.span(x.Label), e.sources.span(x.Value)
	case ast.Expr:
		n.value = e.sources.span(x)
		n.label = n.value
	}
}

// choose puts a scalar where the text stands that says its value; where none
// does, at the first text that is no mere constraint.
func (e *evaluator) choose(n *node, from []contribution) {
	l := &locator{}
	literals := reader{e.sources}
	best := -1
	for _, c := range from {
		for _, x := range l.expand(c) {
			sp := e.sources.span(x.expr)
			if sp.IsZero() {
				continue
			}
			rank := 1
			if lit := literals.value(x.expr); lit != nil {
				rank = 0
				if lit.kind == n.kind && (lit.text == n.text || lit.kind == numberNode && lit.number == n.number || lit.kind == boolNode && lit.truth == n.truth) {
					rank = 3
					if len(x.via) == 0 {
						rank = 4
					}
				}
			} else if isConstraint(x.expr) {
				rank = 0
			}
			if rank == 4 && best == 4 && sp != n.value {
				n.also = append(n.also, sp)
			}
			if rank > best {
				best = rank
				n.value, n.related = sp, e.relatedOf(x)
				e.hold(n, x)
				if label := e.sources.span(c.label); !label.IsZero() {
					n.label = label
				}
			}
		}
	}
}

func isConstraint(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return true
	case *ast.UnaryExpr:
		return !strings.Contains("+-*!", x.Op.String())
	}
	return false
}

func (e *evaluator) relatedOf(x contribution) []ir.Related {
	var out []ir.Related
	for _, v := range x.via {
		if sp := e.sources.span(v); !sp.IsZero() {
			out = append(out, ir.Related{Span: sp, Message: "through this reference"})
		}
	}
	return out
}

// docOfClass is the comment above the class, wherever it was made: above its
// own name, or above "class" where both stand on one line.
func docOfClass(from []contribution, v cue.Value) string {
	for _, c := range from {
		if c.field == nil {
			continue
		}
		if doc := docOf(c.field); doc != "" {
			return doc
		}
		if c.around != nil {
			if doc := docOf(c.around); doc != "" {
				return doc
			}
		}
	}
	if len(from) > 0 {
		return ""
	}
	for _, g := range v.Doc() {
		if g.Doc {
			return commentText(g)
		}
	}
	return ""
}
