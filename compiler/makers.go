package compiler

// What makes classes and fields: comprehensions, names put together, embeddings.
// Where such a maker has no value yet, CUE is silent about all that it would
// have made; where it fails, CUE gives up everything beside it as well. So each
// is tried by itself, and those that make nothing are reported and cut.

import (
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"
	cueerrors "cuelang.org/go/cue/errors"
)

// maker is a declaration that may make any class, or any field of the set.
type maker struct {
	decl ast.Decl
	in   *scope
	of   *[]ast.Decl // where it stands

	inClass bool // in the struct of classes
}

// mostTrials bounds how often a package is evaluated to find out which of its
// makers are broken.
const mostTrials = 100

// makers lists the makers at the top of the package and in its classes.
func (e *evaluator) makers() []maker {
	var out []maker
	for _, f := range e.pkg.files {
		in := e.pkg.scopeOf(f)
		for _, d := range f.Decls {
			field, ok := d.(*ast.Field)
			if !ok {
				if isMaker(d) {
					out = append(out, maker{d, in, &f.Decls, false})
				}
				continue
			}
			if isMaker(d) {
				out = append(out, maker{d, in, &f.Decls, false})
				continue
			}
			if name, plain := plainLabel(field); !plain || name != "class" {
				continue
			}
			s, ok := field.Value.(*ast.StructLit)
			if !ok {
				out = append(out, maker{d, in, &f.Decls, false})
				continue
			}
			inner := &scope{parent: in, decls: s.Elts}
			for _, d := range s.Elts {
				if isMaker(d) {
					out = append(out, maker{d, inner, &s.Elts, true})
				}
			}
		}
	}
	return out
}

func isMaker(d ast.Decl) bool {
	switch d := d.(type) {
	case *ast.Comprehension, *ast.EmbedDecl:
		return true
	case *ast.Field:
		switch d.Label.(type) {
		case *ast.Interpolation, *ast.ParenExpr:
			return true
		}
	}
	return false
}

// withoutBroken evaluates the package without the makers that make nothing, and
// reports those.
func (e *evaluator) withoutBroken(v cue.Value) cue.Value {
	all := e.makers()
	if len(all) == 0 {
		return v
	}
	// What the syntax shows, and evaluating confirms.
	var rest []maker
	cut := false
	for _, m := range all {
		said := false
		for _, c := range e.causesOf(m) {
			if e.isConfirmed(c, v) {
				e.sayCause(c, &node{name: c.name}, "what is made here hangs")
				said = true
			}
		}
		if said {
			e.wrap(m)
			cut = true
		} else {
			rest = append(rest, m)
		}
	}
	if cut {
		e.poisoned = true
		v = e.build(e.pkg.files)
	}
	if len(makersFailing(v)) == 0 || len(rest) > mostTrials {
		e.reindex(cut)
		return v
	}
	// What fails otherwise: all are taken away, and come back one after the other.
	for _, m := range rest {
		e.wrap(m)
	}
	var suspects []maker
	for _, m := range rest {
		if len(e.tryWith(m)) > 0 {
			suspects = append(suspects, m)
		}
	}
	for _, m := range suspects {
		if errs := e.tryWith(m); len(errs) > 0 {
			e.sayMaker(m, errs)
			e.poisoned = true
		}
	}
	e.reindex(true)
	return e.build(e.pkg.files)
}

// setAside is the name of a field that keeps a maker out of the way. Its
// references stay, so that no import is without use.
const setAside = "_retrycCut"

func (e *evaluator) wrap(m maker) {
	e.wraps++
	inner := &ast.StructLit{Elts: []ast.Decl{m.decl}}
	for i, d := range *m.of {
		if d == m.decl {
			(*m.of)[i] = &ast.Field{Label: ast.NewIdent(setAside + itoa(e.wraps)), Value: inner}
		}
	}
}

// unwrap puts a maker back, until the returned function is called.
func unwrap(m maker) (undo func()) {
	for i, d := range *m.of {
		f, ok := d.(*ast.Field)
		if !ok {
			continue
		}
		if id, ok := f.Label.(*ast.Ident); !ok || !strings.HasPrefix(id.Name, setAside) {
			continue
		}
		if f.Value.(*ast.StructLit).Elts[0] == m.decl {
			(*m.of)[i] = m.decl
			return func() { (*m.of)[i] = f }
		}
	}
	return func() {}
}

// tryWith puts a maker back, and takes it away again where it fails.
func (e *evaluator) tryWith(m maker) []cueerrors.Error {
	undo := unwrap(m)
	errs := makersFailing(e.build(e.pkg.files))
	if len(errs) > 0 {
		undo()
	}
	return errs
}

// build evaluates the package.
func (e *evaluator) build(files []*ast.File) cue.Value {
	instance, _ := e.imports.instance(files)
	v := cuecontext.New().BuildInstance(instance)
	e.root, e.built = v, files
	return v
}

// reindex forgets where the classes were, once makers have been taken away.
func (e *evaluator) reindex(changed bool) {
	if !changed {
		return
	}
	e.pkg.byName, e.pkg.made = nil, nil
	e.at = (&locator{}).top(e.pkg, "class")
	e.index = indexClasses(e.at)
}

// makersFailing returns the errors of a package that are about the making of classes and
// fields, not about one of them.
func makersFailing(v cue.Value) []cueerrors.Error {
	errs := cueerrors.Errors(v.Err())
	if class := v.LookupPath(cue.MakePath(cue.Str("class"))); class.Exists() || class.Err() != nil && v.Err() == nil {
		errs = append(errs, cueerrors.Errors(class.Err())...)
	}
	var out []cueerrors.Error
	for _, x := range errs {
		format, _ := x.Msg()
		if p := x.Path(); (len(p) == 0 || len(p) == 1 && p[0] == "class") && !strings.HasPrefix(format, "field not found") {
			out = append(out, x)
		}
	}
	return out
}

// sayMaker reports a maker that CUE refuses.
func (e *evaluator) sayMaker(m maker, errs []cueerrors.Error) {
	if e.mentionsPoison(m.decl) {
		return
	}
	n := &node{name: "class", value: e.sources.span(m.decl)}
	said := map[string]bool{}
	for _, c := range e.causesOf(m) {
		if key := c.name + c.path; !said[key] {
			said[key] = true
			e.sayCause(c, n, "what is made here hangs")
		}
	}
	if len(said) > 0 {
		return
	}
	var from []contribution
	if f, ok := m.decl.(*ast.Field); ok {
		n.value = e.sources.span(f.Label)
		from = []contribution{{label: f.Label, field: f, decl: f, expr: f.Value, in: m.in}}
		if name, plain := plainLabel(f); plain && name == "class" {
			n.value = e.sources.span(f.Value)
			if k := kindOf(f.Value); k != "" {
				d := e.report(n.value, n, "class is %s: it is a struct of classes by name", k)
				d.Help = []string{classHelp}
				return
			}
		}
	}
	before := len(e.notes.mistakes)
	e.errorAt(joined(errs), n, from)
	if len(e.notes.mistakes) == before {
		e.report(n.value, n, "what is made here fails")
	}
}

func joined(errs []cueerrors.Error) error {
	var out cueerrors.Error
	for _, x := range errs {
		out = cueerrors.Append(out, x)
	}
	return out
}

// kindOf words the kind of a literal.
func kindOf(x ast.Expr) string {
	if n := (reader{sources{}}).value(x); n != nil && n.kind != structNode && n.kind != brokenNode {
		return n.quoted()
	}
	return ""
}

// causesOf looks through all that a maker needs in order to make something. What
// stands in the classes that it makes is looked at class by class.
func (e *evaluator) causesOf(m maker) []cause {
	l := &locator{}
	var out []cause
	var decl func(d ast.Decl, in *scope, inClass bool)
	inside := func(x ast.Expr, in *scope, inClass bool) {
		if s, ok := x.(*ast.StructLit); ok {
			inner := &scope{parent: in, decls: s.Elts}
			for _, d := range s.Elts {
				decl(d, inner, inClass)
			}
		}
	}
	decl = func(d ast.Decl, in *scope, inClass bool) {
		if len(out) > 50 {
			return
		}
		switch d := d.(type) {
		case *ast.Comprehension:
			l.clauses(d, in, func(x ast.Expr, in *scope, loop bool) {
				out = append(out, e.causesIn(x, in, loop)...)
			}, func(in *scope) { inside(d.Value, in, inClass) })
		case *ast.EmbedDecl:
			inside(d.Expr, in, inClass)
		case *ast.Field:
			switch label := d.Label.(type) {
			case *ast.ParenExpr:
				out = append(out, e.causesIn(label.X, in, false)...)
			case *ast.Interpolation:
				out = append(out, e.causesIn(label, in, false)...)
			default:
				if name, plain := plainLabel(d); plain && name == "class" && !inClass {
					inside(d.Value, in, true)
				}
			}
		}
	}
	decl(m.decl, m.in, m.inClass)
	return out
}
