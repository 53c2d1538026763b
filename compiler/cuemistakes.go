package compiler

import (
	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	cueerrors "cuelang.org/go/cue/errors"

	"github.com/retryc/retryc/compiler/ir"
)

var predeclared = []string{
	"string", "bytes", "bool", "int", "float", "number", "error", "len", "close", "matchIf", "matchN", "and", "or", "div", "mod", "quo", "rem", "self",
	"rune", "int8", "int16", "int32", "int64", "int128", "uint", "uint8", "uint16", "uint32", "uint64", "uint128", "float32", "float64",
}

// cutReferences reports identifiers that lead nowhere and puts "_" in their
// place: CUE refuses a whole package for one of them.
func (e *evaluator) cutReferences(imports *packages) {
	visit := func(files []*ast.File) {
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
				if clause != nil && id == clause.Name || known[id.Name] || local[id.Name] || id.Node != nil {
					continue
				}
				e.noReference(id, known, local)
				e.poison[id] = true
				id.Name = "_"
			}
		}
	}
	visit(e.pkg.files)
	for _, path := range sorted(imports.read) {
		if pkg := imports.read[path]; pkg != nil && len(pkg.files) > 0 && !e.sources.span(pkg.files[0]).IsZero() {
			visit(pkg.files)
		}
	}
}

func (e *evaluator) noReference(id *ast.Ident, known, local map[string]bool) {
	if e.unit.poisoned {
		return // what it meant may have been cut away with a syntax mistake
	}
	at := e.sources.span(id)
	candidates := append(sorted(known), sorted(local)...)
	if m := near(id.Name, candidates); m != "" && m != "_" {
		d := e.notes.mistake(at, "nothing is named %q; did you mean %q?", id.Name, m)
		d.Fix = &ir.Fix{Title: "write " + m, Edits: []ir.Edit{{Span: at, Text: m}}}
		return
	}
	e.notes.mistake(at, "nothing is named %q", id.Name)
}

// instanceMistakes reports what CUE refuses about the package as such.
func (e *evaluator) instanceMistakes(err error) {
	for _, x := range cueerrors.Errors(err) {
		e.cueMessage(x, &node{value: e.files[0].start()}, nil)
	}
}

// openMistake reports a value that is only constrained.
func (e *evaluator) openMistake(v cue.Value, n *node, from []contribution) {
	e.notes.mistake(n.value, "%s has no value", n.name)
}

// errorAt reports an error of CUE's about a value.
func (e *evaluator) errorAt(err error, n *node, from []contribution) {
	for _, x := range cueerrors.Errors(err) {
		e.cueMessage(x, n, from)
		return
	}
}

func (e *evaluator) cueMessage(x cueerrors.Error, n *node, from []contribution) {
	at := n.value
	if sp := e.sources.at(x.Position()); !sp.IsZero() {
		at = sp
	}
	e.notes.mistake(at, "CUE says: %s", x.Error())
}

// rest reports errors in what no class uses.
func (e *evaluator) rest(v cue.Value) {}
