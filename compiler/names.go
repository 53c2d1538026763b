package compiler

// Which names a reference could have meant.

import (
	"strings"

	"cuelang.org/go/cue/ast"
)

// namesInScope lists what is declared around a reference, besides the fields of
// the package: lets, aliases, the variables of loops, and the fields beside it.
func namesInScope(f *ast.File, id *ast.Ident) map[string]bool {
	out := map[string]bool{}
	declared := func(decls []ast.Decl, fields bool) {
		for _, d := range decls {
			switch d := d.(type) {
			case *ast.LetClause:
				out[d.Ident.Name] = true
			case *ast.Alias:
				out[d.Ident.Name] = true
			case *ast.Field:
				if a, ok := d.Label.(*ast.Alias); ok {
					out[a.Ident.Name] = true
				}
				if a, ok := d.Value.(*ast.Alias); ok {
					out[a.Ident.Name] = true
				}
				if label, ok := d.Label.(*ast.Ident); ok && fields {
					out[label.Name] = true
				}
			}
		}
	}
	declared(f.Decls, false)
	around := func(n ast.Node) bool {
		return n.Pos().Offset() <= id.Pos().Offset() && id.End().Offset() <= n.End().Offset()
	}
	ast.Walk(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.File:
			return true
		case *ast.StructLit:
			if around(n) {
				declared(n.Elts, true)
			}
		case *ast.Comprehension:
			if around(n) {
				for _, c := range n.Clauses {
					if around(c) {
						break // its own variables are not there yet
					}
					switch c := c.(type) {
					case *ast.ForClause:
						for _, v := range []*ast.Ident{c.Key, c.Value} {
							if v != nil {
								out[v.Name] = true
							}
						}
					case *ast.LetClause:
						out[c.Ident.Name] = true
					}
				}
			}
		}
		return around(n)
	}, nil)
	for name := range out {
		if name == "_" || strings.HasPrefix(name, "_retryc") {
			delete(out, name)
		}
	}
	return out
}
