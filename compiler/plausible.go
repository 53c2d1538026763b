package compiler

// How much a text looks like a policy. Where a mistake of syntax can be mended in
// several ways, the one that makes the most sense is what was meant.

import (
	"regexp"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"
)

var (
	methodOnly  = regexp.MustCompile(`^"(?:[A-Za-z]+ |\\\()`)
	partOfName  = regexp.MustCompile(`^["\\()a-z0-9-]*$`)
	methodFirst = regexp.MustCompile(`^[A-Za-z]+ [^ ,"\\]*/[^ ,"\\]*$`)
)

// oddities counts what makes no sense in a text, weighed by how seldom people
// mean it. It knows no references: what it does not know is not odd.
type oddities struct {
	declared map[string]bool // names that the whole file may declare
	part     bool            // the text ends before its end: what is missing may follow
	count    int
}

func (o *oddities) file(f *ast.File) int {
	o.decls(f.Decls, theShape().policy, true)
	for _, id := range f.Unresolved {
		if !o.declared[id.Name] && id.Name != "_" && !slices.Contains(predeclared, id.Name) {
			o.count += 2
		}
	}
	return o.count
}

// decls looks at what stands between braces; t is what the struct is, nil where
// that is the author's own business.
func (o *oddities) decls(list []ast.Decl, t *typ, top bool) {
	names := map[string]bool{}
	whole := t != nil && t.kind == structType && !top // it says all of its fields itself
	for _, d := range list {
		switch d := d.(type) {
		case *ast.Field:
			name, plain := plainLabel(d)
			if plain {
				if names[name] && t != nil && t.kind == structType && !top {
					o.count++
				}
				names[name] = true
			}
			o.label(d.Label)
			o.value(d.Value, o.typeOf(d, name, plain, t, top))
		case *ast.EmbedDecl:
			whole = false
			o.embedded(d.Expr, t, top)
		case *ast.LetClause:
			o.value(d.Expr, nil)
		case *ast.Comprehension:
			whole = false
			o.comprehension(d, t, top)
		case *ast.BadDecl:
			o.count += 5
		case *ast.Ellipsis:
			if top {
				o.count += 2
			}
		}
	}
	if !whole || o.part {
		return
	}
	for _, f := range t.fields {
		if f.required && !names[f.name] {
			o.count++
		}
	}
	if t == theShape().class && !names["http"] && !names["grpc"] && !names["task"] {
		o.count++
	}
}

// typeOf is what a field holds, and counts names that nobody gives.
func (o *oddities) typeOf(d *ast.Field, name string, plain bool, t *typ, top bool) *typ {
	class := theShape().class
	switch {
	case !plain:
		if id, ok := d.Label.(*ast.Ident); ok && strings.HasPrefix(id.Name, "#") && t != nil && !top && t.kind == mapType {
			o.count += 2
		} else if ok && strings.HasPrefix(id.Name, "#") && t != nil && !top && t.kind == structType {
			o.count += 2
		}
		if s, ok := d.Value.(*ast.StructLit); ok && looksLikeClass(s) {
			return &typ{kind: structType, fields: optional(class)}
		}
		return nil
	case t == nil:
		return nil
	case t.kind == mapType:
		if t.elem == class {
			if reason, _ := scalars["#ClassName"].check(&node{text: name}); reason != "" {
				o.count += 2
			}
			if class.field(name) != nil {
				o.count += 3
			}
		}
		return t.elem
	case t.kind == unionType:
		return o.typeOf(d, name, plain, t.body, top)
	case t.kind != structType:
		o.count += 2
		return nil
	}
	if f := t.field(name); f != nil {
		return f.typ
	}
	o.count += 2
	if top && class.field(name) != nil {
		o.count++
	}
	return nil
}

// optional is the fields of a type with none required: of what is shared, the
// rest may stand elsewhere.
func optional(t *typ) []*fieldType {
	out := make([]*fieldType, len(t.fields))
	for i, f := range t.fields {
		out[i] = &fieldType{name: f.name, typ: f.typ}
	}
	return out
}

// looksLikeClass reports whether most fields of a struct are those of a class.
func looksLikeClass(s *ast.StructLit) bool {
	known, other := 0, 0
	for _, d := range s.Elts {
		if f, ok := d.(*ast.Field); ok {
			if name, plain := plainLabel(f); plain && theShape().class.field(name) != nil {
				known++
			} else if plain {
				other++
			}
		}
	}
	return known > other
}

func (o *oddities) label(l ast.Label) {
	switch l := l.(type) {
	case *ast.Interpolation:
		o.interpolation(l)
		for _, e := range l.Elts {
			if text, ok := e.(*ast.BasicLit); ok && !partOfName.MatchString(text.Value) {
				o.count += 2
			}
		}
	case *ast.ParenExpr:
		o.value(l.X, nil)
	case *ast.Alias:
		o.count += 4
	case *ast.Ident:
		if l.Name == "#" || l.Name == "_#" || l.Name == "_" {
			o.count += 3
		}
	case *ast.BasicLit:
		if l.Kind == token.STRING && strings.ContainsAny(l.Value, " :,{}") {
			o.count++
		}
	}
}

func (o *oddities) embedded(x ast.Expr, t *typ, top bool) {
	switch x := x.(type) {
	case *ast.Ident:
		if x.Name == "class" || t != nil && t.field(x.Name) != nil || theShape().class.field(x.Name) != nil || theShape().policy.field(x.Name) != nil {
			o.count += 3
		}
	case *ast.SelectorExpr, *ast.CallExpr, *ast.IndexExpr:
		o.value(x, nil)
	case *ast.BinaryExpr:
		if x.Op != token.AND {
			o.count += 3
		}
		o.value(x, t)
	case *ast.StructLit:
		o.count += 3
		o.decls(x.Elts, t, top)
	case *ast.Comprehension:
		o.comprehension(x, t, top)
	default:
		o.count += 4
		o.value(x, nil)
	}
}

func (o *oddities) comprehension(c *ast.Comprehension, t *typ, top bool) {
	for _, clause := range c.Clauses {
		switch clause := clause.(type) {
		case *ast.ForClause:
			switch clause.Source.(type) {
			case *ast.BasicLit, *ast.Interpolation:
				o.count += 3
			}
			o.value(clause.Source, nil)
		case *ast.IfClause:
			switch x := clause.Condition.(type) {
			case *ast.BasicLit:
				if x.Kind != token.TRUE && x.Kind != token.FALSE {
					o.count += 3
				}
			case *ast.StructLit, *ast.ListLit:
				o.count += 3
			}
			o.value(clause.Condition, nil)
		case *ast.LetClause:
			o.value(clause.Expr, nil)
		}
	}
	if s, ok := c.Value.(*ast.StructLit); ok {
		if t != nil && t.kind == structType && !top {
			t = &typ{kind: structType, fields: optional(t)}
		}
		o.decls(s.Elts, t, top)
	} else {
		o.count += 4
	}
}

func (o *oddities) value(x ast.Expr, t *typ) {
	switch x := x.(type) {
	case nil:
	case *ast.BadExpr:
		o.count += 5
	case *ast.StructLit:
		if t != nil && (t.kind == scalarType || t.kind == listType) {
			o.count += 2
			t = nil
		}
		if t != nil && t.kind == unionType {
			t = t.body
		}
		if t != nil && t.kind == structType && x.Lbrace == token.NoPos { // one field a line
			t = &typ{kind: structType, fields: optional(t)}
		}
		o.decls(x.Elts, t, false)
	case *ast.ListLit:
		var elem *typ
		if t != nil {
			if t.kind == listType {
				elem = t.elem
			} else {
				o.count += 2
			}
		}
		for _, e := range x.Elts {
			if c, ok := e.(*ast.Comprehension); ok {
				o.comprehension(c, nil, false)
				continue
			}
			o.value(e, elem)
		}
	case *ast.BasicLit:
		o.literal(x, t)
	case *ast.Interpolation:
		o.interpolation(x)
		if first, ok := x.Elts[0].(*ast.BasicLit); ok && t != nil && t.name == "#HTTPPattern" && !methodOnly.MatchString(first.Value) {
			o.count += 2
		}
	case *ast.ParenExpr:
		o.value(x.X, t)
	case *ast.SelectorExpr:
		if _, literal := x.X.(*ast.BasicLit); literal {
			o.count += 3
		}
		o.value(x.X, nil)
	case *ast.IndexExpr:
		if _, literal := x.X.(*ast.BasicLit); literal {
			o.count += 3
		}
		o.value(x.X, nil)
		o.value(x.Index, nil)
	case *ast.CallExpr:
		switch x.Fun.(type) {
		case *ast.Ident, *ast.SelectorExpr:
		default:
			o.count += 3
		}
		o.value(x.Fun, nil)
		for _, a := range x.Args {
			o.value(a, nil)
		}
	case *ast.UnaryExpr:
		switch x.Op {
		case token.MUL, token.NOT:
		case token.ADD, token.SUB:
			if t != nil {
				o.count++
			}
			t = nil
		default:
			t = nil // a constraint
		}
		o.value(x.X, t)
	case *ast.BinaryExpr:
		switch x.Op {
		case token.AND, token.OR:
		case token.ADD, token.MUL:
			t = nil
		case token.EQL, token.NEQ, token.LAND, token.LOR, token.MAT, token.NMAT, token.LSS, token.GTR, token.LEQ, token.GEQ:
			if t != nil {
				o.count += 2
			}
			t = nil
		default:
			o.count += 2
			t = nil
		}
		o.value(x.X, t)
		o.value(x.Y, t)
	case *ast.Alias:
		o.count += 3
		o.value(x.Expr, t)
	}
}

// pairedIn reports whether the parentheses of a text come in pairs.
func pairedIn(s string) bool {
	depth := 0
	for _, r := range s {
		switch r {
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}

func (o *oddities) interpolation(x *ast.Interpolation) {
	for _, e := range x.Elts {
		if text, ok := e.(*ast.BasicLit); !ok {
			o.value(e, nil)
		} else if strings.Contains(text.Value, `\"`) {
			o.count += 2
		}
	}
}

func (o *oddities) literal(x *ast.BasicLit, t *typ) {
	s, err := literal.Unquote(x.Value)
	text := x.Kind == token.STRING && err == nil
	if strings.HasPrefix(x.Value, "'") {
		o.count++
	}
	if strings.Contains(x.Value, `\"`) || !pairedIn(x.Value) {
		o.count += 3
	}
	if t != nil && t.kind == unionType {
		t = t.text
	}
	switch {
	case t == nil:
		if text && strings.ContainsAny(s, ":,{}\"") {
			o.count++
		}
		return
	case t.kind != scalarType:
		o.count += 2
		return
	case t.words != nil:
		if !text || !slices.Contains(t.words, s) {
			o.count += 2
		}
		return
	}
	if t.name == "#HTTPPattern" && text && !methodFirst.MatchString(s) {
		o.count += 2
	}
	n := reader{sources{}}.value(x)
	if n == nil || n.kind != scalarKind(t) {
		o.count += 2
		return
	}
	if check := scalars[t.name].check; check != nil {
		if reason, _ := check(n); reason != "" {
			o.count += 2
		}
	}
	if text && (strings.Contains(s, `": `) || strings.Contains(s, ": ") || strings.Contains(s, `", `)) {
		o.count++
	}
}
