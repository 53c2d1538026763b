package compiler

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

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
		e.silent(n, from)
		return
	}
	n, from = e.whose(innermost(errs), n, from)
	if e.holdsItself(from) {
		e.cycle(n, from)
		return
	}
	// A choice without a fit is a headline and one error an arm: one mistake.
	for _, x := range errs {
		format, _ := x.Msg()
		if strings.HasSuffix(format, "errors in empty disjunction:") {
			e.noChoice(errs, n, from)
			return
		}
		if isOpenError(x) && e.sayCauses(n, from) {
			return
		}
		if strings.HasPrefix(format, "invalid interpolation") && e.blameBeside(x, n, from) {
			return
		}
		if m := notText.FindStringSubmatch(withoutPackages(x.Error())); m != nil && strings.HasPrefix(format, "invalid interpolation") {
			e.say(x, n, "text is put together here from %s: only text, bytes, numbers, true and false can be put into it", typeWord(m[1]))
			return
		}
		if strings.HasPrefix(format, "invalid interpolation") || strings.HasPrefix(format, "key value of dynamic field") {
			e.say(x, n, "text is put together here from what has no value yet")
			return
		}
	}
	e.message(errs[0], n, from)
}

// notText is what CUE says of a value that has no text.
var notText = regexp.MustCompile(`cannot use .* \(type (\w+)\) as type`)

// isOpenError reports whether a message is about what has no value yet.
func isOpenError(x cueerrors.Error) bool {
	format, _ := x.Msg()
	if strings.HasPrefix(format, "invalid interpolation") || strings.HasPrefix(format, "key value of dynamic field") || strings.HasPrefix(format, "undefined field") {
		return true
	}
	text := x.Error()
	for _, p := range []string{"incomplete", "non-concrete", "not concrete", "must be concrete", "non-ground", "unresolved disjunction", " undefined as "} {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}

func firstFormat(err error) string {
	for _, x := range cueerrors.Errors(err) {
		format, _ := x.Msg()
		return format
	}
	return ""
}

func (e *evaluator) message(x cueerrors.Error, n *node, from []contribution) {
	format, args := x.Msg()
	arg := func(i int) string {
		if i >= 0 && i < len(args) {
			return withoutPackages(fmt.Sprint(args[i]))
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
		e.say(x, n, "%s", cuesWords(arg(0)))
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
	case strings.HasPrefix(format, "cannot use") && e.condition(x) != nil:
		c := e.condition(x)
		d := e.report(e.sources.span(c), n, "%s is %s, and an if asks for true or false", e.wording(c), clip(arg(0)))
		if e.wording(c) == arg(0) {
			d.Message = fmt.Sprintf("%s is no condition: an if asks for true or false", arg(0))
		}
	case strings.HasPrefix(format, "cannot use"):
		e.say(x, n, "%s cannot take %s", arg(len(args)-1), arg(0))
	case strings.HasPrefix(format, "error in call to") && isOpenError(x):
		e.say(x, n, "this depends on what has no value yet")
	case strings.HasPrefix(format, "error in call to"):
		_, what, _ := strings.Cut(x.Error(), "error in call to ")
		name, why, _ := strings.Cut(what, ": ")
		e.say(x, n, "%s fails: %s", name, clip(cuesWords(why)))
	case strings.HasPrefix(format, "invalid operand") && arg(0) == "string":
		d := e.say(x, n, "string is a type; the functions on text are in the package strings")
		d.Help = []string{`import "strings"`}
		if e.importsPath("strings") || e.meantLocal["strings"] {
			d.Help = nil
			if at := d.Span; strings.HasPrefix(e.sources.text(at), "string.") {
				at.End = e.sources.later(at, len("string"))
				d.Fix = &ir.Fix{Title: "write strings", Edits: []ir.Edit{{Span: at, Text: "strings"}}}
			}
		}
	case strings.HasPrefix(format, "adding field"):
		e.say(x, n, "what goes over a struct cannot add %s to it", quoteName(strings.Trim(arg(0), `"`)))
	case strings.HasPrefix(format, "invalid operand") && strings.HasSuffix(format, "want list or struct)"):
		e.say(x, n, "%s is %s: only lists and structs have fields", arg(0), typeWord(arg(1)))
	case strings.HasPrefix(format, "cannot range over") && e.sayCircle(n, from...) != nil:
	case strings.HasPrefix(format, "cannot range over"):
		e.say(x, n, "%s is %s: a for goes over a list or a struct", arg(0), typeWord(arg(1)))
	case strings.HasPrefix(format, "invalid left-hand value"), strings.HasPrefix(format, "invalid right-hand value"):
		side := "left"
		if strings.HasPrefix(format, "invalid right") {
			side = "right"
		}
		e.say(x, n, "what stands %s of %s is %s, which has no place there", side, arg(0), typeWord(arg(1)))
	case strings.HasPrefix(format, "preference mark not allowed"):
		e.say(x, n, "* marks the default of several alternatives, and there is but one")
	case strings.HasPrefix(format, "invalid index") && len(args) > 1:
		e.say(x, n, "%s cannot be an index: it is %s", arg(0), typeWord(arg(1)))
	case strings.Contains(format, "is superseded by list."):
		with, _, _ := strings.Cut(format[strings.Index(format, "list."):], ";")
		e.say(x, n, "lists are not put together by + and *: %s of the package list does that", strings.TrimPrefix(with, "list."))
	case strings.Contains(format, "required field missing"), strings.Contains(format, "missing required field"):
		e.say(x, n, "%s is required where it is declared, and has no value", arg(0))
	case strings.HasPrefix(format, "incomplete bool"), strings.HasPrefix(format, "incomplete"):
		e.say(x, n, "this depends on what has no value yet")
	case strings.HasPrefix(format, "unresolved disjunction"):
		e.say(x, n, "this depends on a choice that is left open: %s", clip(arg(0)))
	case strings.HasPrefix(format, "non-concrete value"):
		e.say(x, n, "%s has no value yet: %s only says what it may be", n.name, arg(0))
	case isOpenError(x):
		e.say(x, n, "this depends on what has no value yet")
	case format == "integer fields not supported":
		e.say(x, n, "a name is put together here from a number, and names are text")
	case (strings.HasPrefix(format, "imported and not used") || strings.HasPrefix(format, "unreferenced alias or let clause")) && e.isMended(x.Position()):
		// What would have used it may be what was mended.
	case strings.HasPrefix(format, "imported and not used"):
		e.say(x, n, "the import %s is not used", arg(0))
	case strings.HasPrefix(format, "unreferenced alias or let clause") && e.meantNames[arg(0)]:
	case strings.HasPrefix(format, "unreferenced alias or let clause"):
		d := e.say(x, n, "%s is not used", arg(0))
		if strings.HasPrefix(e.sources.text(d.Span), "let ") {
			d.Message = "let " + d.Message
		} else {
			d.Message = "the alias " + d.Message
		}
	case strings.HasPrefix(format, "builtin package"):
		e.say(x, n, "CUE has no package %s", arg(0))
	case strings.Contains(format, "redeclared as imported package name"):
		e.say(x, n, "%s is the name of an import as well", arg(0))
	case strings.HasPrefix(format, "field is required but not present"):
		name := "a field"
		if path := x.Path(); len(path) > 0 {
			name = path[len(path)-1]
		}
		if slices.ContainsFunc(e.unset[e.reading], func(p string) bool { return last(p) == name }) {
			return // "attempts!: 1", which was reported
		}
		e.say(x, n, "%s is required by what the class is unified with, and missing", name)
	default:
		e.say(x, n, "CUE says: %s", withoutPackages(cuesWords(fmt.Sprintf(format, args...))))
	}
}

// isMended reports whether a place is in a file that a mistake of syntax was mended
// in.
func (e *evaluator) isMended(p token.Pos) bool {
	s := e.sources[p.Filename()]
	return s != nil && s.origin != nil
}

func (e *evaluator) importsPath(path string) bool {
	for _, f := range e.pkg.files {
		for spec := range f.ImportSpecs() {
			if importPath(spec) == path {
				return true
			}
		}
	}
	return false
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
	if strings.Contains(fmt.Sprintf(format, args...), "_retryc") {
		// About what was put in the place of something else, of which all was said.
		return &ir.Diagnostic{}
	}
	if at.IsZero() {
		at = e.files[0].start()
	}
	d := e.notes.mistake(at, format, args...)
	d.Class, d.Field = e.reading, e.field
	if e.reading != "" && len(n.related) > 0 && n.related[0].Span != at {
		d.Related = []ir.Related{{Span: n.related[0].Span, Message: fmt.Sprintf("class %q has it from here", e.reading)}}
		if !e.maker.IsZero() {
			d.Related[0].Message = n.related[0].Message
		}
	}
	if !e.maker.IsZero() && e.maker != at {
		d.Related = append(d.Related, ir.Related{Span: e.maker, Message: fmt.Sprintf("class %q is made from this", e.reading)})
	}
	return d
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
