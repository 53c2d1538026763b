package compiler

// Classes that an embedding brings: what is embedded at the top of a file, and
// whether it declares class.

import (
	"bytes"
	"path/filepath"

	"cuelang.org/go/cue/ast"
)

// search follows references from the top of files to the classes that they embed.
type search struct {
	tree     *tree
	packages map[string]*cuePackage // by import path
	looks    int
}

// mostLooks ends a search that cycles make grow by powers.
const mostLooks = 10_000

// cuePackage is the syntax of a package.
type cuePackage struct {
	dir   string
	files []*ast.File
}

// scopeOf is where an expression stands, and how many references may still be
// followed from it: those of a cycle have no end.
type scopeOf struct {
	pkg  *cuePackage
	file *ast.File
	left int
}

// embedsClass reports whether declarations embed a field class by way of
// references.
func (s *search) embedsClass(decls []ast.Decl, at scopeOf) bool {
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.EmbedDecl:
			for _, r := range s.structs(d.Expr, at) {
				if len(fieldsNamed(r.value.Elts, "class")) > 0 || s.embedsClass(r.value.Elts, r.at) {
					return true
				}
			}
		case *ast.Comprehension:
			if v, ok := d.Value.(*ast.StructLit); ok && (len(fieldsNamed(v.Elts, "class")) > 0 || s.embedsClass(v.Elts, at)) {
				return true
			}
		}
	}
	return false
}

type structAt struct {
	value *ast.StructLit
	at    scopeOf
}

// structs are the structs that an expression unifies or chooses from.
func (s *search) structs(e ast.Expr, at scopeOf) (out []structAt) {
	if s.looks++; s.looks > mostLooks {
		return nil
	}
	switch e := e.(type) {
	case *ast.StructLit:
		return []structAt{{e, at}}
	case *ast.ParenExpr:
		return s.structs(e.X, at)
	case *ast.UnaryExpr:
		return s.structs(e.X, at)
	case *ast.BinaryExpr:
		return append(s.structs(e.X, at), s.structs(e.Y, at)...)
	case *ast.Ident:
		return s.named(at.pkg, e.Name, at.left)
	case *ast.SelectorExpr:
		name, _, err := ast.LabelName(e.Sel)
		if err != nil {
			return nil
		}
		if x, ok := e.X.(*ast.Ident); ok {
			if pkg := s.imported(x.Name, at); pkg != nil {
				return s.named(pkg, name, at.left)
			}
		}
		for _, x := range s.structs(e.X, at) {
			for _, v := range fieldsNamed(x.value.Elts, name) {
				out = append(out, s.structs(v, x.at)...)
			}
		}
	}
	return out
}

// named are the structs of a name at the top of a package.
func (s *search) named(pkg *cuePackage, name string, left int) (out []structAt) {
	if left == 0 {
		return nil
	}
	for _, f := range pkg.files {
		for _, v := range fieldsNamed(f.Decls, name) {
			out = append(out, s.structs(v, scopeOf{pkg, f, left - 1})...)
		}
	}
	return out
}

// imported is the package that a file calls by a name, nil where it is none that
// lies in the module.
func (s *search) imported(name string, at scopeOf) *cuePackage {
	for spec := range at.file.ImportSpecs() {
		ip := ast.ParseImportPath(importPath(spec))
		called := ip.Qualifier
		if spec.Name != nil {
			called = spec.Name.Name
		}
		if called == name && !isStandard(ip.Path) {
			return s.load(ip, at.pkg.dir)
		}
	}
	return nil
}

func (s *search) load(ip ast.ImportPath, from string) *cuePackage {
	if pkg, ok := s.packages[ip.String()]; ok {
		return pkg
	}
	var found *cuePackage
	u := &unit{tree: s.tree, module: s.tree.findModule(from)}
	for _, dir := range u.importDirs(ip.Path) {
		entries, err := s.tree.list(dir)
		if err != nil {
			continue
		}
		pkg := &cuePackage{dir: dir}
		for _, e := range entries {
			if e.dir || !isPolicyFile(e.name) {
				continue
			}
			abs := filepath.Join(dir, e.name)
			text, err := s.tree.read(abs)
			if err != nil || !bytes.Contains(text, []byte("package")) {
				continue
			}
			if f, _ := parseAll(abs, text); f.PackageName() == ip.Qualifier {
				pkg.files = append(pkg.files, f)
			}
		}
		if len(pkg.files) > 0 {
			found = pkg
			break
		}
	}
	s.packages[ip.String()] = found
	return found
}
