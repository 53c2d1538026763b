package compiler

// What names mean, as CUE scopes them.

import (
	"cuelang.org/go/cue/ast"
)

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

func (p *pkgFiles) scopeOf(f *ast.File) *scope {
	return &scope{parent: &scope{pkg: p}, file: f}
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
					return []contribution{{label: a.Ident, field: d, decl: d, expr: d.Value, in: in}}
				}
				if l, ok := a.Expr.(ast.Label); ok {
					label = l
				}
			}
			if d.Alias != nil && d.Alias.Field != nil && d.Alias.Field.Name == name {
				return []contribution{{label: d.Label, field: d, decl: d, expr: d.Value, in: in}}
			}
			if id, ok := label.(*ast.Ident); ok && id.Name == name && d.Value != nil {
				out = append(out, contribution{label: id, field: d, decl: d, expr: d.Value, in: in})
			}
			if a, ok := d.Value.(*ast.Alias); ok && a.Ident.Name == name {
				return []contribution{{label: d.Label, field: d, decl: d, expr: a.Expr, in: in}}
			}
		case *ast.LetClause:
			if d.Ident.Name == name {
				return []contribution{{label: d.Ident, decl: d, expr: d.Expr, in: in}}
			}
		case *ast.Alias:
			if d.Ident.Name == name {
				return []contribution{{label: d.Ident, decl: d, expr: d.Expr, in: in}}
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

func (s *scope) with(name string, v variable) *scope {
	return &scope{parent: s, vars: map[string]variable{name: v}}
}

// isWithin reports whether a scope is another, or stands in it.
func (s *scope) isWithin(outer *scope) bool {
	for ; s != nil; s = s.parent {
		if s == outer {
			return true
		}
	}
	return false
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
