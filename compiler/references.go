package compiler

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"
	cueerrors "cuelang.org/go/cue/errors"

	"github.com/retryc/retryc/compiler/ir"
)

var predeclared = []string{
	"string", "bytes", "bool", "int", "float", "number", "error", "len", "close", "matchIf", "matchN", "and", "or", "div", "mod", "quo", "rem", "self",
	"rune", "int8", "int16", "int32", "int64", "int128", "uint", "uint8", "uint16", "uint32", "uint64", "uint128", "float32", "float64",
}

// unknown is a field without a value that stands in for what is not there: CUE
// refuses a whole package for one name that leads nowhere.
const unknown = "_retrycUnknown"

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
		clause := packageClause(f)
		for _, id := range f.Unresolved {
			if clause != nil && id == clause.Name || known[id.Name] || local[id.Name] || id.Node != nil || id.Name == unknown {
				continue
			}
			e.noReference(id, known, local)
			e.poison[id] = true
			id.Name = unknown
			declareUnknown(f)
		}
	}
}

func (e *evaluator) noReference(id *ast.Ident, known, local map[string]bool) {
	if e.unit.poisoned || e.cutsIn(nil)[id.Name] {
		return // what it meant may have been cut away with another mistake
	}
	at := e.sources.span(id)
	if path := standard(id.Name); path != "" {
		e.notes.mistake(at, "nothing is named %s; the package has to be imported", id.Name).Help = []string{`import "` + path + `"`}
		return
	}
	if m := near(id.Name, append(sorted(known), sorted(local)...)); m != "" && m != "_" && !strings.HasPrefix(m, "__") {
		d := e.notes.mistake(at, "nothing is named %s; did you mean %s?", id.Name, m)
		d.Fix = &ir.Fix{Title: "write " + m, Edits: []ir.Edit{{Span: at, Text: m}}}
		return
	}
	d := e.notes.mistake(at, "nothing is named %s", id.Name)
	if w := e.sources.text(at); w != "" && isIdentifier(w) {
		for _, words := range enumWords() {
			if slices.Contains(words, w) {
				d.Message += ": text stands in quotes"
				d.Help = []string{`"` + w + `"`}
				d.Fix = &ir.Fix{Title: "put it in quotes", Edits: []ir.Edit{{Span: at, Text: `"` + w + `"`}}}
				break
			}
		}
	}
}

// standard is the path of the package of CUE's that a name is likely to mean.
func standard(name string) string {
	switch name {
	case "strings", "list", "math", "strconv", "regexp", "time", "struct", "path", "net", "uuid":
		return name
	case "json", "yaml", "base64", "hex":
		return "encoding/" + name
	}
	return ""
}

func enumWords() [][]string {
	var out [][]string
	for _, name := range definitionNames() {
		if t := theShapeWords()[name]; t != nil {
			out = append(out, t)
		}
	}
	return out
}

// assemble builds the package. What CUE refuses a whole package for, such as an
// import that is not used, is reported and cut.
func (e *evaluator) assemble(files []*ast.File) cue.Value {
	for round := 0; ; round++ {
		instance, err := e.imports.instance(files)
		v := cuecontext.New().BuildInstance(instance)
		e.root = v
		if err == nil && instance.Err != nil {
			err = instance.Err
		}
		if err == nil {
			return v
		}
		cut := false
		for _, x := range cueerrors.Errors(err) {
			e.message(x, &node{name: "the policy", value: e.files[0].start()}, nil)
			for _, f := range files {
				if f.Filename != x.Position().Filename() {
					continue
				}
				for spec := range f.ImportSpecs() {
					if spec.Path.Pos() == x.Position() || spec.Pos() == x.Position() {
						e.poisonImport(f, spec)
						break
					}
				}
				if cutDeclaration(f, x.Position().Offset()) {
					cut = true
				}
			}
		}
		if !cut || round > 20 {
			return v
		}
	}
}

// poisonImport puts unknown in the place of every use of an import that cannot be
// had.
func (e *evaluator) poisonImport(f *ast.File, spec *ast.ImportSpec) {
	name := ast.ParseImportPath(importPath(spec)).Qualifier
	if spec.Name != nil {
		name = spec.Name.Name
	}
	used := false
	ast.Walk(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name && (id.Node == nil || id.Node == spec) && slices.Contains(f.Unresolved, id) || isIdent(n) && n.(*ast.Ident).Node == spec {
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

// cutDeclaration removes the import or let at an offset.
func cutDeclaration(f *ast.File, offset int) bool {
	n := len(f.Decls)
	specs := false
	f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
		switch d := d.(type) {
		case *ast.ImportDecl:
			before := len(d.Specs)
			d.Specs = slices.DeleteFunc(d.Specs, func(s *ast.ImportSpec) bool {
				return s.Pos().Offset() <= offset && offset < s.End().Offset()
			})
			specs = specs || len(d.Specs) < before
			return len(d.Specs) == 0
		case *ast.LetClause:
			return d.Pos().Offset() == offset
		}
		return false
	})
	return specs || len(f.Decls) < n
}
