package compiler

import (
	"runtime"
	"sync"
	"sync/atomic"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"github.com/retryc/retryc/compiler/ir"
)

// classIndex finds the texts of a class among thousands.
type classIndex struct {
	byName map[string][]contribution
	made   []madeDecl // what may declare any class
}

type madeDecl struct {
	decl   ast.Decl
	in     *scope
	via    []ast.Node
	around *ast.Field // see contribution
}

func indexClasses(at []contribution) *classIndex {
	x := &classIndex{byName: map[string][]contribution{}}
	l := &locator{}
	for _, c := range at {
		for _, c := range l.expand(c) {
			s, ok := c.expr.(*ast.StructLit)
			if !ok {
				continue
			}
			in := &scope{parent: c.in, decls: s.Elts}
			around := c.field
			if s.Lbrace != token.NoPos {
				around = nil
			}
			for _, d := range s.Elts {
				if f, ok := d.(*ast.Field); ok {
					if name, ok := plainLabel(f); ok {
						x.byName[name] = append(x.byName[name], contribution{label: f.Label, field: f, decl: f, expr: f.Value, in: in, via: c.via, around: around})
						continue
					}
				}
				x.made = append(x.made, madeDecl{d, in, c.via, around})
			}
		}
	}
	return x
}

func (x *classIndex) of(name string) []contribution {
	out := x.byName[name]
	out = out[:len(out):len(out)]
	l := &locator{}
	for _, d := range x.made {
		for _, c := range l.fieldsIn([]ast.Decl{d.decl}, d.in, d.via, name) {
			if ast.Decl(c.field) == d.decl { // not what it embeds or makes
				c.around = d.around
			}
			out = append(out, c)
		}
	}
	return out
}

// classesAreReferredTo reports whether an expression mentions class, or may
// mention one class by its bare name: then no class can be evaluated without
// the others.
func (e *evaluator) classesAreReferredTo() bool {
	found := false
	for _, f := range e.pkg.files {
		var visit func(n ast.Node) bool
		visit = func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Field:
				if _, ok := n.Label.(*ast.Ident); !ok {
					ast.Walk(n.Label, visit, nil)
				}
				ast.Walk(n.Value, visit, nil)
				return false
			case *ast.SelectorExpr:
				ast.Walk(n.X, visit, nil)
				return false
			case *ast.Ident:
				found = found || n.Name == "class" || e.index.byName[n.Name] != nil
			case *ast.ImportDecl, *ast.Package:
				return false
			}
			return !found
		}
		ast.Walk(f, visit, nil)
	}
	return found
}

// batches evaluates the classes some at a time, each time with everything that
// is no class, and drops what CUE made of them in between. What is wrong outside
// of classes is found each time; settle keeps one.
func (e *evaluator) batches(p *parts, out *found) {
	names := sorted(p.computed)
	n := (len(names) + batchSize - 1) / batchSize
	results := make([]found, n)
	said := make([]notes, n)
	run := func(e *evaluator, i int) {
		part := &parts{computed: map[string]bool{}, fields: map[string]bool{}}
		for _, name := range names[i*batchSize : min((i+1)*batchSize, len(names))] {
			part.computed[name] = true
		}
		if i == 0 {
			part.fields = p.fields
		}
		results[i].set = &node{kind: structNode}
		e.notes = &said[i]
		e.everything(e.assemble(e.only(part.computed)), part, &results[i])
	}
	workers := []*evaluator{e}
	for len(workers) < min(runtime.GOMAXPROCS(0), n) {
		other := e.again()
		if other == nil {
			break
		}
		workers = append(workers, other)
	}
	faults := make([]error, len(workers))
	var next atomic.Int64
	var wg sync.WaitGroup
	for w, worker := range workers {
		wg.Go(func() {
			faults[w] = guard(e.folder.Dir, func() {
				for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
					run(worker, i)
				}
			})
		})
	}
	wg.Wait()
	for _, err := range faults {
		if err != nil {
			panic(err) // to the guard of the folder
		}
	}
	for i := range results {
		e.unit.add(said[i])
		out.set.fields = append(out.set.fields, results[i].set.fields...)
		out.classes = append(out.classes, results[i].classes...)
		if results[i].class != nil {
			out.class = results[i].class
		}
	}
	e.notes = &e.unit.notes
}

// again is an evaluator of the same package for another goroutine: CUE writes
// into the syntax that it builds, so each parses its own. Where something had to
// be cut from the syntax there is no other.
func (e *evaluator) again() *evaluator {
	if len(e.unit.mistakes) > 0 || len(e.poison) > 0 {
		return nil
	}
	imports := &packages{u: e.unit, read: map[string]*pkgFiles{}}
	pkg := &pkgFiles{imports: imports.files}
	for _, f := range e.files {
		syntax, err := parser.ParseFile(f.abs, f.text, parser.ParseComments, e.module.version())
		if err != nil {
			return nil
		}
		withoutExtern(syntax)
		pkg.files = append(pkg.files, syntax)
	}
	other := &evaluator{unit: e.unit, pkg: pkg, imports: imports, poison: map[*ast.Ident]bool{}, tagsSaid: map[ir.Span]bool{}, meantLocal: map[string]bool{}, conflicts: map[[2]ir.Span]ir.Span{}}
	other.at = (&locator{}).top(pkg, "class")
	other.index = indexClasses(other.at)
	// Reading the imports now leaves nothing for the goroutines to write.
	var visit func(files []*ast.File)
	seen := map[string]bool{}
	visit = func(files []*ast.File) {
		for _, f := range files {
			for spec := range f.ImportSpecs() {
				path := importPath(spec)
				if isStandard(path) || seen[path] {
					continue
				}
				seen[path] = true
				if p := imports.files(path); p != nil {
					visit(p.files)
				}
			}
		}
	}
	visit(pkg.files)
	return other
}

// only is the package without all classes but some.
func (e *evaluator) only(batch map[string]bool) []*ast.File {
	var files []*ast.File
	for _, f := range e.pkg.files {
		g := *f
		g.Decls = nil
		for _, d := range f.Decls {
			field, ok := d.(*ast.Field)
			if name, plain := "", false; ok {
				if name, plain = plainLabel(field); plain && name == "class" {
					if d = pick(field, batch); d == nil {
						continue
					}
				}
			}
			g.Decls = append(g.Decls, d)
		}
		files = append(files, &g)
	}
	return files
}

func pick(class *ast.Field, batch map[string]bool) ast.Decl {
	s := class.Value.(*ast.StructLit)
	var elts []ast.Decl
	for _, d := range s.Elts {
		f, ok := d.(*ast.Field)
		if !ok {
			continue
		}
		if name, ok := plainLabel(f); ok && batch[name] || !ok && f.Constraint == token.ILLEGAL {
			elts = append(elts, d)
		}
	}
	if len(elts) == 0 {
		return nil
	}
	if len(elts) == len(s.Elts) {
		return class
	}
	inner, outer := *s, *class
	inner.Elts = elts
	outer.Value = &inner
	return &outer
}
