package compiler

import (
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/retryc/retryc/compiler/ir"
)

// classIndex finds the texts of a class among thousands.
type classIndex struct {
	byName map[string][]contribution
	made   []madeDecl // what may declare any class
}

type madeDecl struct {
	decl ast.Decl
	in   *scope
	via  []ast.Node
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
			for _, d := range s.Elts {
				if f, ok := d.(*ast.Field); ok {
					if name, ok := plainLabel(f); ok {
						x.byName[name] = append(x.byName[name], contribution{label: f.Label, field: f, expr: f.Value, in: in, via: c.via})
						continue
					}
				}
				x.made = append(x.made, madeDecl{d, in, c.via})
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
		out = append(out, l.fieldsIn([]ast.Decl{d.decl}, d.in, d.via, name)...)
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
// is no class, and drops what CUE made of them in between.
func (e *evaluator) batches(p *parts, out *found) {
	names := sorted(p.computed)
	for start := 0; start < len(names); start += batchSize {
		batch := map[string]bool{}
		for _, name := range names[start:min(start+batchSize, len(names))] {
			batch[name] = true
		}
		v := e.assemble(e.only(batch))
		part := &parts{computed: batch, fields: map[string]bool{}}
		into := &found{set: &node{kind: structNode}, class: out.class}
		if start == 0 {
			part.fields = p.fields
			into.set = out.set
			e.everything(v, part, into)
		} else {
			e.once(func() { e.everything(v, part, into) })
		}
		out.class = into.class
		out.classes = append(out.classes, into.classes...)
	}
}

// once drops what another batch has said already: mistakes outside of classes.
func (e *evaluator) once(f func()) {
	before := len(e.notes.mistakes)
	known := map[ir.Span]string{}
	for _, d := range e.notes.mistakes {
		known[d.Span] = d.Message
	}
	f()
	kept := e.notes.mistakes[:before]
	for _, d := range e.notes.mistakes[before:] {
		if d.Class == "" && known[d.Span] == d.Message {
			continue
		}
		kept = append(kept, d)
	}
	e.notes.mistakes = kept
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
