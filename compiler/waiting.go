package compiler

// What waits for a value that is not there: fields that a comprehension makes
// under a condition nobody can decide, and lists and structs that are made of
// themselves.

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
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

func fieldOf(v cue.Value, name string) cue.Value {
	switch {
	case strings.HasPrefix(name, "_"):
		return hidden(v, name)
	case strings.HasPrefix(name, "#"):
		return v.LookupPath(cue.MakePath(cue.Def(name)))
	}
	found := v.LookupPath(cue.MakePath(cue.Str(name)))
	if found.Exists() {
		return found
	}
	it, err := v.Fields() // a lookup finds nothing in a struct that is an error
	for err == nil && it.Next() {
		if it.Selector().LabelType() == cue.StringLabel && it.Selector().Unquoted() == name {
			return it.Value()
		}
	}
	return found
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
