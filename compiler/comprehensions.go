package compiler

// What comprehensions make, as far as it can be told from the syntax.

import (
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// body is one round of a comprehension.
type body struct {
	decls []ast.Decl
	value ast.Expr
	in    *scope
	under []condition
}

// element is what a round adds to a list: of "{x}", x.
func (b body) element(via []ast.Node) contribution {
	if len(b.decls) == 1 {
		if d, ok := b.decls[0].(*ast.EmbedDecl); ok {
			return contribution{expr: d.Expr, in: b.in, via: via}
		}
	}
	return contribution{expr: b.value, in: b.in.parent, via: via}
}

// bodies unrolls a comprehension as far as its sources can be followed.
// Conditions are taken to hold: what an evaluated value lacks is not asked for.
func (l *locator) bodies(c *ast.Comprehension, in *scope) []body {
	s, ok := c.Value.(*ast.StructLit)
	if !ok {
		return nil
	}
	var out []body
	var under []condition
	l.clauses(c, in, func(x ast.Expr, in *scope, loop bool) {
		if !loop {
			under = append(under, condition{x, in})
		}
	}, func(in *scope) {
		b := body{decls: s.Elts, value: c.Value, in: &scope{parent: in, decls: s.Elts}}
		for _, u := range under {
			if in.isWithin(u.in) { // not of another round
				b.under = append(b.under, u)
			}
		}
		out = append(out, b)
	})
	return out
}

// clauses goes through a comprehension: visit sees what each clause asks, and
// whether it goes over it; round is called with the scope of each round.
func (l *locator) clauses(c *ast.Comprehension, in *scope, visit func(x ast.Expr, in *scope, loop bool), round func(in *scope)) {
	if l.unrolling[c] {
		return // it goes over what it makes
	}
	if l.unrolling == nil {
		l.unrolling = map[*ast.Comprehension]bool{}
	}
	l.unrolling[c] = true
	defer delete(l.unrolling, c)
	scopes := []*scope{in}
	for _, clause := range c.Clauses {
		var next []*scope
		for _, s := range scopes {
			if l.steps++; l.steps > mostSteps {
				break
			}
			switch clause := clause.(type) {
			case *ast.ForClause:
				visit(clause.Source, s, true)
				next = append(next, l.rounds(clause, s)...)
			case *ast.LetClause:
				next = append(next, s.with(clause.Ident.Name, variable{values: []contribution{{expr: clause.Expr, in: s}}}))
			case *ast.IfClause:
				visit(clause.Condition, s, false)
				next = append(next, s)
			default:
				next = append(next, s)
			}
		}
		scopes = next
	}
	for _, s := range scopes {
		round(s)
	}
}

func (l *locator) rounds(f *ast.ForClause, in *scope) []*scope {
	var out []*scope
	source := l.resolveDeep(f.Source, in)
	for _, k := range l.keys(source) {
		if l.steps++; l.steps > mostSteps {
			break
		}
		s := in
		if f.Key != nil {
			s = s.with(f.Key.Name, variable{text: k.text, label: k.label})
		}
		if f.Value != nil {
			values := l.child(source, k.text)
			v := variable{values: values}
			if len(values) == 1 {
				if text, where, ok := l.staticText(values[0].expr, values[0].in); ok {
					v.text, v.label = text, where
				}
			}
			s = s.with(f.Value.Name, v)
		}
		out = append(out, s)
	}
	return out
}

type key struct {
	text  string
	label ast.Node
}

// keys lists the names of the fields, or the indices, of values.
func (l *locator) keys(of []contribution) []key {
	var out []key
	seen := map[string]bool{}
	put := func(text string, label ast.Node) {
		if !seen[text] {
			seen[text] = true
			out = append(out, key{text, label})
		}
	}
	var fromDecls func(decls []ast.Decl, in *scope)
	fromDecls = func(decls []ast.Decl, in *scope) {
		if l.steps++; l.steps > mostSteps {
			return
		}
		for _, d := range decls {
			switch d := d.(type) {
			case *ast.Field:
				if _, ok := d.Label.(*ast.ListLit); ok || d.Constraint != token.ILLEGAL {
					continue
				}
				if text, where, ok := l.labelText(d.Label, in); ok && !strings.HasPrefix(text, "_") && !strings.HasPrefix(text, "#") {
					if where == nil {
						where = d.Label
					}
					put(text, where)
				}
			case *ast.EmbedDecl:
				for _, k := range l.keys(l.expand(contribution{expr: d.Expr, in: in})) {
					put(k.text, k.label)
				}
			case *ast.Comprehension:
				for _, b := range l.bodies(d, in) {
					fromDecls(b.decls, b.in)
				}
			}
		}
	}
	for _, c := range of {
		switch e := c.expr.(type) {
		case *ast.StructLit:
			fromDecls(e.Elts, &scope{parent: c.in, decls: e.Elts})
		case *ast.ListLit:
			at := 0
			for _, x := range e.Elts {
				switch x := x.(type) {
				case *ast.Ellipsis:
				case *ast.Comprehension:
					for _, b := range l.bodies(x, c.in) {
						put(itoa(at), b.value)
						at++
					}
				default:
					put(itoa(at), x)
					at++
				}
			}
		}
	}
	return out
}

// labelText is the name of a field; where is set when the name is written
// somewhere else.
func (l *locator) labelText(label ast.Label, in *scope) (text string, where ast.Node, ok bool) {
	switch x := label.(type) {
	case *ast.Ident:
		return x.Name, nil, true
	case *ast.BasicLit:
		s, ok := literalString(x)
		return s, nil, ok
	case *ast.Alias:
		if inner, ok := x.Expr.(ast.Label); ok {
			return l.labelText(inner, in)
		}
	case *ast.ParenExpr:
		return l.staticText(x.X, in)
	case *ast.Interpolation:
		return l.staticText(x, in)
	}
	return "", nil, false
}

// staticText evaluates the few string expressions that labels are made of.
func (l *locator) staticText(e ast.Expr, in *scope) (text string, where ast.Node, ok bool) {
	if l.steps++; l.steps > mostSteps {
		return "", nil, false
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return l.staticText(e.X, in)
	case *ast.BasicLit:
		s, ok := literalString(e)
		return s, e, ok
	case *ast.Ident:
		for s := in; s != nil; s = s.parent {
			if v, ok := s.vars[e.Name]; ok {
				if v.text != "" {
					return v.text, v.label, true
				}
				break
			}
		}
		return l.firstText(e, in)
	case *ast.SelectorExpr, *ast.IndexExpr:
		return l.firstText(e, in)
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			a, w, ok1 := l.staticText(e.X, in)
			b, w2, ok2 := l.staticText(e.Y, in)
			if w == nil {
				w = w2
			}
			return a + b, w, ok1 && ok2
		}
	case *ast.Interpolation:
		for i, x := range e.Elts {
			if i%2 == 1 {
				s, w, ok := l.staticText(x, in)
				if !ok {
					return "", nil, false
				}
				if where == nil {
					where = w
				}
				text += s
				continue
			}
			lit, ok := x.(*ast.BasicLit)
			if !ok {
				return "", nil, false
			}
			part := lit.Value
			if i == 0 {
				part = strings.TrimPrefix(part, `"`)
			} else {
				part = strings.TrimPrefix(part, ")")
			}
			if i == len(e.Elts)-1 {
				part = strings.TrimSuffix(part, `"`)
			} else {
				part = strings.TrimSuffix(part, `\(`)
			}
			text += part
		}
		return text, where, true
	}
	return "", nil, false
}

// firstText is the text that references lead to; of a choice, its default.
func (l *locator) firstText(e ast.Expr, in *scope) (text string, where ast.Node, ok bool) {
	of := l.resolveDeep(e, in)
	if c, found := l.joined(l.resolve(e, in), token.OR); found {
		def := defaultOf(c.expr)
		if def == nil {
			return "", nil, false // nobody can say which
		}
		of = l.expand(contribution{expr: def, in: c.in})
	}
	for _, c := range of {
		if s, ok := stringOf(c.expr); ok {
			return s, c.expr, true
		}
	}
	return "", nil, false
}

// defaultOf is the marked one of some alternatives, or nil.
func defaultOf(x ast.Expr) ast.Expr {
	switch x := bare(x).(type) {
	case *ast.UnaryExpr:
		if x.Op == token.MUL {
			return x.X
		}
	case *ast.BinaryExpr:
		if x.Op == token.OR {
			if d := defaultOf(x.X); d != nil {
				return d
			}
			return defaultOf(x.Y)
		}
	}
	return nil
}

func stringOf(e ast.Expr) (string, bool) {
	if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		return literalString(lit)
	}
	return "", false
}
