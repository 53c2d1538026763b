package compiler_test

import (
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"
)

// A written is one field, or one element of a list, as a file has it. The tests
// read files by themselves: what the compiler believes must not judge it.
type written struct {
	name          string // of a field; of an element ""
	label         stretch
	value         stretch
	kind          string // of a literal: "string", "bytes", "number", "bool", "null", "struct", "list"; "" for the rest
	around        *written
	inside        []*written
	open          bool // a struct in braces, which fields can be added to
	field, inList bool
}

// stretch is a part of a text, in bytes.
type stretch struct{ from, to int }

func (s stretch) has(o stretch) bool { return s.from <= o.from && o.to <= s.to }

// read returns the top of a file as a struct; what a mistake of syntax has left of
// it where whole is false.
func read(name string, text []byte) (top *written, whole bool) {
	f, err := parser.ParseFile(name, text, parser.ParseComments)
	top = &written{kind: "struct", value: stretch{0, len(text)}, open: true}
	if f != nil {
		top.declarations(f.Decls)
	}
	return top, err == nil
}

func at(n ast.Node) stretch { return stretch{n.Pos().Offset(), n.End().Offset()} }

func (w *written) add(x *written) *written {
	x.around = w
	w.inside = append(w.inside, x)
	return x
}

func (w *written) declarations(decls []ast.Decl) {
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.Field:
			name, _, err := ast.LabelName(d.Label)
			if err != nil {
				name = ""
			}
			w.add(&written{name: name, field: true, label: at(d.Label)}).expression(d.Value)
		case *ast.LetClause:
			w.add(&written{name: "let " + d.Ident.Name, label: at(d)}).expression(d.Expr)
		case *ast.Comprehension:
			if st, ok := d.Value.(*ast.StructLit); ok {
				w.add(&written{label: at(d)}).expression(st)
			}
		case *ast.EmbedDecl:
			w.add(&written{label: at(d)}).expression(d.Expr)
		}
	}
}

func (w *written) expression(e ast.Expr) {
	w.value = at(e)
	switch e := e.(type) {
	case *ast.BasicLit:
		switch {
		case e.Kind == token.STRING && (e.Value[0] == '\'' || len(e.Value) > 1 && e.Value[0] == '#' && e.Value[1] == '\''):
			w.kind = "bytes"
		case e.Kind == token.STRING:
			w.kind = "string"
		case e.Kind == token.INT || e.Kind == token.FLOAT:
			w.kind = "number"
		case e.Kind == token.TRUE || e.Kind == token.FALSE:
			w.kind = "bool"
		case e.Kind == token.NULL:
			w.kind = "null"
		}
	case *ast.Interpolation:
		w.kind = "string"
	case *ast.UnaryExpr:
		if x, ok := e.X.(*ast.BasicLit); ok && e.Op == token.SUB && (x.Kind == token.INT || x.Kind == token.FLOAT) {
			w.kind = "number"
		}
	case *ast.StructLit:
		w.kind, w.open = "struct", e.Lbrace.IsValid()
		w.declarations(e.Elts)
	case *ast.ListLit:
		w.kind = "list"
		for _, x := range e.Elts {
			if _, ok := x.(*ast.Ellipsis); !ok {
				w.add(&written{inList: true, label: at(x)}).expression(x)
			}
		}
	case *ast.BinaryExpr:
		for _, x := range []ast.Expr{e.X, e.Y} {
			w.add(&written{label: at(x)}).expression(x)
		}
		w.kind = ""
	case *ast.ParenExpr:
		w.add(&written{label: at(e.X)}).expression(e.X)
	}
}

// at returns the innermost field or element that a stretch is in.
func (w *written) at(s stretch) *written {
	for _, x := range w.inside {
		if x.label.has(s) || x.value.has(s) || (stretch{x.label.from, x.value.to}).has(s) {
			return x.at(s)
		}
	}
	return w
}

// child returns the field of a struct, or nil.
func (w *written) child(name string) *written {
	for _, x := range w.inside {
		if x.field && x.name == name {
			return x
		}
	}
	return nil
}
