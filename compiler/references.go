package compiler

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	"cuelang.org/go/cue/cuecontext"
	cueerrors "cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/token"

	"github.com/retryc/retryc/compiler/ir"
)

var predeclared = []string{
	"string", "bytes", "bool", "int", "float", "number", "error", "len", "close", "matchIf", "matchN", "and", "or", "div", "mod", "quo", "rem", "self",
	"rune", "int8", "int16", "int32", "int64", "int128", "uint", "uint8", "uint16", "uint32", "uint64", "uint128", "float32", "float64",
}

func declareUnknown(f *ast.File) {
	for _, d := range f.Decls {
		if field, ok := d.(*ast.Field); ok {
			if id, ok := field.Label.(*ast.Ident); ok && id.Name == unknown {
				return
			}
		}
	}
	f.Decls = append(f.Decls, &ast.Field{Label: ast.NewIdent(unknown), Value: ast.NewIdent("_")})
}

// cutReferences reports identifiers that lead nowhere and puts unknown in their
// place.
func (e *evaluator) cutReferences(imports *packages) {
	e.cutReferencesOf(e.pkg.files)
	for _, path := range sorted(imports.read) {
		if pkg := imports.read[path]; pkg != nil && len(pkg.files) > 0 && !e.sources.at(pkg.files[0].Pos()).IsZero() {
			e.cutReferencesOf(pkg.files)
		}
	}
	e.misspeltDeclarations()
}

func (e *evaluator) cutReferencesOf(files []*ast.File) {
	known := map[string]bool{"_": true}
	for _, name := range predeclared {
		known[name] = true
		known["__"+name] = true
	}
	for _, f := range files {
		for _, d := range f.Decls {
			if field, ok := d.(*ast.Field); ok {
				if id, ok := field.Label.(*ast.Ident); ok {
					known[id.Name] = true
				}
			}
		}
	}
	for _, f := range files {
		local := map[string]bool{}
		for spec := range f.ImportSpecs() {
			if spec.Name != nil {
				local[spec.Name.Name] = true
			} else {
				local[ast.ParseImportPath(importPath(spec)).Qualifier] = true
			}
		}
		ast.Walk(f, func(n ast.Node) bool { // "string.ToUpper": the import is used, but for a slip
			if sel, ok := n.(*ast.SelectorExpr); ok && local["strings"] {
				if id, ok := sel.X.(*ast.Ident); ok && id.Name == "string" {
					e.meantLocal["strings"] = true
				}
			}
			return true
		}, nil)
		clause := packageClause(f)
		var direct map[*ast.Ident]string
		for _, id := range f.Unresolved {
			if id.Name == unknown && !e.poison[id] { // put there by a mistake of syntax
				e.poison[id] = true
				declareUnknown(f)
			}
		}
		for _, id := range f.Unresolved {
			if clause != nil && id == clause.Name || known[id.Name] || local[id.Name] || id.Node != nil || id.Name == unknown {
				continue
			}
			if direct == nil {
				direct = values(f)
			}
			e.noReference(f, id, known, local, direct[id])
			e.poison[id] = true
			id.Name = unknown
			declareUnknown(f)
		}
	}
}

// assemble builds the package. What CUE refuses a whole package for, such as an
// import that is not used, is reported and cut.
func (e *evaluator) assemble(files []*ast.File) cue.Value {
	for round := 0; ; round++ {
		instance, err := e.imports.instance(files)
		v := cuecontext.New().BuildInstance(instance)
		e.root, e.built = v, files
		if err == nil && instance.Err != nil {
			err = instance.Err
		}
		if err == nil {
			return v
		}
		cut := false
		for _, x := range cueerrors.Errors(err) {
			if format, _ := x.Msg(); strings.HasPrefix(format, "preference mark not allowed") && cutMark(e.allFiles(files), x.Position()) {
				e.message(x, &node{name: "the policy", value: e.files[0].start()}, nil)
				cut = true
				continue
			}
			if format, args := x.Msg(); !strings.HasPrefix(format, "imported and not used") || !e.meantLocal[strings.Trim(fmt.Sprint(args...), `"`)] {
				if !e.hiddenImport(x, files) {
					e.message(x, &node{name: "the policy", value: e.files[0].start()}, nil)
				}
			}
			for _, f := range e.allFiles(files) {
				if f.Filename != x.Position().Filename() {
					continue
				}
				for spec := range f.ImportSpecs() {
					if spec.Path.Pos() == x.Position() || spec.Pos() == x.Position() {
						e.poisonImport(f, spec)
						break
					}
				}
				name := ""
				if _, args := x.Msg(); len(args) > 0 {
					name = fmt.Sprint(args[0])
				}
				if cutDeclaration(f, x.Position().Offset(), name) {
					cut = true
				}
			}
		}
		if !cut { // without the field that it is in, the rest can be read
			for _, x := range cueerrors.Errors(err) {
				cut = e.cutField(e.allFiles(files), x.Position()) || cut
			}
		}
		if !cut || round > 20 {
			return v
		}
	}
}

// cutField puts unknown in the place of the innermost value that a position is in.
func (e *evaluator) cutField(files []*ast.File, at token.Pos) bool {
	for _, f := range files {
		if f.Filename != at.Filename() || !at.HasAbsPos() {
			continue
		}
		var inner *ast.Field
		ast.Walk(f, func(n ast.Node) bool {
			if d, ok := n.(*ast.Field); ok && d.Value != nil && d.Value.Pos().HasAbsPos() && d.Value.Pos().Offset() <= at.Offset() && at.Offset() <= d.Value.End().Offset() {
				inner = d
			}
			return true
		}, nil)
		if inner == nil {
			return false
		}
		if id, ok := inner.Value.(*ast.Ident); ok && e.poison[id] {
			return false
		}
		id := ast.NewIdent(unknown)
		e.poison[id] = true
		inner.Value = id
		declareUnknown(f)
		return true
	}
	return false
}

// cutMark takes the mark of a default away that has no alternatives.
func cutMark(files []*ast.File, at token.Pos) bool {
	cut := false
	for _, f := range files {
		if f.Filename != at.Filename() {
			continue
		}
		astutil.Apply(f, func(c astutil.Cursor) bool {
			if u, ok := c.Node().(*ast.UnaryExpr); ok && u.Op == token.MUL && u.Pos().Offset() == at.Offset() {
				c.Replace(u.X)
				cut = true
			}
			return !cut
		}, nil)
	}
	return cut
}

// hiddenImport reports an import that is not used because a field of its name is
// nearer to where it was meant.
func (e *evaluator) hiddenImport(x cueerrors.Error, files []*ast.File) bool {
	for _, f := range e.allFiles(files) {
		for spec := range f.ImportSpecs() {
			if f.Filename != x.Position().Filename() || spec.Path.Pos() != x.Position() && spec.Pos() != x.Position() {
				continue
			}
			name := ast.ParseImportPath(importPath(spec)).Qualifier
			if spec.Name != nil {
				name = spec.Name.Name
			}
			var ids []*ast.Ident
			ast.Walk(f, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok {
					if id, ok := sel.X.(*ast.Ident); ok && id.Name == name {
						ids = append(ids, id)
					}
				}
				return true
			}, nil)
			if len(ids) == 0 {
				return false
			}
			d := e.notes.mistake(e.sources.span(ids[0]), "%s is the field of that name, which is nearer than the import %q", name, importPath(spec))
			other := name + "2"
			d.Related = []ir.Related{{Span: e.sources.span(spec), Message: "give the import another name, such as " + other}}
			d.Fix = &ir.Fix{Title: "import it as " + other, Edits: []ir.Edit{{Span: e.sources.span(spec), Text: other + " " + strconv.Quote(importPath(spec))}}}
			for _, id := range ids {
				d.Fix.Edits = append(d.Fix.Edits, ir.Edit{Span: e.sources.span(id), Text: other})
			}
			for _, id := range ids {
				e.poison[id] = true
				id.Name, id.Node = unknown, nil
			}
			declareUnknown(f)
			return true
		}
	}
	return false
}

// allFiles are files and those of the packages that are imported.
func (e *evaluator) allFiles(files []*ast.File) []*ast.File {
	all := files[:len(files):len(files)]
	for _, path := range sorted(e.imports.read) {
		if p := e.imports.read[path]; p != nil {
			all = append(all, p.files...)
		}
	}
	return all
}

// poisonImport puts unknown in the place of every use of an import that cannot be
// had.
func (e *evaluator) poisonImport(f *ast.File, spec *ast.ImportSpec, also ...string) {
	name := ast.ParseImportPath(importPath(spec)).Qualifier
	if spec.Name != nil {
		name = spec.Name.Name
	}
	used := false
	ast.Walk(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && (id.Name == name || slices.Contains(also, id.Name)) && (id.Node == nil || id.Node == spec) && slices.Contains(f.Unresolved, id) || isIdent(n) && n.(*ast.Ident).Node == spec {
			id := n.(*ast.Ident)
			e.poison[id] = true
			id.Name, id.Node = unknown, nil
			used = true
		}
		return true
	}, nil)
	if used {
		declareUnknown(f)
	}
}

func isIdent(n ast.Node) bool { _, ok := n.(*ast.Ident); return ok }

// cutDeclaration removes the import, the let or the alias of a name at an offset,
// wherever it stands.
func cutDeclaration(f *ast.File, offset int, name string) bool {
	found := false
	cutFrom := func(decls *[]ast.Decl) {
		*decls = slices.DeleteFunc(*decls, func(d ast.Decl) bool {
			switch d := d.(type) {
			case *ast.ImportDecl:
				before := len(d.Specs)
				d.Specs = slices.DeleteFunc(d.Specs, func(s *ast.ImportSpec) bool {
					return s.Pos().Offset() <= offset && offset < s.End().Offset()
				})
				found = found || len(d.Specs) < before
				return len(d.Specs) == 0
			case *ast.LetClause:
				if d.Pos().Offset() == offset || d.Ident.Pos().Offset() == offset {
					found = true
					return true
				}
			}
			return false
		})
	}
	at := func(id *ast.Ident) bool { return id != nil && id.Pos().Offset() == offset }
	cutFrom(&f.Decls)
	ast.Walk(f, func(n ast.Node) bool {
		if found {
			return false
		}
		switch n := n.(type) {
		case *ast.StructLit:
			cutFrom(&n.Elts)
		case *ast.Comprehension:
			before := len(n.Clauses)
			n.Clauses = slices.DeleteFunc(n.Clauses, func(c ast.Clause) bool {
				l, ok := c.(*ast.LetClause)
				return ok && (l.Pos().Offset() == offset || at(l.Ident))
			})
			found = found || len(n.Clauses) < before
		case *ast.Field:
			if a, ok := n.Value.(*ast.Alias); ok && at(a.Ident) {
				n.Value, found = a.Expr, true
			}
			if a, ok := n.Label.(*ast.Alias); ok && at(a.Ident) {
				if l, ok := a.Expr.(ast.Label); ok {
					n.Label, found = l, true
				}
			}
			if a := n.Alias; a != nil && (a.Pos().Offset() == offset || at(a.Field) || at(a.Label)) {
				found = true
				if a.Field != nil && a.Field.Name == name {
					a.Field = ast.NewIdent("_")
				} else if a.Label != nil {
					a.Label = ast.NewIdent("_")
				}
				if (a.Field == nil || a.Field.Name == "_") && (a.Label == nil || a.Label.Name == "_") {
					n.Alias = nil
				}
			}
		}
		return true
	}, nil)
	return found
}
