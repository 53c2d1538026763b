package compiler

// Lists and structs that are made of themselves, and values that are compared with
// what they are part of.

import (
	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"github.com/retryc/retryc/compiler/ir"
)

// selfMade reports lists and structs that go over themselves, by way of others
// or not: CUE makes nothing of them, and is silent.
func (e *evaluator) selfMade() {
	for _, f := range e.pkg.files {
		e.selfMadeIn(f.Decls, e.pkg.scopeOf(f), e.root)
	}
}

func (e *evaluator) selfMadeIn(decls []ast.Decl, in *scope, v cue.Value) {
	for _, d := range decls {
		f, ok := d.(*ast.Field)
		if !ok || f.Value == nil {
			continue
		}
		name, _, err := ast.LabelName(f.Label)
		if err != nil || !goesOver(f.Value) {
			continue
		}
		value := fieldOf(v, name)
		if s, ok := f.Value.(*ast.StructLit); ok {
			e.selfMadeIn(s.Elts, &scope{parent: in, decls: s.Elts}, value)
		}
		if isEmpty(value) || value.Err() != nil {
			e.sayCircle(&node{}, contribution{expr: f.Value, in: in})
		}
	}
}

// sayCircle reports that something goes over itself; nil: it does not.
func (e *evaluator) sayCircle(n *node, from ...contribution) *ir.Diagnostic {
	for _, c := range from {
		if at, steps := e.circle(c); !at.IsZero() {
			d := e.report(at, n, "%s leads back to itself, so it has no elements", e.sources.text(at))
			byWayOf(d, steps)
			return d
		}
	}
	return nil
}

// goesOver reports whether there is a comprehension in a literal.
func goesOver(x ast.Expr) bool {
	found := false
	ast.Walk(x, func(n ast.Node) bool {
		if _, ok := n.(*ast.ForClause); ok {
			found = true
		}
		return !found
	}, nil)
	return found
}

// isCircular is whether a text goes over itself. It is asked for in every round of
// a loop, and the answer is the same.
func (e *evaluator) isCircular(c contribution) bool {
	known, ok := e.circular[c.expr]
	if !ok {
		at, _ := e.circle(c)
		if known = !at.IsZero(); e.circular == nil {
			e.circular = map[ast.Node]bool{}
		}
		e.circular[c.expr] = known
	}
	return known
}

// circle follows what comprehensions go over until one comes twice. The first
// place, in order of the files, stands for the circle, wherever it is entered.
func (e *evaluator) circle(from contribution) (at ir.Span, steps []ir.Span) {
	l := &locator{}
	seen := map[ast.Node]int{} // the length of the path, on it; -1: leads nowhere
	var path []ast.Node        // what is gone over
	var visit func(c contribution) bool
	visit = func(c contribution) bool {
		for _, t := range l.expand(c) {
			switch i, known := seen[t.expr]; {
			case known && i < 0:
				continue
			case known:
				for _, x := range path[i:] {
					sp := e.sources.span(x)
					steps = append(steps, sp)
					if at.IsZero() || later(at, sp) {
						at = sp
					}
				}
				return true
			}
			seen[t.expr] = len(path)
			for _, s := range l.goneOver(t) {
				path = append(path, s.expr)
				if l.steps < mostSteps && visit(s) {
					return true
				}
				path = path[:len(path)-1]
			}
			seen[t.expr] = -1
		}
		return false
	}
	visit(from)
	return at, steps
}

// onlyGoesOver reports whether a list or a struct has nothing but what its
// comprehensions make.
func onlyGoesOver(x ast.Expr) bool {
	var decls []ast.Node
	switch x := x.(type) {
	case *ast.ListLit:
		for _, y := range x.Elts {
			decls = append(decls, y)
		}
	case *ast.StructLit:
		for _, d := range x.Elts {
			decls = append(decls, d)
		}
	}
	for _, d := range decls {
		if _, ok := d.(*ast.Comprehension); !ok {
			return false
		}
	}
	return len(decls) > 0
}

// goneOver lists what the comprehensions of a list or a struct go over.
func (l *locator) goneOver(c contribution) []contribution {
	var out []contribution
	of := func(x ast.Node, in *scope) {
		if comp, ok := x.(*ast.Comprehension); ok {
			l.clauses(comp, in, func(x ast.Expr, in *scope, loop bool) {
				if loop {
					out = append(out, contribution{expr: x, in: in})
				}
			}, func(*scope) {})
		}
	}
	switch x := c.expr.(type) {
	case *ast.ListLit:
		for _, y := range x.Elts {
			of(y, c.in)
		}
	case *ast.StructLit:
		for _, d := range x.Elts {
			if embed, ok := d.(*ast.EmbedDecl); ok {
				if s, ok := embed.Expr.(*ast.StructLit); ok {
					out = append(out, l.goneOver(contribution{expr: s, in: &scope{parent: c.in, decls: x.Elts}})...)
				}
			}
			of(d, &scope{parent: c.in, decls: x.Elts})
		}
	}
	return out
}

// holdsItself reports whether a text compares with what it is part of: CUE would
// print such a value for ever.
func (e *evaluator) holdsItself(from []contribution) bool {
	l := &locator{}
	for _, c := range from {
		if c.expr != nil && e.reaches(l, c.expr, c.expr, c.in, map[ast.Node]bool{}) {
			return true
		}
	}
	return false
}

// reaches follows the comparisons in a text, and all that they lead to, to a
// text that has the first in it.
func (e *evaluator) reaches(l *locator, first, x ast.Expr, in *scope, seen map[ast.Node]bool) bool {
	if seen[x] || l.steps > mostSteps {
		return false
	}
	seen[x] = true
	found := false
	follow := func(ref ast.Expr, in *scope) {
		for _, r := range l.resolve(ref, in) {
			found = found || r.expr != nil && (contains(r.expr, first) || e.reaches(l, first, r.expr, r.in, seen))
		}
	}
	var visit func(x ast.Expr, in *scope, compared bool)
	visit = func(x ast.Expr, in *scope, compared bool) {
		if found {
			return
		}
		switch x := x.(type) {
		case *ast.ParenExpr:
			visit(x.X, in, compared)
		case *ast.UnaryExpr:
			visit(x.X, in, compared || isConstraint(x))
		case *ast.BinaryExpr:
			visit(x.X, in, compared)
			visit(x.Y, in, compared)
		case *ast.CallExpr:
			for _, a := range x.Args {
				visit(a, in, true)
			}
		case *ast.StructLit:
			inner := &scope{parent: in, decls: x.Elts}
			for _, d := range x.Elts {
				switch d := d.(type) {
				case *ast.Field:
					if d.Value != nil {
						visit(d.Value, inner, compared)
					}
				case *ast.EmbedDecl:
					visit(d.Expr, inner, compared)
				}
			}
		case *ast.ListLit:
			for _, y := range x.Elts {
				visit(y, in, compared)
			}
		case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
			if compared {
				follow(x, in)
			}
		}
	}
	visit(x, in, x != first)
	return found
}

func contains(outer, inner ast.Node) bool {
	return outer != inner && outer.Pos().Filename() == inner.Pos().Filename() && outer.Pos().Offset() <= inner.Pos().Offset() && inner.End().Offset() <= outer.End().Offset()
}
