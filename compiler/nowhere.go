package compiler

// Values that lead nowhere: to themselves, to what is not there, to no value.

import (
	"fmt"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	cueerrors "cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/token"

	"github.com/retryc/retryc/compiler/ir"
)

// cycle reports a value that leads back to itself.
func (e *evaluator) cycle(n *node, from []contribution) *ir.Diagnostic {
	at, steps := e.loop(from)
	if at.IsZero() {
		if at, name := e.containsItself(from); !at.IsZero() {
			return e.report(at, n, "%s contains itself, so it never ends", name)
		}
		return e.report(n.value, n, "%s leads back to itself, so it has no value", n.name)
	}
	d := e.report(at, n, "%s leads back to itself, so it has no value", e.sources.text(at))
	byWayOf(d, steps)
	return d
}

func byWayOf(d *ir.Diagnostic, steps []ir.Span) {
	for _, s := range steps {
		if s != d.Span {
			d.Related = append(d.Related, ir.Related{Span: s, Message: "by way of this"})
		}
	}
}

// containsItself finds a reference within the very struct that it refers to.
func (e *evaluator) containsItself(from []contribution) (at ir.Span, name string) {
	l := &locator{}
	for _, c := range from {
		for _, x := range append(l.embedded(l.expand(c)), c) {
			in := &scope{parent: x.in}
			if s, ok := x.expr.(*ast.StructLit); ok {
				in.decls = s.Elts
			}
			ast.Walk(x.expr, func(n ast.Node) bool {
				ref, ok := n.(ast.Expr)
				switch ref.(type) {
				case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
				default:
					ok = false
				}
				if !ok || !at.IsZero() {
					return at.IsZero()
				}
				for _, r := range l.resolve(ref, in) {
					span := e.sources.span(r.expr)
					here := e.sources.span(ref)
					if span.File == here.File && span.Start.Offset <= here.Start.Offset && here.End.Offset <= span.End.Offset && span != here {
						at, name = here, e.wording(ref)
					}
				}
				return false
			}, nil)
		}
	}
	return at, name
}

// embedded adds the structs that are embedded in structs.
func (l *locator) embedded(of []contribution) []contribution {
	for i := 0; i < len(of) && i < 100; i++ {
		s, ok := of[i].expr.(*ast.StructLit)
		if !ok {
			continue
		}
		in := &scope{parent: of[i].in, decls: s.Elts}
		for _, d := range s.Elts {
			if embed, ok := d.(*ast.EmbedDecl); ok {
				of = append(of, l.expand(contribution{expr: embed.Expr, in: in})...)
			}
		}
	}
	return of
}

// loop follows references until one comes twice. The first place, in order of
// the files, stands for the cycle, so that it is one mistake wherever it is
// entered.
func (e *evaluator) loop(from []contribution) (at ir.Span, steps []ir.Span) {
	l := &locator{}
	seen := map[ast.Node]int{} // the length of the path, on it; -1: leads nowhere
	var path []ast.Node
	var visit func(c contribution) bool
	visit = func(c contribution) bool {
		for _, r := range references(c.expr) {
			switch i, known := seen[r]; {
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
			seen[r] = len(path)
			path = append(path, r)
			for _, next := range l.resolve(r, c.in) {
				if l.steps < mostSteps && visit(next) {
					return true
				}
			}
			path = path[:len(path)-1]
			seen[r] = -1
		}
		return false
	}
	for _, c := range from {
		if visit(c) {
			return at, steps
		}
	}
	return ir.Span{}, nil
}

// references lists the references that the value of an expression needs: not
// those within the fields of a struct, which have values of their own.
func references(x ast.Expr) []ast.Expr {
	var out []ast.Expr
	var visit func(x ast.Expr)
	visit = func(x ast.Expr) {
		switch x := x.(type) {
		case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
			out = append(out, x)
		case *ast.ParenExpr:
			visit(x.X)
		case *ast.Alias:
			visit(x.Expr)
		case *ast.UnaryExpr:
			visit(x.X)
		case *ast.BinaryExpr:
			visit(x.X)
			visit(x.Y)
		case *ast.CallExpr:
			for _, a := range x.Args {
				visit(a)
			}
		case *ast.Interpolation:
			for i, e := range x.Elts {
				if i%2 == 1 {
					visit(e)
				}
			}
		case *ast.StructLit:
			for _, d := range x.Elts {
				if e, ok := d.(*ast.EmbedDecl); ok {
					visit(e.Expr)
				}
			}
		}
	}
	visit(x)
	return out
}

// noField reports a selector that leads nowhere.
func (e *evaluator) noField(x cueerrors.Error, name string, n *node, from []contribution) {
	name = strings.Trim(name, `"`)
	d := e.say(x, n, "there is no field %q here", name)
	l := &locator{}
	for _, c := range from {
		for _, t := range l.expand(c) {
			found := false
			ast.Walk(t.expr, func(x ast.Node) bool {
				sel, ok := x.(*ast.SelectorExpr)
				if !ok || found {
					return !found
				}
				if s, _, _ := ast.LabelName(sel.Sel); s != name {
					return true
				}
				found = true
				e.missingField(d, sel, t.in)
				return false
			}, nil)
		}
	}
}

// missingField words that a selector leads nowhere.
func (e *evaluator) missingField(d *ir.Diagnostic, sel *ast.SelectorExpr, in *scope) {
	l := &locator{}
	name, _, _ := ast.LabelName(sel.Sel)
	d.Span = e.sources.span(sel.Sel)
	d.Message = fmt.Sprintf("%s has no field %q", e.wording(sel.X), name)
	var names []string
	for _, k := range l.keys(l.resolveDeep(sel.X, in)) {
		names = append(names, k.text)
	}
	if id, ok := sel.X.(*ast.Ident); ok {
		if p := in.imported(id.Name); p != nil {
			for _, f := range p.files {
				names = append(names, topNames(f)...)
			}
			d.Message = fmt.Sprintf("package %s has no %s", id.Name, name)
		}
	}
	if m := near(name, names); m != "" {
		d.Message += fmt.Sprintf("; did you mean %q?", m)
		d.Fix = &ir.Fix{Title: "write " + m, Edits: []ir.Edit{{Span: d.Span, Text: m}}}
	}
}

func topNames(f *ast.File) []string {
	var out []string
	for _, d := range f.Decls {
		if field, ok := d.(*ast.Field); ok {
			if name, _, err := ast.LabelName(field.Label); err == nil {
				out = append(out, name)
			}
		}
	}
	return out
}

// openMistake reports a value that is only constrained, or left to choose.
func (e *evaluator) openMistake(v cue.Value, n *node, from []contribution) *ir.Diagnostic {
	if at, _ := e.loop(from); !at.IsZero() {
		return e.cycle(n, from)
	}
	name := n.name
	if n.own != "" {
		name = n.own
	}
	if op, args := cue.Dereference(v).Expr(); op == cue.OrOp && len(args) > 1 {
		var words []string
		for _, a := range args {
			words = append(words, clip(fmt.Sprint(a)))
		}
		m := *n
		if c, ok := (&locator{}).joined(from, token.OR); ok {
			m.value = e.sources.span(c.expr)
			e.hold(&m, c)
		}
		d := e.report(m.value, n, "%s is left open between %s", name, enumerate(words))
		right := "*" + strings.Join(words, " | ")
		d.Help = []string{e.sources.rewritten(&m, right, name+": "+right)}
		return d
	}
	word := "this"
	if texts := e.textsOf(from); len(texts) > 0 {
		word = texts[0].word()
	}
	if c, ok := (&locator{}).joined(from, token.AND); ok && isBounds(c.expr) {
		m := *n
		m.value, word = e.sources.span(c.expr), clip(e.wording(c.expr))
		e.hold(&m, c)
		n = &m
	}
	if word == "_" {
		return e.report(n.value, n, "%s has no value: _ stands for any", name)
	}
	d := e.report(n.value, n, "%s has no value: %s only says what it may be", name, word)
	if ex := exampleOf(strings.TrimPrefix(e.path(v), ".")); ex != "" {
		d.Help = []string{e.sources.rewritten(n, ex, n.name+": "+ex)}
	}
	return d
}

// isBounds reports whether a text is nothing but types and bounds.
func isBounds(x ast.Expr) bool {
	if b, ok := bare(x).(*ast.BinaryExpr); ok && b.Op == token.AND {
		return isBounds(b.X) && isBounds(b.Y)
	}
	return isOpenIn(bare(x), false)
}

// joined finds the text in which a value's alternatives, or its constraints, are
// put together, by whatever references it came.
func (l *locator) joined(from []contribution, op token.Token) (contribution, bool) {
	if l.steps++; l.steps > mostSteps {
		return contribution{}, false
	}
	for _, c := range from {
		switch x := bare(c.expr).(type) {
		case *ast.BinaryExpr:
			if x.Op == op {
				c.expr = x
				return c, true
			}
		case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
			found := l.resolve(x, c.in)
			for i := range found {
				found[i].via = add(c.via, x)
			}
			if d, ok := l.joined(found, op); ok {
				return d, true
			}
		}
	}
	return contribution{}, false
}

// bare is an expression without parentheses around it.
func bare(x ast.Expr) ast.Expr {
	for {
		p, ok := x.(*ast.ParenExpr)
		if !ok {
			return x
		}
		x = p.X
	}
}

// isChoice reports whether a text is a choice, not what it refers to.
func isChoice(c contribution) bool {
	b, ok := bare(c.expr).(*ast.BinaryExpr)
	return ok && b.Op == token.OR
}

// path is the path of a value within its class, or within the set.
func (e *evaluator) path(v cue.Value) string {
	var names []string
	for _, s := range v.Path().Selectors() {
		if s.LabelType() == cue.StringLabel {
			names = append(names, s.Unquoted())
		} else {
			names = append(names, s.String())
		}
	}
	if len(names) >= 2 && names[0] == "class" {
		names = names[2:]
	}
	return strings.Join(names, ".")
}
