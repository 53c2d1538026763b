package compiler

// What waits for a value that is not there: fields that a comprehension makes
// under a condition nobody can decide, and lists and structs that are made of
// themselves.

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"github.com/retryc/retryc/compiler/ir"
)

func isOpen(v cue.Value) bool {
	k := v.IncompleteKind()
	return k != cue.BottomKind && k != cue.StructKind && k != cue.ListKind && !v.IsConcrete()
}

// isUnknown reports whether a value belongs to a field that the language does
// not have, in a struct that it has.
func (e *evaluator) isUnknown(v cue.Value) bool {
	names := v.Path().Selectors()
	if len(names) == 0 || names[len(names)-1].LabelType() != cue.StringLabel {
		return false
	}
	return typeAt(v) == nil
}

// waits reports whether a field of a struct waits for a condition, and says what
// the condition waits for, unless that is a field which is looked at by itself.
func (e *evaluator) waits(at []contribution, v cue.Value, n *node, from []contribution) bool {
	for _, c := range at {
		for _, u := range c.under {
			if e.undecided(u, v, n, from) {
				return true
			}
		}
	}
	return false
}

// undecidedIn is undecided for the conditions of one declaration, of the value
// that is being reported.
func (e *evaluator) undecidedIn(d ast.Decl, in *scope, n *node, from []contribution) bool {
	comp, ok := d.(*ast.Comprehension)
	if !ok {
		return false
	}
	var under []condition
	(&locator{}).clauses(comp, in, func(x ast.Expr, in *scope, loop bool) {
		if !loop {
			under = append(under, condition{x, in})
		}
	}, func(*scope) {})
	return slices.ContainsFunc(under, func(u condition) bool { return e.undecided(u, e.value, n, from) })
}

// undecided reports whether a condition on the fields of a struct has no answer,
// and says why.
func (e *evaluator) undecided(u condition, v cue.Value, n *node, from []contribution) bool {
	l := &locator{}
	found := false
	ast.Walk(u.expr, func(x ast.Node) bool {
		id, ok := x.(*ast.Ident)
		if !ok || found {
			return !found
		}
		beside := l.child(from, id.Name)
		if !shareText(l.ident(id.Name, u.in), beside) {
			return true
		}
		if strings.HasPrefix(id.Name, "_") || strings.HasPrefix(id.Name, "#") {
			if value := hidden(v, id.Name); value.Exists() && isOpen(value) {
				m := &node{name: id.Name}
				e.place(m, beside, n)
				e.openMistake(value, m, beside)
				found = true
			}
			return true
		}
		value := v.LookupPath(cue.MakePath(cue.Str(id.Name)))
		found = value.Exists() && isOpen(value)
		return true
	}, nil)
	if found {
		return true
	}
	for _, c := range e.causesIn(u.expr, u.in, false) {
		if e.isConfirmed(c, e.root) {
			e.sayCause(c, n, "this hangs")
			found = true
		}
	}
	return found
}

// mixesPoison reports whether a struct embeds, or is unified with, something
// that was reported as not there: what it would have brought cannot be known.
func (e *evaluator) mixesPoison(from []contribution) bool {
	if len(e.poison) == 0 {
		return false
	}
	l := &locator{}
	for _, c := range from {
		for _, t := range l.expand(c) {
			for _, ref := range t.via {
				if e.mentionsPoison(ref) {
					return true
				}
			}
			s, ok := t.expr.(*ast.StructLit)
			if !ok {
				if t.expr != nil && e.mentionsPoison(t.expr) {
					return true
				}
				continue
			}
			for _, d := range s.Elts {
				switch d := d.(type) {
				case *ast.EmbedDecl:
					if _, ok := d.Expr.(*ast.StructLit); !ok && e.mentionsPoison(d.Expr) {
						return true
					}
				case *ast.Comprehension:
					for _, clause := range d.Clauses {
						if e.mentionsPoison(clause) {
							return true
						}
					}
				}
			}
		}
	}
	return false
}

// unmade lists the fields that the makers in a struct would make; "*" stands for
// names that cannot be told.
func (l *locator) unmade(from []contribution) []string {
	var out []string
	l.makersIn(from, func(d ast.Decl, in *scope) { out = append(out, madeBy(d)...) })
	return out
}

// makersIn calls f with the makers in the structs that give a value.
func (l *locator) makersIn(from []contribution, f func(d ast.Decl, in *scope)) {
	for _, c := range from {
		for _, t := range l.expand(c) {
			s, ok := t.expr.(*ast.StructLit)
			if !ok {
				continue
			}
			in := &scope{parent: t.in, decls: s.Elts}
			for _, d := range s.Elts {
				if isMaker(d) {
					f(d, in)
					if embed, ok := d.(*ast.EmbedDecl); ok {
						l.makersIn([]contribution{{expr: embed.Expr, in: in}}, f)
					}
				}
			}
		}
	}
}

// madeBy lists the fields that a maker would make.
func madeBy(d ast.Decl) []string {
	comp, ok := d.(*ast.Comprehension)
	if !ok {
		return []string{"*"}
	}
	body, ok := comp.Value.(*ast.StructLit)
	if !ok {
		return []string{"*"}
	}
	var out []string
	for _, d := range body.Elts {
		name := "*"
		if f, ok := d.(*ast.Field); ok {
			if plain, ok := plainLabel(f); ok {
				name = plain
			}
		}
		out = append(out, name)
	}
	return out
}

// undecidable lists the fields that a struct lacks because a condition asks for
// one that is broken.
func (e *evaluator) undecidable(v cue.Value, from []contribution) []string {
	var out []string
	l := &locator{}
	l.makersIn(from, func(d ast.Decl, in *scope) {
		comp, ok := d.(*ast.Comprehension)
		if !ok {
			return
		}
		broken := false
		for _, c := range comp.Clauses {
			ast.Walk(c, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && !broken {
					if value := fieldOf(v, id.Name); value.Exists() || value.Err() != nil {
						broken = value.IncompleteKind() == cue.BottomKind && shareText(l.ident(id.Name, in), l.child(from, id.Name))
					}
				}
				return !broken
			}, nil)
		}
		if broken {
			out = append(out, madeBy(d)...)
		}
	})
	return out
}

func shareText(a, b []contribution) bool {
	for _, x := range a {
		for _, y := range b {
			if x.field != nil && x.field == y.field {
				return true
			}
		}
	}
	return false
}

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

func fieldOf(v cue.Value, name string) cue.Value {
	switch {
	case strings.HasPrefix(name, "_"):
		return hidden(v, name)
	case strings.HasPrefix(name, "#"):
		return v.LookupPath(cue.MakePath(cue.Def(name)))
	}
	return v.LookupPath(cue.MakePath(cue.Str(name)))
}

// isEmpty reports whether a list has no elements, or a struct no fields.
func isEmpty(v cue.Value) bool {
	switch v.IncompleteKind() {
	case cue.ListKind:
		it, err := v.List()
		return err != nil || !it.Next()
	case cue.StructKind:
		it, err := v.Fields()
		return err != nil || !it.Next()
	}
	return false
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
