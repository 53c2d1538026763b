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

	// around is the field whose only one, without braces, this is: "class" in
	// "class: charge: {…}".
	around *ast.Field
}

// scope is what names mean at one place.
type scope struct {
	parent *scope
	decls  []ast.Decl // of a struct
	vars   map[string]variable
	pkg    *pkgFiles  // outermost: all files of the package
	file   *ast.File  // next to outermost: the imports of the file
	lets   []ast.Decl // of the file, once they have been looked for
}

// variable is bound by a comprehension, an alias or a let.
type variable struct {
	values []contribution
	text   string   // the name that a key variable stands for
	label  ast.Node // where that name is written
}

// pkgFiles is a package as far as names go.
type pkgFiles struct {
	files   []*ast.File
	imports func(path string) *pkgFiles

	// Large sets have thousands of declarations at the top, so names are looked
	// up in an index: by label, and those whose names are made.
	byName map[string][]placed
	made   []placed
}

// placed is a declaration and the scope it stands in.
type placed struct {
	decl ast.Decl
	in   *scope
}

func (p *pkgFiles) index() {
	if p.byName != nil {
		return
	}
	p.byName = map[string][]placed{}
	for _, f := range p.files {
		in := p.scopeOf(f)
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.Field:
				switch label := d.Label.(type) {
				case *ast.Ident:
					p.byName[label.Name] = append(p.byName[label.Name], placed{d, in})
					continue
				case *ast.BasicLit:
					if name, ok := literalString(label); ok {
						p.byName[name] = append(p.byName[name], placed{d, in})
						continue
					}
				}
				p.made = append(p.made, placed{d, in})
			case *ast.EmbedDecl, *ast.Comprehension:
				p.made = append(p.made, placed{d, in})
			}
		}
	}
}

// locator follows names with a limited number of steps: a cycle in a policy is
// CUE's to report, not a reason to hang.
type locator struct {
	steps int
}

const mostSteps = 20000

func (p *pkgFiles) scopeOf(f *ast.File) *scope {
	return &scope{parent: &scope{pkg: p}, file: f}
}

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
				out = append(out, contribution{label: label, field: d, expr: d.Value, in: at, via: add(via, d.Label)})
				continue
			}
			got, where, ok := l.labelText(d.Label, in)
			if !ok || got != name {
				continue
			}
			if where != nil {
				label = where
			}
			out = append(out, contribution{label: label, field: d, expr: d.Value, in: at, via: via})
		case *ast.EmbedDecl:
			for _, c := range l.expand(contribution{expr: d.Expr, in: in, via: via}) {
				out = append(out, l.fieldsOf(c, name)...)
			}
		case *ast.Comprehension:
			for _, b := range l.bodies(d, in) {
				out = append(out, l.fieldsIn(b.decls, b.in, via, name)...)
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
							out = append(out, contribution{expr: b.value, in: b.in, via: c.via})
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
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		var out []contribution
		for _, r := range l.resolve(e, c.in) {
			r.via = append(add(c.via, e), outside(r.via, e)...)
			r.label, r.field = c.label, c.field
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

func (l *locator) ident(name string, in *scope) []contribution {
	for s := in; s != nil; s = s.parent {
		if v, ok := s.vars[name]; ok {
			return v.values
		}
		if s.pkg != nil {
			s.pkg.index()
			var out []contribution
			for _, list := range [][]placed{s.pkg.byName[name], s.pkg.made} {
				for _, d := range list {
					out = append(out, declared([]ast.Decl{d.decl}, name, d.in)...)
				}
			}
			return out
		}
		if s.file != nil {
			// Lets and aliases are the file's own; fields are the package's.
			if s.lets == nil {
				s.lets = append([]ast.Decl{}, lets(s.file.Decls)...)
			}
			if out := declared(s.lets, name, s); out != nil {
				return out
			}
			continue
		}
		if out := declared(s.decls, name, s); out != nil {
			return out
		}
	}
	return nil
}

// declared finds the declarations of a name in one struct, in the scope of that
// struct.
func declared(decls []ast.Decl, name string, in *scope) []contribution {
	var out []contribution
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.Field:
			label := d.Label
			if a, ok := label.(*ast.Alias); ok {
				if a.Ident.Name == name {
					return []contribution{{label: a.Ident, field: d, expr: d.Value, in: in}}
				}
				if l, ok := a.Expr.(ast.Label); ok {
					label = l
				}
			}
			if d.Alias != nil && d.Alias.Field != nil && d.Alias.Field.Name == name {
				return []contribution{{label: d.Label, field: d, expr: d.Value, in: in}}
			}
			if id, ok := label.(*ast.Ident); ok && id.Name == name && d.Value != nil {
				out = append(out, contribution{label: id, field: d, expr: d.Value, in: in})
			}
			if a, ok := d.Value.(*ast.Alias); ok && a.Ident.Name == name {
				return []contribution{{label: d.Label, field: d, expr: a.Expr, in: in}}
			}
		case *ast.LetClause:
			if d.Ident.Name == name {
				return []contribution{{label: d.Ident, expr: d.Expr, in: in}}
			}
		case *ast.Alias:
			if d.Ident.Name == name {
				return []contribution{{label: d.Ident, expr: d.Expr, in: in}}
			}
		}
	}
	return out
}

func lets(decls []ast.Decl) []ast.Decl {
	var out []ast.Decl
	for _, d := range decls {
		switch d.(type) {
		case *ast.LetClause, *ast.Alias:
			out = append(out, d)
		}
	}
	return out
}

// body is one round of a comprehension.
type body struct {
	decls []ast.Decl
	value ast.Expr
	in    *scope
}

// bodies unrolls a comprehension as far as its sources can be followed.
// Conditions are taken to hold: what an evaluated value lacks is not asked for.
func (l *locator) bodies(c *ast.Comprehension, in *scope) []body {
	scopes := []*scope{in}
	for _, clause := range c.Clauses {
		var next []*scope
		for _, s := range scopes {
			switch clause := clause.(type) {
			case *ast.ForClause:
				next = append(next, l.rounds(clause, s)...)
			case *ast.LetClause:
				next = append(next, s.with(clause.Ident.Name, variable{values: []contribution{{expr: clause.Expr, in: s}}}))
			default:
				next = append(next, s)
			}
		}
		scopes = next
	}
	s, ok := c.Value.(*ast.StructLit)
	if !ok {
		return nil
	}
	var out []body
	for _, in := range scopes {
		b := body{value: c.Value, in: in}
		b.decls, b.in = s.Elts, &scope{parent: in, decls: s.Elts}
		out = append(out, b)
	}
	return out
}

func (l *locator) rounds(f *ast.ForClause, in *scope) []*scope {
	var out []*scope
	source := l.resolveDeep(f.Source, in)
	for _, k := range l.keys(source) {
		s := in
		if f.Key != nil {
			s = s.with(f.Key.Name, variable{text: k.text, label: k.label})
		}
		if f.Value != nil {
			values := l.child(source, k.text)
			v := variable{values: values}
			if len(values) == 1 {
				if text, ok := stringOf(values[0].expr); ok {
					v.text, v.label = text, values[0].expr
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
			for i, x := range e.Elts {
				if _, ok := x.(*ast.Ellipsis); !ok {
					put(itoa(i), x)
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
		return l.firstText(l.resolveDeep(e, in))
	case *ast.SelectorExpr, *ast.IndexExpr:
		return l.firstText(l.resolveDeep(e, in))
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

func (l *locator) firstText(of []contribution) (string, ast.Node, bool) {
	for _, c := range of {
		if s, ok := stringOf(c.expr); ok {
			return s, c.expr, true
		}
	}
	return "", nil, false
}

func stringOf(e ast.Expr) (string, bool) {
	if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		return literalString(lit)
	}
	return "", false
}

func (s *scope) with(name string, v variable) *scope {
	return &scope{parent: s, vars: map[string]variable{name: v}}
}

// imported returns the package that a name stands for, or nil.
func (s *scope) imported(name string) *pkgFiles {
	for ; s != nil && s.file == nil; s = s.parent {
		if _, ok := s.vars[name]; ok {
			return nil
		}
		if s.decls != nil && declared(s.decls, name, s) != nil {
			return nil
		}
	}
	if s == nil {
		return nil
	}
	for spec := range s.file.ImportSpecs() {
		path := importPath(spec)
		local := ast.ParseImportPath(path).Qualifier
		if spec.Name != nil {
			local = spec.Name.Name
		}
		if local == name && s.parent.pkg.imports != nil {
			return s.parent.pkg.imports(path)
		}
	}
	return nil
}

func importPath(spec *ast.ImportSpec) string {
	s, _ := literalString(spec.Path)
	return s
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

func index(s string) (int, bool) {
	if !isIndex(s) || len(s) > 9 {
		return 0, false
	}
	n := 0
	for _, r := range s {
		n = n*10 + int(r-'0')
	}
	return n, true
}
