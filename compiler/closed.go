package compiler

// Fields that a closed definition does not take.

import (
	"fmt"
	"sort"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	cueerrors "cuelang.org/go/cue/errors"

	"github.com/retryc/retryc/compiler/ir"
)

// refused is a field of the language that a closed definition does not take.
type refused struct {
	name  string
	label ir.Span
	text  string         // its value
	from  []contribution // of the struct that holds it
}

func isNotAllowed(v cue.Value) bool {
	if v.IncompleteKind() != cue.BottomKind {
		return false
	}
	for _, x := range cueerrors.Errors(v.Err()) {
		if format, _ := x.Msg(); format == "field not allowed" && len(x.Path()) == len(v.Path().Selectors()) {
			return true
		}
	}
	return false
}

// notAllowed keeps a field that a closed definition refuses. One that the
// language has is reported with the others of the definition; one that it does
// not have is a wrong name whoever refuses it, and the checks say so.
func (e *evaluator) notAllowed(f valueField, at, parent []contribution, around *node) *node {
	n := &node{name: f.name, kind: brokenNode, refused: true}
	e.place(n, at, around)
	for _, c := range at { // the label in the class, not in the definition
		if len(c.via) == 0 {
			n.label = e.sources.span(c.label)
		}
	}
	if e.inLanguage(f.value) {
		e.closed = append(e.closed, refused{f.name, n.label, e.sources.text(n.value), parent})
	}
	return n
}

// inLanguage reports whether the language has a field at the path of a value.
func (e *evaluator) inLanguage(v cue.Value) bool { return typeAt(v) != nil }

// typeAt is what the language has at the path of a value, or nil.
func typeAt(v cue.Value) *typ {
	t := theShape().policy
	for _, s := range v.Path().Selectors() {
		if s.LabelType() == cue.IndexLabel {
			if t.kind != listType {
				return nil
			}
			t = t.elem
			continue
		}
		if s.LabelType() != cue.StringLabel {
			return nil
		}
		body := t
		switch t.kind {
		case mapType:
			t = t.elem
			continue
		case unionType:
			body = t.body
		case structType:
		default:
			return nil
		}
		f := body.field(s.Unquoted())
		if f == nil {
			return nil
		}
		t = f.typ
	}
	return t
}

// sayClosed reports the fields that a closed definition refused: the mistake is
// one, however many fields there are.
func (e *evaluator) sayClosed() bool {
	if len(e.closed) == 0 {
		return false
	}
	all := e.closed
	e.closed = nil
	var names []string
	first := all[0]
	for _, r := range all {
		names = append(names, r.name)
		if later(first.label, r.label) {
			first = r
		}
	}
	def, at := "the struct", ir.Span{}
	for _, c := range first.from {
		if ref := definition(c.expr); ref != nil {
			at = e.sources.span(ref)
			def = e.sources.text(at)
			break
		}
	}
	sort.Strings(names)
	d := e.notes.mistake(first.label, "%s is closed, so %s cannot be added with &", def, enumerate(names))
	d.Class = e.reading
	if !at.IsZero() {
		d.Related = []ir.Related{{Span: at, Message: fmt.Sprintf("%s is unified here", def)}}
		d.Message += "; embed it instead"
		d.Help = []string{fmt.Sprintf("{%s, %s: …} // … stays as it is", def, first.name)}
		if text := first.text; text != "" && len(all) == 1 && !strings.Contains(text, "\n") {
			d.Help = []string{fmt.Sprintf("{%s, %s: %s}", def, first.name, text)}
		}
	}
	return true
}

// definition finds the reference in "#Quick & {…}".
func definition(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return definition(x.X)
	case *ast.BinaryExpr:
		if d := definition(x.X); d != nil {
			return d
		}
		return definition(x.Y)
	case *ast.Ident, *ast.SelectorExpr:
		return x
	}
	return nil
}
