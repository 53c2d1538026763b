package compiler

import (
	"fmt"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	cueerrors "cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/token"

	"github.com/retryc/retryc/compiler/ir"
)

// This file is the one that knows CUE's messages. Each recogniser looks at the
// format string of an error (pinned to CUE's version by the corpus of broken
// policies) and says the same about the text of the policy.

// errorAt reports the errors of CUE's about one value.
func (e *evaluator) errorAt(err error, n *node, from []contribution) {
	errs := cueerrors.Errors(err)
	if len(errs) == 0 {
		return
	}
	// A choice without a fit is a headline and one error an arm: one mistake.
	for _, x := range errs {
		format, args := x.Msg()
		if strings.HasSuffix(format, "errors in empty disjunction:") {
			e.noChoice(errs, n, from)
			return
		}
		if strings.HasPrefix(format, "invalid interpolation") || strings.HasPrefix(format, "key value of dynamic field") {
			e.say(x, n, "text is put together here from what has no value yet")
			return
		}
		_ = args
	}
	e.message(errs[0], n, from)
}

func (e *evaluator) message(x cueerrors.Error, n *node, from []contribution) {
	format, args := x.Msg()
	arg := func(i int) string {
		if i < len(args) {
			return fmt.Sprint(args[i])
		}
		return "?"
	}
	switch {
	case strings.HasPrefix(format, "conflicting values"):
		e.conflict(x, arg(0), arg(1), n, from)
	case format == "field not allowed":
		e.say(x, n, "the field %s is not in the closed definition that it is unified with", n.name)
	case format == "invalid value %v (out of bound %s)", format == "invalid value %s (does not satisfy %s)", strings.HasPrefix(format, "invalid value"):
		e.bound(x, arg(0), arg(1), n, from)
	case strings.HasPrefix(format, "incompatible number bounds"):
		e.say(x, n, "no number is both %s and %s", arg(0), arg(1))
	case format == "structural cycle", strings.Contains(format, "cycle"):
		e.cycle(n, from)
	case format == "undefined field: %s", strings.HasPrefix(format, "field not found"):
		e.noField(x, arg(0), n, from)
	case strings.HasPrefix(format, "cannot reference optional field"):
		e.say(x, n, "%s is optional where it is declared, so it has no value", arg(0))
	case strings.HasPrefix(format, "invalid operands"):
		e.say(x, n, "%s %s %s does not work: one is %s, the other %s", arg(0), arg(2), arg(1), typeWord(arg(3)), typeWord(arg(4)))
	case strings.HasPrefix(format, "invalid operation %v ("):
		e.say(x, n, "%s does not work: it is %s", arg(0), typeWord(arg(2)))
	case strings.HasPrefix(format, "failed arithmetic"):
		e.say(x, n, "%s", arg(0))
	case strings.HasPrefix(format, "index out of range"):
		e.say(x, n, "there is no element %s: the list has %s", arg(0), arg(1))
	case strings.HasPrefix(format, "incompatible list lengths"):
		e.say(x, n, "two lists of different length are unified: %s and %s", arg(0), arg(1))
	case strings.HasPrefix(format, "explicit error"):
		e.say(x, n, "%s is _|_, which always fails", n.name)
	case format == "%s" && len(args) == 1:
		e.say(x, n, "the policy itself says: %s", arg(0))
	case strings.HasPrefix(format, "cannot call non-function"):
		if strings.Contains(arg(0), ".") && strings.Contains(arg(1), "_|_") {
			e.say(x, n, "CUE has no function %s", arg(0))
			return
		}
		e.say(x, n, "%s is not a function", arg(0))
	case strings.HasPrefix(format, "cannot use"):
		e.say(x, n, "%s cannot take %s", arg(len(args)-1), arg(0))
	case strings.HasPrefix(format, "error in call to"):
		_, what, _ := strings.Cut(x.Error(), "error in call to ")
		name, why, _ := strings.Cut(what, ": ")
		e.say(x, n, "%s fails: %s", name, clip(strings.ReplaceAll(why, "\n", " ")))
	case strings.HasPrefix(format, "invalid operand") && strings.HasSuffix(format, "want list or struct)"):
		e.say(x, n, "%s is %s: only lists and structs have fields", arg(0), typeWord(arg(1)))
	case strings.HasPrefix(format, "cannot range over"):
		e.say(x, n, "%s is %s: a for goes over a list or a struct", arg(0), typeWord(arg(1)))
	case strings.HasPrefix(format, "incomplete bool"), strings.HasPrefix(format, "incomplete"):
		e.say(x, n, "this depends on what has no value yet")
	case strings.HasPrefix(format, "imported and not used"):
		e.say(x, n, "the import %s is not used", arg(0))
	case strings.HasPrefix(format, "unreferenced alias or let clause"):
		e.say(x, n, "let %s is not used", arg(0))
	case strings.HasPrefix(format, "builtin package"):
		e.say(x, n, "CUE has no package %s", arg(0))
	case strings.Contains(format, "redeclared as imported package name"):
		e.say(x, n, "%s is the name of an import as well", arg(0))
	case strings.HasPrefix(format, "field is required but not present"):
		name := "a field"
		if path := x.Path(); len(path) > 0 {
			name = path[len(path)-1]
		}
		e.say(x, n, "%s is required by what the class is unified with, and missing", name)
	default:
		e.say(x, n, "CUE says: %s", strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " "))
	}
}

// say reports an error at its own position where that is in a file of the
// user's, else at the node.
func (e *evaluator) say(x cueerrors.Error, n *node, format string, args ...any) *ir.Diagnostic {
	at := n.value
	for _, p := range append([]token.Pos{x.Position()}, x.InputPositions()...) {
		if sp := e.spanAt(p); !sp.IsZero() {
			at = sp
			break
		}
	}
	return e.report(at, n, format, args...)
}

func (e *evaluator) report(at ir.Span, n *node, format string, args ...any) *ir.Diagnostic {
	d := e.notes.mistake(at, format, args...)
	d.Class, d.Field = e.reading, n.name
	if e.reading != "" && len(n.related) > 0 && n.related[0].Span != at {
		d.Related = []ir.Related{{Span: n.related[0].Span, Message: fmt.Sprintf("class %q has it from here", e.reading)}}
	}
	return d
}

// spanAt is the stretch of what begins at a position.
func (e *evaluator) spanAt(p token.Pos) ir.Span {
	at := e.sources.at(p)
	if at.IsZero() {
		return at
	}
	var best ast.Node
	visit := func(f *ast.File) {
		ast.Walk(f, func(n ast.Node) bool {
			if best == nil && n.Pos().HasAbsPos() && n.Pos().Offset() == p.Offset() {
				switch n.(type) {
				case *ast.File, *ast.Field, *ast.CommentGroup, *ast.EmbedDecl:
				default:
					best = n
				}
			}
			return best == nil
		}, nil)
	}
	for _, f := range e.pkg.files {
		if f.Filename == p.Filename() {
			visit(f)
		}
	}
	if best == nil {
		return at
	}
	return e.sources.span(best)
}

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

// conflict reports two texts that cannot both hold. The place to edit is the
// one in the class itself; of two there, the later.
func (e *evaluator) conflict(x cueerrors.Error, a, b string, n *node, from []contribution) {
	texts := e.textsOf(from)
	var one, two *piece
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
	if one == nil {
		e.constraint(x, a, b, n, texts)
		return
	}
	if len(two.via) > 0 && len(one.via) == 0 {
		one, two = two, one
	} else if len(one.via) == 0 && len(two.via) == 0 && later(one.span, two.span) {
		one, two = two, one
	}
	if len(two.via) == 0 && len(one.via) > 0 {
		def := e.origin(one)
		d := e.report(two.span, n, "%s cannot be %s: %s says %s, and only a default can be overridden", n.name, two.word(), def, one.word())
		d.Related = []ir.Related{{Span: one.span, Message: fmt.Sprintf("%s here", one.word())}}
		if one.literal.kind != structNode && one.literal.kind != listNode {
			d.Help = []string{fmt.Sprintf("in %s, make it a default: %s: *%s | _", def, n.name, one.word())}
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

func clip(s string) string {
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
		if t.literal == nil && rule == nil {
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
	var related []ir.Related
	texts := e.textsOf(from)
	for i := range texts {
		if t := &texts[i]; t.literal != nil && (t.source == value || t.literal.quoted() == value) {
			at = t.span
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
}

// cycle reports a value that leads back to itself.
func (e *evaluator) cycle(n *node, from []contribution) {
	at, steps := e.loop(from)
	if at.IsZero() {
		if at, name := e.containsItself(from); !at.IsZero() {
			e.report(at, n, "%s contains itself, so it never ends", name)
			return
		}
		e.report(n.value, n, "%s leads back to itself, so it has no value", n.name)
		return
	}
	d := e.report(at, n, "%s leads back to itself, so it has no value", e.sources.text(at))
	for _, s := range steps {
		if s != at {
			d.Related = append(d.Related, ir.Related{Span: s, Message: "by way of this"})
		}
	}
}

// containsItself finds a reference within the very struct that it refers to.
func (e *evaluator) containsItself(from []contribution) (at ir.Span, name string) {
	l := &locator{}
	for _, c := range from {
		for _, x := range append(l.expand(c), c) {
			in := &scope{parent: x.in}
			if s, ok := x.expr.(*ast.StructLit); ok {
				in.decls = s.Elts
			}
			ast.Walk(x.expr, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if !ok || !at.IsZero() {
					return at.IsZero()
				}
				for _, r := range l.ident(id.Name, in) {
					span := e.sources.span(r.expr)
					here := e.sources.span(id)
					if span.File == here.File && span.Start.Offset <= here.Start.Offset && here.End.Offset <= span.End.Offset && span != here {
						at, name = here, id.Name
					}
				}
				return true
			}, nil)
		}
	}
	return at, name
}

// loop follows references until one comes twice. The first place, in order of
// the files, stands for the cycle, so that it is one mistake wherever it is
// entered.
func (e *evaluator) loop(from []contribution) (at ir.Span, steps []ir.Span) {
	l := &locator{}
	for _, c := range from {
		seen := map[ast.Node]int{}
		var path []ast.Node
		for l.steps < mostSteps {
			if i, ok := seen[c.expr]; ok {
				for _, x := range path[i:] {
					sp := e.sources.span(x)
					steps = append(steps, sp)
					if at.IsZero() || later(at, sp) {
						at = sp
					}
				}
				return at, steps
			}
			seen[c.expr] = len(path)
			path = append(path, c.expr)
			next := l.resolve(c.expr, c.in)
			if len(next) == 0 {
				break
			}
			c = next[0]
		}
	}
	return ir.Span{}, nil
}

// noField reports a selector that leads nowhere.
func (e *evaluator) noField(x cueerrors.Error, name string, n *node, from []contribution) {
	name = strings.Trim(name, `"`)
	d := e.say(x, n, "there is no field %q here", name)
	l := &locator{}
	for _, c := range from {
		for _, t := range l.expand(c) {
			found := false
			ast.Walk(t.expr, func(x ast.Node) bool {
				sel, ok := x.(*ast.SelectorExpr)
				if !ok || found {
					return !found
				}
				if s, _, _ := ast.LabelName(sel.Sel); s != name {
					return true
				}
				found = true
				d.Span = e.sources.span(sel.Sel)
				owner := e.sources.text(e.sources.span(sel.X))
				d.Message = fmt.Sprintf("%s has no field %q", owner, name)
				var names []string
				for _, k := range l.keys(l.resolveDeep(sel.X, t.in)) {
					names = append(names, k.text)
				}
				if id, ok := sel.X.(*ast.Ident); ok {
					if p := t.in.imported(id.Name); p != nil {
						for _, f := range p.files {
							for _, k := range topNames(f) {
								names = append(names, k)
							}
						}
						d.Message = fmt.Sprintf("package %s has no %s", id.Name, name)
					}
				}
				if m := near(name, names); m != "" {
					d.Message += fmt.Sprintf("; did you mean %q?", m)
					d.Fix = &ir.Fix{Title: "write " + m, Edits: []ir.Edit{{Span: d.Span, Text: m}}}
				}
				return false
			}, nil)
		}
	}
}

func topNames(f *ast.File) []string {
	var out []string
	for _, d := range f.Decls {
		if field, ok := d.(*ast.Field); ok {
			if name, _, err := ast.LabelName(field.Label); err == nil {
				out = append(out, name)
			}
		}
	}
	return out
}

// openMistake reports a value that is only constrained, or left to choose.
func (e *evaluator) openMistake(v cue.Value, n *node, from []contribution) {
	if at, _ := e.loop(from); !at.IsZero() {
		e.cycle(n, from)
		return
	}
	texts := e.textsOf(from)
	if op, args := v.Expr(); op == cue.OrOp && len(args) > 1 {
		var words []string
		for _, a := range args {
			words = append(words, clip(fmt.Sprint(a)))
		}
		d := e.report(n.value, n, "%s is left open between %s", n.name, strings.Join(words, " and "))
		d.Help = []string{fmt.Sprintf("%s: *%s", n.name, strings.Join(words, " | "))}
		return
	}
	word := "this"
	if len(texts) > 0 {
		word = texts[0].word()
	}
	if word == "_" {
		e.report(n.value, n, "%s has no value: _ stands for any", n.name)
		return
	}
	d := e.report(n.value, n, "%s has no value: %s only says what it may be", n.name, word)
	if ex := exampleOf(strings.TrimPrefix(e.path(v), ".")); ex != "" {
		d.Help = []string{n.name + ": " + ex}
	}
}

// path is the path of a value within its class, or within the set.
func (e *evaluator) path(v cue.Value) string {
	var names []string
	for _, s := range v.Path().Selectors() {
		if s.LabelType() == cue.StringLabel {
			names = append(names, s.Unquoted())
		} else {
			names = append(names, s.String())
		}
	}
	if len(names) >= 2 && names[0] == "class" {
		names = names[2:]
	}
	return strings.Join(names, ".")
}

func typeWord(s string) string {
	switch s {
	case "int":
		return "a whole number"
	case "float", "number":
		return "a number"
	case "string":
		return "text"
	case "bool":
		return "true or false"
	case "struct":
		return "a struct"
	case "list":
		return "a list"
	case "null":
		return "null"
	}
	return s
}
