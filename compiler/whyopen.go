package compiler

// Why an expression has no value: what it refers to that only says what a value
// may be, or that is not there.

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/retryc/retryc/compiler/ir"
)

// A cause is one reference that leaves an expression without a value.
type cause struct {
	ref    ast.Expr       // as it is written
	name   string         // of what has no value
	at     contribution   // the text that only says what the value may be
	elems  bool           // it is gone over, and has no elements
	circle bool           // it goes over itself
	fails  cue.Value      // what it refers to, where that is an error of its own
	from   []contribution // the texts of it
	absent *ast.SelectorExpr
	in     *scope         // of absent
	path   string         // of what has no value, from the top of the package; "" where it is not plain
	choice []contribution // the alternatives that it is left between; nil where there are none
}

// causesIn looks through an expression; loop says that the expression is gone
// over.
func (e *evaluator) causesIn(x ast.Expr, in *scope, loop bool) []cause {
	if x == nil {
		return nil
	}
	l := &locator{}
	asked := map[string]bool{} // what is compared with _|_ may well be missing
	ast.Walk(x, func(n ast.Node) bool {
		if b, ok := n.(*ast.BinaryExpr); ok && (b.Op == token.EQL || b.Op == token.NEQ) {
			if _, ok := b.Y.(*ast.BottomLit); ok {
				asked[e.wording(b.X)] = true
			}
		}
		return true
	}, nil)
	var out []cause
	over := map[ast.Node]bool{} // what is made only by going over something else
	visitIn := func(x ast.Expr, at *scope) {}
	var visit func(x ast.Expr, loop bool)
	visit = func(x ast.Expr, loop bool) {
		switch x := x.(type) {
		case *ast.ParenExpr:
			visit(x.X, loop)
		case *ast.UnaryExpr:
			visit(x.X, false)
		case *ast.BinaryExpr:
			visit(x.X, false)
			visit(x.Y, false)
		case *ast.Interpolation:
			for i, part := range x.Elts {
				if i%2 == 1 {
					visit(part, false)
				}
			}
		case *ast.CallExpr:
			for _, a := range x.Args {
				visit(a, false)
			}
		case *ast.ListLit, *ast.StructLit:
			if loop && isOpenIn(x, true) {
				out = append(out, cause{ref: x, name: e.wording(x), at: contribution{expr: x, in: in}, elems: true})
			}
		case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
			if asked[e.wording(x)] {
				return
			}
			if id, ok := x.(*ast.Ident); ok && (id.Name == unknown || slices.Contains(predeclared, id.Name)) {
				return
			}
			from := contribution{expr: x, in: in}
			if i, ok := x.(*ast.IndexExpr); ok {
				visit(i.Index, false)
			}
			if c, ok := e.cause(l, x, in, loop); ok {
				out = append(out, c)
			} else if loop && e.isCircular(from) {
				out = append(out, cause{ref: x, name: e.wording(x), at: from, path: plainPath(x, in), circle: true})
			} else if v, texts := e.referredTo(l, x, in); fails(v) {
				out = append(out, cause{ref: x, name: e.wording(x), at: from, fails: v, from: texts})
			} else if loop {
				for _, t := range l.resolveDeep(x, in) {
					if !onlyGoesOver(t.expr) || over[t.expr] {
						continue
					}
					over[t.expr] = true
					for _, s := range l.goneOver(t) {
						visitIn(s.expr, s.in)
					}
				}
			}
		}
	}
	visitIn = func(x ast.Expr, at *scope) {
		outer := in
		in = at
		visit(x, true)
		in = outer
	}
	visit(x, loop)
	return out
}

// sayCauses reports what leaves a value, or the makers in a struct, without a
// value, and whether there was anything to report.
func (e *evaluator) sayCauses(n *node, from []contribution) bool {
	said := false
	l := &locator{}
	for _, c := range from {
		for _, t := range l.expand(c) {
			var causes []cause
			if s, ok := t.expr.(*ast.StructLit); ok {
				inner := &scope{parent: t.in, decls: s.Elts}
				for _, d := range s.Elts {
					said = e.undecidedIn(d, inner, n, from) || said
					if isMaker(d) {
						causes = append(causes, e.causesOf(maker{decl: d, in: inner, inClass: true})...)
					}
				}
			} else {
				causes = e.causesIn(t.expr, t.in, false)
			}
			for _, c := range causes {
				if c.path == "" || c.absent != nil || e.isConfirmed(c, e.root) {
					e.sayCause(c, n, "this hangs")
					said = true
				}
			}
		}
	}
	return said
}

// wording is the text of an expression.
func (e *evaluator) wording(x ast.Node) string { return e.sources.text(e.sources.span(x)) }

func (e *evaluator) cause(l *locator, x ast.Expr, in *scope, loop bool) (cause, bool) {
	c := cause{ref: x, name: e.wording(x), path: plainPath(x, in)}
	found := l.resolve(x, in)
	if sel, ok := x.(*ast.SelectorExpr); ok && len(found) == 0 {
		// Missing for certain only where all that may hold it is known.
		owners := l.resolveDeep(sel.X, in)
		if len(owners) == 0 {
			return cause{}, false
		}
		if !slices.ContainsFunc(owners, func(o contribution) bool { return !isOpenIn(o.expr, false) }) {
			return e.cause(l, sel.X, in, false)
		}
		for _, o := range owners {
			if s, ok := o.expr.(*ast.StructLit); !ok || !isListed(s) {
				return cause{}, false
			}
		}
		c.absent, c.in = sel, in
		return c, true
	}
	if c.path != "" && !loop && slices.ContainsFunc(found, isChoice) {
		c.choice = found // evaluating says whether one of them is chosen
		return c, true
	}
	var all []contribution
	for _, f := range found {
		all = append(all, l.expand(f)...)
	}
	for _, t := range all {
		if !isOpenIn(t.expr, loop) {
			return cause{}, false
		}
	}
	if len(all) == 0 {
		return cause{}, false
	}
	c.at, c.elems = all[0], loop && isContainer(all[0].expr)
	return c, true
}

// isListed reports whether the fields of a struct are those that are written.
func isListed(s *ast.StructLit) bool {
	for _, d := range s.Elts {
		switch d := d.(type) {
		case *ast.Field, *ast.CommentGroup, *ast.Attribute, *ast.LetClause, *ast.Ellipsis:
			if f, ok := d.(*ast.Field); ok {
				switch f.Label.(type) {
				case *ast.Ident, *ast.BasicLit:
				default:
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

func isContainer(x ast.Expr) bool {
	switch x.(type) {
	case *ast.ListLit, *ast.StructLit:
		return true
	}
	return false
}

// isOpenIn reports whether a text only says what a value may be. For a loop,
// that is also a list or a struct without elements of its own.
func isOpenIn(x ast.Expr, loop bool) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name == "_" || slices.Contains(predeclared, x.Name)
	case *ast.UnaryExpr:
		return isConstraint(x)
	case *ast.ListLit:
		if !loop || len(x.Elts) != 1 {
			return false
		}
		_, more := x.Elts[0].(*ast.Ellipsis)
		return more
	case *ast.StructLit:
		if !loop || len(x.Elts) == 0 {
			return false
		}
		for _, d := range x.Elts {
			switch d := d.(type) {
			case *ast.Ellipsis, *ast.CommentGroup, *ast.Attribute:
			case *ast.Field:
				if _, pattern := d.Label.(*ast.ListLit); !pattern && d.Constraint == token.ILLEGAL {
					return false
				}
			default:
				return false
			}
		}
		return true
	}
	return false
}

// plainPath is the path of a reference that begins at the top of the package.
func plainPath(x ast.Expr, in *scope) string {
	switch x := x.(type) {
	case *ast.Ident:
		for s := in; s != nil; s = s.parent {
			if _, ok := s.vars[x.Name]; ok {
				return ""
			}
			if s.pkg != nil {
				return x.Name
			}
			if s.file == nil && declared(s.decls, x.Name, s) != nil {
				return ""
			}
			if s.file != nil && declared(lets(s.file.Decls), x.Name, s) != nil {
				return ""
			}
		}
	case *ast.SelectorExpr:
		name, _, err := ast.LabelName(x.Sel)
		if p := plainPath(x.X, in); p != "" && err == nil && isIdentifier(strings.TrimLeft(name, "#_")) {
			return p + "." + name
		}
	}
	return ""
}

// isConfirmed reports whether evaluating agrees that a cause has no value.
func (e *evaluator) isConfirmed(c cause, v cue.Value) bool {
	if fails(c.fails) {
		return true
	}
	if v = c.valueIn(v); !v.Exists() {
		return false
	}
	if c.circle {
		return isEmpty(v) || v.Err() != nil
	}
	if c.elems {
		return isEmpty(v)
	}
	return !v.IsConcrete()
}

// valueIn is what a cause refers to, in the value of the package.
func (c cause) valueIn(v cue.Value) cue.Value {
	if c.path == "" {
		return cue.Value{}
	}
	for _, name := range strings.Split(c.path, ".") {
		v = fieldOf(v, name)
	}
	return v
}

// hidden finds a hidden field, whatever package its name belongs to.
func hidden(v cue.Value, name string) cue.Value {
	it, err := v.Fields(cue.Hidden(true))
	if err != nil {
		return cue.Value{}
	}
	for it.Next() {
		if it.Selector().String() == name {
			return it.Value()
		}
	}
	return cue.Value{}
}

// sayCause reports a cause; for is what hangs on it.
func (e *evaluator) sayCause(c cause, n *node, what string) *ir.Diagnostic {
	ref := e.sources.span(c.ref)
	if c.absent != nil {
		d := e.report(e.sources.span(c.absent.Sel), n, "")
		e.missingField(d, c.absent, c.in)
		for _, o := range (&locator{}).resolveDeep(c.absent.X, c.in) {
			if sp := e.sources.span(o.expr); !sp.IsZero() {
				d.Related = append(d.Related, ir.Related{Span: sp, Message: "it would have to be here"})
				break
			}
		}
		return d
	}
	if c.at.field != nil && hasEmbed(c.at.field) {
		return &ir.Diagnostic{} // which was reported
	}
	if fails(c.fails) {
		return e.sayFailing(c.ref, c.fails, c.from, n)
	}
	if c.circle {
		return e.sayCircle(n, c.at)
	}
	if c.choice != nil {
		m := &node{name: last(c.path), value: ref}
		return e.openMistake(c.valueIn(e.root), m, c.choice)
	}
	at, has := e.sources.span(c.at.expr), "value"
	if c.elems {
		has = "elements"
	}
	word := e.sources.text(at)
	if at.IsZero() {
		at = ref
	}
	name := c.name
	if c.at.field != nil {
		if s := labelText(c.at.field.Label); s != "the field" {
			name = s
		}
	}
	var d *ir.Diagnostic
	switch tag := tagOf(c.at.field); {
	case tag != nil:
		_, body := tag.Split()
		d = e.report(at, n, "%s gets its value from a command line, by @tag(%s), and retryc gives none: what a policy says must not depend on who runs it", name, body)
		e.tagsSaid[e.sources.span(tag)] = true
	case c.ref == c.at.expr:
		d = e.report(at, n, "%s has no %s: it only says what they may be", clip(name), has)
	case word == "_":
		d = e.report(at, n, "%s has no %s: _ stands for any", name, has)
	case word == "" || len(word) > 40 || strings.Contains(word, "\n"):
		d = e.report(at, n, "%s has no %s: this only says what it may be", name, has)
	default:
		d = e.report(at, n, "%s has no %s: %s only says what it may be", name, has, word)
	}
	if ref != at {
		d.Related = append([]ir.Related{{Span: ref, Message: what + " on it"}}, d.Related...)
	}
	return d
}

func tagOf(f *ast.Field) *ast.Attribute {
	if f == nil {
		return nil
	}
	for _, a := range f.Attrs {
		if name, _ := a.Split(); name == "tag" {
			return a
		}
	}
	return nil
}
