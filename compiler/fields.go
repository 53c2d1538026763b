package compiler

// What fields there are: those that are missing, those that the language does not
// have, and what was meant by them.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
)

// wrapped writes a bare value as the struct that it was meant for: "2m" as
// {within: "2m"}, where it is right for the first field of the struct.
func (c *checker) wrapped(n *node, t *typ, path string) string {
	value, f := c.sources.text(n.value), t.fields[0]
	if value == "" || path == "scheduler" || path == "idempotency" && n.text == "fields" {
		return ""
	}
	if f.typ.words != nil {
		if n.kind != stringNode || !slices.Contains(f.typ.words, n.text) {
			return ""
		}
	} else {
		s := scalars[f.typ.name]
		if s == nil || s.check == nil || n.kind != s.kind {
			return ""
		}
		trial := *n
		if reason, _ := s.check(&trial); reason != "" {
			return ""
		}
	}
	return fmt.Sprintf("{%s: %s}", f.name, value)
}

func (c *checker) swallowed(n *node) bool {
	return n.kind == structNode && n.value.File == n.label.File && n.value.Start.Line > n.label.End.Line &&
		!strings.HasPrefix(c.sources.text(n.value), "{")
}

// missing reports a field that has to be there, at the nearest name that is.
func (c *checker) missing(parent *node, path, name string) *ir.Diagnostic {
	full := join(path, name)
	c.claim(full) // once is enough
	at, what := c.self, c.what
	if path != "" && parent != nil {
		what = last(path)
		if name, ok := strings.CutPrefix(path, "class."); ok && c.class == "" && !strings.Contains(name, ".") {
			what = fmt.Sprintf("class %q", name)
		}
		switch top, rest, _ := strings.Cut(path, "."); {
		case top == "waive" && rest != "":
			what = fmt.Sprintf("the waiver of %q", rest)
		case top == "lint" && rest != "":
			what = fmt.Sprintf("the entry of %q", rest)
		case top == "retryBudgets" && rest != "":
			what = fmt.Sprintf("retry budget %q", rest)
		}
		if at = parent.label; at.IsZero() {
			at = c.self
		}
	}
	if path == "" || parent == nil {
		d := c.atSelf(full, "%s has no %s", what, name)
		if ex := exampleOf(full); ex != "" {
			d.Help = []string{name + ": " + ex}
		}
		return d
	}
	d := c.mistake(at, "%s has no %s", what, name)
	d.Set, d.Class, d.Field = c.set, c.class, full
	d.Related = c.through(parent)
	if ex := exampleOf(full); ex != "" {
		d.Help = []string{name + ": " + ex}
	}
	return d
}

// excused reports whether a field that is not there is not missing: a misspelt
// one was meant to be it, or a mistake of syntax took it away.
func (c *checker) excused(path string) bool {
	if c.claimed[path] || c.lost[last(path)] || c.lost["*"] {
		return true
	}
	for { // something that is not there is mixed in, here or around it
		i := strings.LastIndexByte(path, '.')
		if path = path[:max(i, 0)]; c.claimed[join(path, "*")] {
			return true
		}
		if i < 0 {
			return false
		}
	}
}

func (c *checker) claim(path string) {
	if c.claimed == nil {
		c.claimed = map[string]bool{}
	}
	c.claimed[path] = true
}

// unknown reports a field that the language does not have, and what it was
// meant to be.
func (c *checker) unknown(f, parent *node, t *typ, path string) {
	meant, where := c.meant(f, parent, t, path)
	full := join(path, f.name)
	switch {
	case path == "" && c.class != "" && (f.name == "description" || f.name == "doc" || f.name == "comment") && meant == "":
		c.atLabel(f, full, "unknown field %q; the comment above the class is its description", f.name)
	case meant == "" && path == "" && c.class == "":
		d := c.atLabel(f, full, "unknown field %q; a set has %s, and values to share are definitions or hidden", f.name, list(t.names()))
		if as := c.shared[f.name]; as != "" {
			d.Message = fmt.Sprintf("unknown field %q; it is referred to as %s", f.name, as)
			d.Help = []string{as + ": " + c.valueOf(f)}
			d.Fix = &ir.Fix{Title: "rename it to " + as, Edits: []ir.Edit{{Span: f.label, Text: as}}}
		} else if isIdentifier(f.name) {
			d.Help = []string{"#" + f.name + ": " + c.valueOf(f)}
		}
	case meant == "":
		d := c.atLabel(f, full, "unknown field %q; %s has %s", f.name, c.owner(path), list(t.names()))
		if len(t.names()) > 8 {
			d.Message = fmt.Sprintf("unknown field %q", f.name)
			if m := synonyms[f.name]; t.field(m) != nil {
				d.Message += fmt.Sprintf("; %s is there already, and says it", m)
			}
		}
	case where != "":
		c.claim(join(join(path, where), meant))
		c.claim(join(path, where))
		d := c.atLabel(f, full, "unknown field %q; did you mean %s.%s?", f.name, where, meant)
		ft := t.field(where).typ.field(meant)
		text := c.written(f)
		if ex := exampleOf(join(join(path, where), meant)); ex != "" && !c.wouldBeRight(f, ft.typ, join(join(path, where), meant)) {
			if text = inMilliseconds(f, ft.typ); text == "" {
				text = ex
			}
		}
		if text != "" && !strings.Contains(text, "\n") {
			d.Help = []string{fmt.Sprintf("%s: %s: %s", where, meant, text)}
		}
	default:
		c.claim(join(path, meant))
		d := c.atLabel(f, full, "unknown field %q; did you mean %q?", f.name, meant)
		label := c.valueOf(f)
		if len(f.related) == 0 || c.written(f) == c.sources.text(f.value) {
			label, _, _ = strings.Cut(c.sources.span2(f.label, f.value), "\n")
		}
		if rest, ok := strings.CutPrefix(strings.TrimRight(label, "\r"), c.sources.text(f.label)); ok && rest != "" && parsesAsFile(meant+rest) {
			d.Help = []string{meant + realign(rest, len(meant)-len(c.sources.text(f.label)))}
		} else {
			d.Help = []string{meant + ": " + c.valueOf(f)}
		}
		if there := parent.field(meant); there != nil && len(f.related) > 0 && len(there.related) == 0 {
			return // shared by classes: this one says it as well
		} else if there != nil {
			d.Message = fmt.Sprintf("unknown field %q; %s is there already", f.name, meant)
			d.Help = nil
		} else if !f.refused {
			d.Fix = &ir.Fix{Title: "rename it to " + meant, Edits: []ir.Edit{{Span: f.label, Text: meant}}}
		}
		if c.retries(d, f, parent, meant) {
			return
		}
		if ft := t.field(meant); ft != nil && ft.typ.kind == mapType && f.kind != structNode {
			d.Fix = nil // "clas: 3" is no class by another name either
			d.Help = []string{meant + ": " + exampleOf(join(path, meant))}
			if meant == "outcome" && f.kind == listNode {
				d.Help = c.statuses(f)
			}
		} else if ft != nil && parent.field(meant) == nil {
			// What is inside may be wrong as well.
			before, mistakes := f.broken, len(c.mistakes)
			if ft.typ.kind == structType && f.kind != structNode && f.kind != brokenNode {
				d.Fix = nil // another name makes no struct of it
				if ex := exampleOf(join(path, meant)); ex != "" {
					d.Help = []string{help(join(path, meant), ex)}
				}
				return
			}
			if meant == "class" && path == "" && c.class == "" {
				c.asClasses(f, ft.typ.elem)
			} else {
				c.check(f, ft.typ, join(path, meant))
			}
			f.broken = before
			if len(c.mistakes) == mistakes+1 && c.mistakes[mistakes].Span == f.value && len(c.mistakes[mistakes].Help) == 1 {
				inner := c.mistakes[mistakes]
				d.Help = inner.Help
				if strings.HasPrefix(inner.Help[0], meant+": ") && meant == synonyms[f.name] {
					// A field of another library, whose value is of another kind: the help
					// mends both.
					if d.Fix != nil && inner.Fix != nil {
						d.Fix.Edits = append(d.Fix.Edits, inner.Fix.Edits...)
					} else {
						d.Fix = nil
					}
					c.mistakes = c.mistakes[:mistakes]
					return
				}
				if value, ok := strings.CutPrefix(inner.Help[0], meant+": "); ok {
					inner.Help = []string{value} // the name at its caret is the wrong one
				}
			}
		}
	}
}

// retries writes a number of retries as one of attempts, and reports whether a field
// is such a number.
func (c *checker) retries(d *ir.Diagnostic, f, parent *node, meant string) bool {
	if f.name != "retries" && f.name != "maxRetries" || meant != "attempts" || !f.whole || parent.field(meant) != nil || f.integer < 0 {
		return false
	}
	if f.integer > 99 {
		d.Message += " At most 100, of which the first is no retry"
		d.Help, d.Fix = nil, nil
		return true
	}
	right := itoa(int(f.integer) + 1)
	switch f.integer {
	case 0:
		d.Message += " 0 retries are 1 attempt: the first one counts"
	case 1:
		d.Message += " 1 retry is 2 attempts: the first one counts"
	default:
		d.Message += fmt.Sprintf(" %s retries are %s attempts: the first one counts", f.text, right)
	}
	d.Help, d.Fix = []string{meant + ": " + right}, nil
	if c.sources.text(f.value) == f.text && len(f.related) == 0 && !f.refused {
		d.Fix = &ir.Fix{Title: "write " + d.Help[0], Edits: []ir.Edit{{Span: f.label, Text: meant}, {Span: f.value, Text: right}}}
	}
	return true
}

// statuses writes a list of statuses that are retried as outcomes, where that is
// what it holds.
func (c *checker) statuses(f *node) []string {
	var out []string
	for _, e := range f.elems {
		if e.kind != numberNode && e.kind != stringNode || !isIndex(e.text) || !validCondition(ir.HTTP, e.text) {
			return nil
		}
		out = append(out, strconv.Quote(e.text)+`: "retry"`)
	}
	switch {
	case len(out) == 0 || len(out) > 6:
		return nil
	case len(out) == 1:
		return []string{"outcome: " + out[0]}
	}
	return []string{"outcome: {" + strings.Join(out, ", ") + "}"}
}

// inMilliseconds writes a number of another library as a duration. Which unit it
// has is a guess: that it is a long time in any other.
func inMilliseconds(f *node, t *typ) string {
	if !strings.HasPrefix(t.name, "#Duration") || f.kind != numberNode || !f.whole || f.integer < 100 {
		return ""
	}
	return strconv.Quote(f.text + "ms")
}

// asClasses checks what stands under a misspelt class as the classes that it holds.
func (c *checker) asClasses(f *node, t *typ) {
	for _, n := range f.fields {
		class := &checker{sources: c.sources, lost: c.lost, what: fmt.Sprintf("class %q", n.name), set: c.set, class: n.name, self: n.label, root: n}
		class.checkClass(t)
		c.add(class.notes)
	}
}

// wouldBeRight reports whether a value can be that of another field.
func (c *checker) wouldBeRight(f *node, t *typ, path string) bool {
	trial := &checker{sources: c.sources, what: c.what, set: c.set, class: c.class, self: c.self, root: c.root}
	copied := *f
	trial.check(&copied, t, path)
	return len(trial.mistakes) == 0
}

// valueOf is the value of a field, to be pasted with it.
func (c *checker) valueOf(f *node) string { return pasted(c.written(f)) }

// written is the value of a field as it stands beside its name: a reference, where
// the text itself is somewhere else.
func (c *checker) written(f *node) string {
	text := c.sources.text(f.value)
	if len(f.related) == 0 || f.related[0].Span.File != f.label.File || f.related[0].Span.Start.Offset < f.label.End.Offset {
		return text
	}
	ref := f.related[0].Span
	between := c.sources.text(ir.Span{File: ref.File, Start: f.label.End, End: ref.Start})
	if strings.Trim(between, " \t") != ":" {
		return text
	}
	rest := c.sources.after(ref)
	if rest != "" && !strings.ContainsAny(rest[:1], ",}/") {
		return text // it is but a part of what stands there
	}
	return c.sources.text(ref)
}

// pasted is a value that fits one line, or what stands for it.
func pasted(text string) string {
	if text == "" || strings.Contains(text, "\n") || !parses(text) {
		return "{…} // … stays as it is"
	}
	return text
}

func (c *checker) owner(path string) string {
	if path == "" {
		if c.class != "" {
			return "a class"
		}
		return "a set"
	}
	return last(path)
}

// meant guesses which field a wrong name stands for: one of the same struct, or
// one of a struct beside it.
func (c *checker) meant(f, parent *node, t *typ, path string) (field, where string) {
	free := func(name string) bool { return parent.field(name) == nil }
	if m := near(f.name, t.names()); m != "" && (free(m) || m != synonyms[f.name]) {
		return m, ""
	}
	if m := synonyms[f.name]; m != "" && t.field(m) != nil && free(m) {
		return m, ""
	}
	for _, ft := range t.fields {
		if ft.typ.kind == structType && ft.typ.field(f.name) != nil {
			return f.name, ft.name
		}
	}
	for _, ft := range t.fields { // "initialInterval" for backoff.base
		if m := synonyms[f.name]; ft.typ.kind == structType && ft.typ.field(m) != nil && t.field(m) == nil && (path != "" || ft.name == "backoff") && parent.field(ft.name).field(m) == nil {
			return m, ft.name
		}
	}
	return "", ""
}

// realign keeps the column of a value when the name before it grows by some
// characters, as far as there are spaces for it.
func realign(rest string, grown int) string {
	value := strings.TrimLeft(rest, ": ")
	spaces := len(rest) - len(value) - 1
	if !strings.HasPrefix(rest, ":") || spaces < 2 || strings.Count(rest[:len(rest)-len(value)], ":") != 1 {
		return rest
	}
	return ":" + strings.Repeat(" ", max(1, spaces-grown)) + value
}
