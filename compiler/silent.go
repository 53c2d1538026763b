package compiler

// Errors that CUE keeps to itself: a value that is an error because of what it
// refers to has none of its own to show.

import (
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	cueerrors "cuelang.org/go/cue/errors"

	"github.com/retryc/retryc/compiler/ir"
)

// fails reports whether a value is an error that more text cannot mend.
func fails(v cue.Value) bool {
	return v.IncompleteKind() == cue.BottomKind && v.Exists() && v.Err() != nil
}

// referredTo is the value of a reference to a field of the package, or of one
// that is imported, with the texts that give it.
func (e *evaluator) referredTo(l *locator, ref ast.Expr, in *scope) (cue.Value, []contribution) {
	var names []string
	x := ref
	for {
		sel, ok := x.(*ast.SelectorExpr)
		if !ok {
			break
		}
		name, _, err := ast.LabelName(sel.Sel)
		if err != nil {
			return cue.Value{}, nil
		}
		names = append([]string{name}, names...)
		x = sel.X
	}
	id, ok := x.(*ast.Ident)
	if !ok {
		return cue.Value{}, nil
	}
	v := e.root
	if p := in.imported(id.Name); p != nil && len(names) > 0 {
		if len(p.files) == 0 || e.sources.at(p.files[0].Pos()).IsZero() {
			return cue.Value{}, nil
		}
		v = e.valueOf(p)
	} else if plainPath(ref, in) != "" {
		names = append([]string{id.Name}, names...)
	} else {
		return cue.Value{}, nil
	}
	for _, name := range names {
		v = fieldOf(v, name)
	}
	return v, l.resolve(ref, in)
}

// valueOf evaluates an imported package by itself.
func (e *evaluator) valueOf(p *pkgFiles) cue.Value {
	if v, ok := e.evaluated[p]; ok {
		return v
	}
	root, built := e.root, e.built
	v := e.build(p.files)
	e.root, e.built = root, built
	if e.evaluated == nil {
		e.evaluated = map[*pkgFiles]cue.Value{}
	}
	e.evaluated[p] = v
	return v
}

// sayFailing reports the error of what is referred to, once, and returns what was
// said of it.
func (e *evaluator) sayFailing(ref ast.Expr, v cue.Value, from []contribution, n *node) *ir.Diagnostic {
	if e.followed[ref] { // it leads back to itself, or has been said
		return &ir.Diagnostic{}
	}
	if e.followed == nil {
		e.followed = map[ast.Expr]bool{}
	}
	e.followed[ref] = true
	before := len(e.notes.mistakes)
	m := &node{name: last(e.wording(ref)), kind: brokenNode}
	e.place(m, from, n)
	done := e.about(v)
	e.errorAt(v.Err(), m, from)
	done()
	if len(e.notes.mistakes) > before {
		return e.notes.mistakes[before]
	}
	return &ir.Diagnostic{}
}

// silent reports a value that is an error without saying so, by the first of what
// it refers to that says more.
func (e *evaluator) silent(n *node, from []contribution) {
	before := len(e.notes.mistakes)
	l := &locator{}
	seen := map[ast.Node]bool{}
	var visit func(of []contribution) bool
	visit = func(of []contribution) bool {
		for _, c := range of {
			for _, ref := range references(c.expr) {
				if seen[ref] || l.steps > mostSteps {
					continue
				}
				seen[ref] = true
				v, texts := e.referredTo(l, ref, c.in)
				if fails(v) && len(texts) > 0 {
					if visit(texts) {
						return true
					}
					d := e.sayFailing(ref, v, texts, n)
					if e.reading != "" && len(e.notes.mistakes) > before {
						d.Related = append(d.Related, ir.Related{Span: e.sources.span(ref), Message: "class " + strconv.Quote(e.reading) + " has it from here"})
					}
					return true
				}
				if len(texts) == 0 {
					texts = l.resolve(ref, c.in)
				}
				if visit(texts) {
					return true
				}
			}
		}
		return false
	}
	if visit(from) && (len(e.notes.mistakes) > before || e.isPoisoned(from)) {
		return
	}
	e.report(n.value, n, "%s has no value: what it is made of fails", n.name)
}

// blameBeside reports the mistake of a field beside the one that is read, which
// its text is put together from: the error says whose it is.
func (e *evaluator) blameBeside(x cueerrors.Error, n *node, from []contribution) bool {
	v := e.root
	for _, name := range x.Path() {
		v = fieldOf(v, strings.Trim(name, `"`))
	}
	if !fails(v) || v.Path().String() == e.value.Path().String() || strings.HasPrefix(firstFormat(v.Err()), "invalid interpolation") {
		return false
	}
	if e.blaming {
		return false
	}
	e.blaming = true
	defer e.about(v)()
	e.errorAt(v.Err(), n, from)
	e.blaming = false
	return true
}
