package compiler

// Texts of a policy that do not fit each other.

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	cueerrors "cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/token"

	"github.com/retryc/retryc/compiler/ir"
)

// piece is one text that took part in a value.
type piece struct {
	contribution
	span    ir.Span
	literal *node // nil: not literal
	source  string
}

func (e *evaluator) textsOf(from []contribution) []piece {
	l := &locator{}
	literals := reader{e.sources}
	var out []piece
	for _, c := range from {
		for _, x := range l.expand(c) {
			sp := e.sources.span(x.expr)
			if sp.IsZero() {
				continue
			}
			t := piece{contribution: x, span: sp, source: e.sources.text(sp)}
			t.literal = literals.value(x.expr)
			if _, ok := x.expr.(*ast.StructLit); ok && t.literal == nil {
				t.literal = &node{kind: structNode}
			}
			if _, ok := x.expr.(*ast.ListLit); ok && t.literal == nil {
				t.literal = &node{kind: listNode}
			}
			out = append(out, t)
		}
	}
	return out
}

// origin names the definition that a text came through.
func (e *evaluator) origin(t *piece) string {
	if len(t.via) == 0 {
		return ""
	}
	name := e.sources.text(e.sources.span(t.via[0]))
	if len(name) > 40 || strings.Contains(name, "\n") {
		return "what it refers to"
	}
	return name
}

func same(a, b *node) bool {
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case stringNode:
		return a.text == b.text
	case numberNode:
		return a.number == b.number
	case boolNode:
		return a.truth == b.truth
	case structNode, listNode:
		return true // what is in them is looked at by itself
	}
	return true
}

// isArm reports whether a text is one of several alternatives, or may be.
func (t *piece) isArm() bool {
	d, ok := t.decl.(*ast.Field)
	found := !ok
	if ok {
		ast.Walk(d.Value, func(n ast.Node) bool {
			b, ok := n.(*ast.BinaryExpr)
			found = found || ok && b.Op == token.OR && b.Pos().Offset() <= t.expr.Pos().Offset() && t.expr.End().Offset() <= b.End().Offset()
			return !found
		}, nil)
	}
	return found
}

// clash reports whether CUE has two texts against each other: those of two arms
// it never compares.
func clash(errs []cueerrors.Error, one, two *piece) bool {
	return slices.ContainsFunc(errs, func(x cueerrors.Error) bool {
		format, args := x.Msg()
		if !strings.HasPrefix(format, "conflicting values") || len(args) < 2 {
			return false
		}
		a, b := fmt.Sprint(args[0]), fmt.Sprint(args[1])
		p, q := one.literal.quoted(), two.literal.quoted()
		return a == p && b == q || a == q && b == p
	})
}

// contrary finds two texts of one value that cannot both hold, with one of the
// class itself where there is one; nil: there are none.
func contrary(texts []piece) (one, two *piece) {
	for i := range texts {
		for j := i + 1; j < len(texts); j++ {
			p, q := &texts[i], &texts[j]
			if p.literal == nil || q.literal == nil || same(p.literal, q.literal) || p.span == q.span {
				continue
			}
			if one == nil || len(p.via) == 0 && len(one.via) > 0 && len(two.via) > 0 {
				one, two = p, q
			}
		}
	}
	return one, two
}

// conflict reports two texts that cannot both hold. The place to edit is the
// one in the class itself; of two there, the later.
func (e *evaluator) conflict(x cueerrors.Error, a, b string, n *node, from []contribution) {
	texts := e.textsOf(from)
	one, two := contrary(texts)
	if one == nil {
		e.constraint(x, a, b, n, texts)
		return
	}
	e.sayConflict(one, two, n)
}

func (e *evaluator) sayConflict(one, two *piece, n *node) {
	if len(two.via) > 0 && len(one.via) == 0 {
		one, two = two, one
	} else if len(one.via) == 0 && len(two.via) == 0 && later(one.span, two.span) {
		one, two = two, one
	}
	pair := [2]ir.Span{one.span, two.span}
	if later(pair[0], pair[1]) {
		pair[0], pair[1] = pair[1], pair[0]
	}
	if at, said := e.conflicts[pair]; said && at != two.span {
		return // two classes that refer to each other: said from the other side
	}
	e.conflicts[pair] = two.span
	if len(two.via) == 0 && len(one.via) > 0 {
		def := e.origin(one)
		d := e.report(two.span, n, "%s cannot be %s: %s says %s, and only a default can be overridden", n.name, two.word(), def, one.word())
		d.Related = []ir.Related{{Span: one.span, Message: fmt.Sprintf("%s here", one.word())}}
		if one.literal.kind != structNode && one.literal.kind != listNode {
			d.Help = []string{fmt.Sprintf("%s: *%s | _ // in %s", quoteName(n.name), one.word(), def)}
		}
		return
	}
	d := e.report(two.span, n, "%s has two values: %s here and %s elsewhere", n.name, two.word(), one.word())
	d.Related = []ir.Related{{Span: one.span, Message: fmt.Sprintf("%s here", one.word())}}
	for _, t := range []*piece{one, two} {
		if len(t.via) > 0 && e.reading != "" {
			d.Related = append(d.Related, ir.Related{Span: e.sources.span(t.via[0]), Message: fmt.Sprintf("class %q has %s from here", e.reading, t.word())})
		}
	}
}

func later(a, b ir.Span) bool {
	if a.File != b.File {
		return a.File > b.File
	}
	return a.Start.Offset > b.Start.Offset
}

// constraint reports a value that does not fit a constraint beside it.
func (e *evaluator) constraint(x cueerrors.Error, a, b string, n *node, texts []piece) {
	var value, rule *piece
	for i := range texts {
		t := &texts[i]
		if t.literal != nil && (value == nil || len(t.via) < len(value.via)) {
			value = t
		}
		if t.literal == nil && rule == nil {
			rule = t
		}
	}
	if value != nil && rule != nil {
		d := e.report(value.span, n, "%s is %s, but it also has to be %s", n.name, value.word(), rule.word())
		d.Related = []ir.Related{{Span: rule.span, Message: fmt.Sprintf("%s here", rule.word())}}
		return
	}
	d := e.say(x, n, "%s cannot be both %s and %s", n.name, clip(a), clip(b))
	for _, p := range x.InputPositions() {
		if sp := e.spanAt(p); !sp.IsZero() && sp != d.Span {
			d.Related = append(d.Related, ir.Related{Span: sp, Message: "and here"})
			break
		}
	}
}

// clip makes a text of CUE's fit one line.
func clip(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 60 {
		return s[:57] + "..."
	}
	return s
}

// bound reports a value outside of a bound of the policy's own.
func (e *evaluator) bound(x cueerrors.Error, value, bound string, n *node, from []contribution) {
	var at, rule *piece
	texts := e.textsOf(from)
	for i := range texts {
		t := &texts[i]
		if t.literal != nil && (at == nil || len(t.via) < len(at.via)) {
			at = t
		}
		if t.literal == nil && (rule == nil || t.source == bound) {
			rule = t
		}
	}
	if at == nil {
		e.say(x, n, "%s is %s, but it also has to be %s", n.name, clip(value), clip(bound))
		return
	}
	d := e.report(at.span, n, "%s is %s, but it also has to be %s", n.name, clip(value), clip(bound))
	if rule != nil {
		d.Related = []ir.Related{{Span: rule.span, Message: fmt.Sprintf("%s here", rule.word())}}
	}
}

// noChoice reports a value that is none of the alternatives beside it.
func (e *evaluator) noChoice(errs []cueerrors.Error, n *node, from []contribution) {
	texts := e.textsOf(from)
	if one, two := contrary(slices.DeleteFunc(slices.Clone(texts), func(t piece) bool { return t.isArm() })); one != nil && clash(errs, one, two) {
		e.sayConflict(one, two, n) // whatever the choice: no value is both
		return
	}
	count := map[string]int{}
	var order []string
	for _, x := range errs {
		format, args := x.Msg()
		if strings.HasPrefix(format, "conflicting values") && len(args) >= 2 {
			for _, a := range args[:2] {
				s := fmt.Sprint(a)
				if count[s]++; count[s] == 1 {
					order = append(order, s)
				}
			}
		}
	}
	value := ""
	for _, s := range order {
		if count[s] > 1 && count[s] > count[value] {
			value = s
		}
	}
	var choices []string
	for _, s := range order {
		if s != value {
			choices = append(choices, s)
		}
	}
	at := n.value
	var said *piece
	var related []ir.Related
	for i := range texts {
		if t := &texts[i]; t.literal != nil && (t.source == value || t.literal.quoted() == value) {
			at, said = t.span, t
		} else if len(related) == 0 {
			related = []ir.Related{{Span: t.span, Message: "the choice is made here"}}
		}
	}
	if value == "" || len(choices) == 0 {
		e.report(at, n, "%s fits none of the alternatives that are given for it", n.name)
		return
	}
	d := e.report(at, n, "%s is %s, which is none of the alternatives %s", n.name, clip(value), clip(list(choices)))
	d.Related = related
	if m := near(value, choices); m != "" && said != nil && said.literal.kind == stringNode {
		d.Message += "; did you mean " + m + "?"
		if slices.ContainsFunc(texts, func(t piece) bool { return t.literal != nil && t.span != at && !t.isArm() }) {
			return // the choice is one of structs, and means more than this value
		}
		d.Help = []string{e.sources.rewritten(&node{value: at, held: n.held, bare: n.bare, related: n.related}, m, m)}
		d.Fix = &ir.Fix{Title: "write " + m, Edits: []ir.Edit{{Span: at, Text: m}}}
	}
}

// word writes a text for a message: itself where it is short.
func (t *piece) word() string {
	if t.literal != nil && (t.literal.kind == structNode || t.literal.kind == listNode) {
		return t.literal.quoted()
	}
	if len(t.source) > 40 || strings.Contains(t.source, "\n") {
		return "this"
	}
	return t.source
}
