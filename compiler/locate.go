package compiler

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// CUE's own positions of evaluated values lead to labels, constraints or
// nowhere. This file answers "which text gave this field its value" from the
// syntax instead: it follows references, embeddings, comprehensions and
// defaults the way CUE scopes them, without evaluating anything.

// A contribution is one text that takes part in a value.
type contribution struct {
	label ast.Node // the name of the field; nil for an element of a list
	field *ast.Field
	expr  ast.Expr
	in    *scope
	via   []ast.Node // the references it came through, outermost first
	decl  ast.Node   // the field or let that holds the text itself, wherever it was referred to; nil for an element of a list

	// around is the field whose only one, without braces, this is: "class" in
	// "class: charge: {…}".
	around *ast.Field

	under []condition // what a comprehension asks before it makes this
}

// A condition is one "if" of a comprehension.
type condition struct {
	expr ast.Expr
	in   *scope
}

// locator follows names with a limited number of steps: a cycle in a policy is
// CUE's to report, not a reason to hang.
type locator struct {
	steps     int
	unrolling map[*ast.Comprehension]bool // comprehensions that are being followed
}

const mostSteps = 20000

// top returns what the files declare under a name.
func (l *locator) top(p *pkgFiles, name string) []contribution {
	p.index()
	var out []contribution
	for _, list := range [][]placed{p.byName[name], p.made} {
		for _, d := range list {
			out = append(out, l.fieldsIn([]ast.Decl{d.decl}, d.in, nil, name)...)
		}
	}
	return out
}

// fieldsIn finds a field among declarations; in is the scope around them.
func (l *locator) fieldsIn(decls []ast.Decl, in *scope, via []ast.Node, name string) []contribution {
	if l.steps++; l.steps > mostSteps {
		return nil
	}
	var out []contribution
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.Field:
			if d.Value == nil {
				continue
			}
			at := in
			label := ast.Node(d.Label)
			if lst, ok := d.Label.(*ast.ListLit); ok { // [string]: …
				if strings.HasPrefix(name, "#") || strings.HasPrefix(name, "_") {
					continue
				}
				if len(lst.Elts) == 1 {
					if a, ok := lst.Elts[0].(*ast.Alias); ok {
						at = at.with(a.Ident.Name, variable{text: name})
					}
				}
				out = append(out, contribution{label: label, field: d, decl: d, expr: d.Value, in: at, via: add(via, d.Label)})
				continue
			}
			got, where, ok := l.labelText(d.Label, in)
			if !ok || got != name {
				continue
			}
			if where != nil {
				label = where
			}
			out = append(out, contribution{label: label, field: d, decl: d, expr: d.Value, in: at, via: via})
		case *ast.EmbedDecl:
			for _, c := range l.expand(contribution{expr: d.Expr, in: in, via: via}) {
				out = append(out, l.fieldsOf(c, name)...)
			}
		case *ast.Comprehension:
			for _, b := range l.bodies(d, in) {
				for _, c := range l.fieldsIn(b.decls, b.in, via, name) {
					c.under = append(b.under[:len(b.under):len(b.under)], c.under...)
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// fieldsOf finds a field of an expanded contribution.
func (l *locator) fieldsOf(c contribution, name string) []contribution {
	switch e := c.expr.(type) {
	case *ast.StructLit:
		return l.fieldsIn(e.Elts, &scope{parent: c.in, decls: e.Elts}, c.via, name)
	case *ast.ListLit:
		var out []contribution
		if i, ok := index(name); ok {
			at := 0
			for _, x := range e.Elts {
				if comp, ok := x.(*ast.Comprehension); ok {
					for _, b := range l.bodies(comp, c.in) {
						if at == i {
							out = append(out, b.element(c.via))
						}
						at++
					}
					continue
				}
				if more, ok := x.(*ast.Ellipsis); ok {
					if more.Type != nil {
						out = append(out, contribution{expr: more.Type, in: c.in, via: c.via})
					}
					continue
				}
				if at == i {
					out = append(out, contribution{expr: x, in: c.in, via: c.via})
				}
				at++
			}
		}
		return out
	}
	return nil
}

// child finds a field of values that all belong to one.
func (l *locator) child(of []contribution, name string) []contribution {
	var out []contribution
	for _, c := range of {
		for _, x := range l.expand(c) {
			out = append(out, l.fieldsOf(x, name)...)
		}
	}
	return out
}

// expand follows a contribution to the literals, structs and lists that it
// stands for. What cannot be followed stands for itself.
func (l *locator) expand(c contribution) []contribution {
	if l.steps++; l.steps > mostSteps || len(c.via) > 32 {
		return nil
	}
	with := func(e ast.Expr) []contribution {
		d := c
		d.expr = e
		return l.expand(d)
	}
	switch e := c.expr.(type) {
	case *ast.ParenExpr:
		return with(e.X)
	case *ast.Alias:
		return with(e.Expr)
	case *ast.BinaryExpr:
		if e.Op == token.AND || e.Op == token.OR {
			return append(with(e.X), with(e.Y)...)
		}
	case *ast.UnaryExpr:
		if e.Op == token.MUL {
			return with(e.X)
		}
	case *ast.CallExpr:
		if id, ok := e.Fun.(*ast.Ident); ok && id.Name == "close" && len(e.Args) == 1 {
			return with(e.Args[0])
		}
		if id, ok := e.Fun.(*ast.Ident); ok && id.Name == "and" && len(e.Args) == 1 {
			if l1, ok := e.Args[0].(*ast.ListLit); ok {
				var out []contribution
				for _, x := range l1.Elts {
					out = append(out, with(x)...)
				}
				return out
			}
		}
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		var out []contribution
		for _, r := range l.resolve(e, c.in) {
			r.via = append(add(c.via, e), outside(r.via, e)...)
			r.label, r.field, r.under = c.label, c.field, c.under
			out = append(out, l.expand(r)...)
		}
		if out != nil {
			return out
		}
	}
	return []contribution{c}
}

// resolve finds what a reference refers to, one step.
func (l *locator) resolve(e ast.Expr, in *scope) []contribution {
	if l.steps++; l.steps > mostSteps {
		return nil
	}
	switch e := e.(type) {
	case *ast.Ident:
		return l.ident(e.Name, in)
	case *ast.SelectorExpr:
		name, _, err := ast.LabelName(e.Sel)
		if err != nil {
			return nil
		}
		if id, ok := e.X.(*ast.Ident); ok {
			if p := in.imported(id.Name); p != nil {
				return l.top(p, name)
			}
		}
		return l.child(l.resolveDeep(e.X, in), name)
	case *ast.IndexExpr:
		if s, _, ok := l.staticText(e.Index, in); ok {
			return l.child(l.resolveDeep(e.X, in), s)
		}
		if lit, ok := e.Index.(*ast.BasicLit); ok && lit.Kind == token.INT {
			return l.child(l.resolveDeep(e.X, in), lit.Value)
		}
	}
	return nil
}

func (l *locator) resolveDeep(e ast.Expr, in *scope) []contribution {
	return l.expand(contribution{expr: e, in: in})
}

// outside drops references that stand within another: for "a.b", the one to a.
func outside(via []ast.Node, e ast.Node) []ast.Node {
	return slices.DeleteFunc(slices.Clone(via), func(n ast.Node) bool {
		return n.Pos().Filename() == e.Pos().Filename() && n.Pos().Offset() >= e.Pos().Offset() && n.End().Offset() <= e.End().Offset()
	})
}

func add(via []ast.Node, n ast.Node) []ast.Node {
	return append(via[:len(via):len(via)], n)
}
