package compiler

// Fields that a closed definition does not take.

import (
	"fmt"
	"slices"
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

// sayClosed reports the fields that closed definitions refused: the mistake is one
// for each struct, however many fields there are.
func (e *evaluator) sayClosed() bool {
	all := e.closed
	e.closed = nil
	var groups [][]refused // by the struct that holds them
	for _, r := range all {
		at := slices.IndexFunc(groups, func(g []refused) bool { return sameStruct(g[0].from, r.from) })
		if at < 0 {
			groups = append(groups, nil)
			at = len(groups) - 1
		}
		groups[at] = append(groups[at], r)
	}
	for _, g := range groups {
		e.sayRefused(g)
	}
	return len(all) > 0
}

func sameStruct(a, b []contribution) bool {
	return len(a) == len(b) && (len(a) == 0 || a[0].expr == b[0].expr)
}

func (e *evaluator) sayRefused(all []refused) {
	var names []string
	first := all[0]
	for _, r := range all {
		names = append(names, r.name)
		if later(first.label, r.label) {
			first = r
		}
	}
	sort.Strings(names)
	names = slices.Compact(names)
	for _, c := range first.from {
		if b, ok := bare(c.expr).(*ast.BinaryExpr); ok && len(c.via) == 0 {
			if def := definition(b); def != nil {
				e.sayUnified(b, def, first.label, names)
				return
			}
		}
	}
	for _, c := range first.from {
		if call := closeCall(c.expr); call != nil && len(c.via) == 0 {
			e.sayClose(call, first.label, names)
			return
		}
	}
	for _, c := range first.from {
		for _, t := range (&locator{}).expand(c) {
			if s, ok := t.expr.(*ast.StructLit); ok && len(t.via) > 0 {
				e.sayNested(s, t, first.label, names)
				return
			}
		}
	}
	e.notes.mistake(first.label, "the struct is closed, so %s cannot be added with &", enumerate(names)).Class = e.reading
}

// sayUnified reports "#Quick & {…}", which is meant to be "{#Quick, …}".
func (e *evaluator) sayUnified(b *ast.BinaryExpr, ref ast.Expr, label ir.Span, names []string) {
	at := e.sources.span(ref)
	def := e.sources.text(at)
	d := e.notes.mistake(label, "%s is closed, so %s cannot be added with &; embed it instead", def, enumerate(names))
	d.Class = e.reading
	d.Related = []ir.Related{{Span: at, Message: fmt.Sprintf("%s is unified here", def)}}
	d.Help = []string{fmt.Sprintf("{%s, …} // … stays as it is", def)}
	s, ok := bare(b.Y).(*ast.StructLit)
	if !ok || b.X != ref || b.Y != ast.Expr(s) {
		return
	}
	inner := e.sources.span(s)
	text := e.sources.text(inner)
	rest, braces := strings.CutPrefix(text, "{")
	if !braces || at.File != inner.File {
		return
	}
	open := "{" + def
	if line := strings.TrimLeft(rest, " \t\r"); !strings.HasPrefix(line, "\n") && !strings.HasPrefix(line, "//") {
		open += ", "
		rest = line
	}
	if whole := open + rest; !strings.Contains(whole, "\n") && len(whole) <= 120 {
		d.Help = []string{whole}
	}
	from := ir.Span{File: at.File, Start: at.Start, End: inner.Start}
	from.End = e.sources.later(inner, len(text)-len(rest))
	d.Fix = &ir.Fix{Title: "embed it", Edits: []ir.Edit{{Span: from, Text: open}}}
}

// closeCall finds the call in "close({…}) & {…}", or nil.
func closeCall(x ast.Expr) *ast.CallExpr {
	switch x := bare(x).(type) {
	case *ast.CallExpr:
		if id, ok := x.Fun.(*ast.Ident); ok && id.Name == "close" && len(x.Args) == 1 {
			return x
		}
	case *ast.BinaryExpr:
		if c := closeCall(x.X); c != nil {
			return c
		}
		return closeCall(x.Y)
	}
	return nil
}

// sayClose reports fields for a struct that its author closed. Where another text
// adds them, for many classes perhaps, the place to edit is the call.
func (e *evaluator) sayClose(call *ast.CallExpr, label ir.Span, names []string) {
	fun, whole := e.sources.span(call.Fun), e.sources.span(call)
	struc := e.sources.span(call.Args[0])
	d := e.notes.mistake(label, "the struct is closed by close, so %s cannot be added to it", enumerate(names))
	d.Class, d.Related = e.reading, []ir.Related{{Span: fun, Message: "close is here"}}
	if label.File != whole.File || label.Start.Line < whole.Start.Line || label.Start.Line > whole.End.Line {
		d.Span, d.Related = fun, []ir.Related{{Span: label, Message: fmt.Sprintf("%s from here", enumerate(names))}}
	}
	text := e.sources.text(struc)
	if text == "" {
		return
	}
	if help := quoteName(e.reading) + ": " + text; !strings.Contains(text, "\n") && len(help) <= 120 && d.Span == fun {
		d.Help = []string{help}
	}
	d.Fix = &ir.Fix{Title: "leave it open", Edits: []ir.Edit{
		{Span: ir.Span{File: whole.File, Start: whole.Start, End: struc.Start}},
		{Span: ir.Span{File: whole.File, Start: struc.End, End: whole.End}},
	}}
}

// sayNested reports fields that go into a struct within a definition: embedding
// opens the definition itself, and not what is in it.
func (e *evaluator) sayNested(s *ast.StructLit, t contribution, label ir.Span, names []string) {
	def, name := "", "the struct"
	for _, v := range t.via {
		switch v.(type) {
		case *ast.Ident, *ast.SelectorExpr:
			def = " in " + e.sources.text(e.sources.span(v))
		}
	}
	if t.field != nil {
		if name = labelText(t.field.Label); name == "the field" {
			name = fmt.Sprintf("class %q", e.reading)
		}
	}
	d := e.notes.mistake(label, "%s is closed%s, so %s cannot be added to it", name, def, enumerate(names))
	d.Class = e.reading
	at := e.sources.span(s)
	d.Related = []ir.Related{{Span: at, Message: "it is closed here"}}
	if f, ok := t.decl.(*ast.Field); ok {
		if text := e.sources.text(at); !strings.Contains(text, "\n") && len(text) <= 100 {
			d.Help = []string{fmt.Sprintf("%s: %s", e.wording(f.Label), opening(text))}
			if def != "" {
				d.Help[0] += " //" + def
			}
		}
	}
}

// opening is the text of a struct with "..." in it, which takes any field.
func opening(text string) string {
	inner, ok := strings.CutSuffix(text, "}")
	if !ok || !strings.HasPrefix(text, "{") {
		return "{" + text + ", ...}" // "deadline: within: …", without braces
	}
	if inner = strings.TrimRight(inner, " ,"); inner == "{" {
		return "{...}"
	}
	return inner + ", ...}"
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
