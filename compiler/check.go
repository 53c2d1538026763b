package compiler

import (
	"fmt"
	"slices"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
)

// checker holds one class, or the set-level fields, against the shape. It finds
// all mistakes: each field is looked at by itself.
type checker struct {
	notes
	sources sources
	lost    map[string]bool // fields that a mistake of syntax took away

	what  string // "class \"charge\"", or "the set"
	set   string
	class string // name, or empty
	self  ir.Span
	root  *node

	// claimed holds the paths that a misspelt field was meant to be: they are
	// not missing as well.
	claimed map[string]bool
}

// at reports a mistake about the value of a node.
func (c *checker) at(n *node, path, format string, args ...any) *ir.Diagnostic {
	d := c.mistake(n.value, format, args...)
	c.mark(d, n, path)
	return d
}

// atLabel reports a mistake about the name of a node, or that it is there.
func (c *checker) atLabel(n *node, path, format string, args ...any) *ir.Diagnostic {
	d := c.mistake(n.label, format, args...)
	c.mark(d, n, path)
	return d
}

func (c *checker) mark(d *ir.Diagnostic, n *node, path string) {
	n.broken = true
	d.Set, d.Class, d.Field = c.set, c.class, path
	d.Related = append(d.Related, c.through(n)...)
}

// through names the class that a shared value was found in, where the value
// stands somewhere else.
func (c *checker) through(n *node) []ir.Related {
	if len(n.related) > 0 {
		out := append([]ir.Related(nil), n.related[0])
		if c.class != "" {
			out[0].Message = fmt.Sprintf("class %q has it from here", c.class)
		}
		return out
	}
	return nil
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// check holds a node against a type.
func (c *checker) check(n *node, t *typ, path string) {
	if n.kind == brokenNode {
		n.broken = true
		return
	}
	if t.kind != structType && t.kind != mapType && c.swallowed(n) {
		// "owner:" alone, and below it "deadline: …": CUE reads the second line
		// as the value of the first.
		d := c.atLabel(n, path, "%s has no value, so the line below became its value", last(path))
		if ex := exampleOf(path); ex != "" {
			d.Help = []string{help(path, ex)}
		}
		for _, f := range n.fields {
			c.claim(join(strings.TrimSuffix(strings.TrimSuffix(path, last(path)), "."), f.name))
		}
		return
	}
	switch t.kind {
	case scalarType:
		c.scalar(n, t, path)
	case structType:
		if n.kind != structNode {
			d := c.at(n, path, "%s is %s, but it is a struct with %s", last(path), n.quoted(), enumerate(t.names()))
			if right := c.wrapped(n, t); right != "" {
				c.suggest(d, n, path, right, true)
			} else {
				c.suggest(d, n, path, exampleOf(path), false)
			}
			return
		}
		c.structure(n, t, path)
	case mapType:
		if n.kind != structNode {
			d := c.at(n, path, "%s is %s, but it is a struct of names and values", last(path), n.quoted())
			if ex := exampleOf(path); ex != "" {
				d.Help = []string{last(path) + ": " + ex}
			}
			return
		}
		for _, f := range n.fields {
			c.key(f, path)
			c.check(f, t.elem, join(path, f.name))
		}
	case listType:
		if n.kind != listNode {
			d := c.at(n, path, "%s is %s, but it is a list", last(path), n.quoted())
			if text := c.sources.text(n.value); text != "" && n.kind == stringNode {
				d.Help = []string{fmt.Sprintf("%s: [%s]", last(path), text)}
				d.Fix = &ir.Fix{Title: "make it a list", Edits: []ir.Edit{{Span: n.value, Text: "[" + text + "]"}}}
			}
			return
		}
		seen := map[string]*node{}
		for _, e := range n.elems {
			c.check(e, t.elem, join(path, e.name))
			if e.kind == stringNode && !e.broken {
				if seen[e.text] != nil {
					c.at(e, join(path, e.name), "%q is twice in %s", e.text, last(path))
				}
				seen[e.text] = e
			}
		}
	case unionType:
		if n.kind == structNode {
			c.check(n, t.body, path)
			return
		}
		if n.kind != scalarKind(t.text) {
			d := c.at(n, path, "%s is neither %s nor a struct with the fields %s", n.quoted(), nounOf(t.text), list(t.body.names()))
			if ex := exampleOf(path); ex != "" {
				d.Help = []string{help(path, ex)}
			}
			return
		}
		c.check(n, t.text, path)
	}
}

// wrapped writes a bare value as the struct that it was meant for: "2m" as
// {within: "2m"}, where it is right for the first field of the struct.
func (c *checker) wrapped(n *node, t *typ) string {
	value, f := c.sources.text(n.value), t.fields[0]
	if value == "" {
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

func scalarKind(t *typ) nodeKind {
	if s := scalars[t.name]; s != nil {
		return s.kind
	}
	return stringNode
}

func nounOf(t *typ) string {
	if t.words != nil {
		return enumNouns[t.name]
	}
	return scalars[t.name].noun
}

func (c *checker) structure(n *node, t *typ, path string) {
	for _, f := range n.fields {
		ft := t.field(f.name)
		if ft == nil {
			c.unknown(f, n, t, path)
			continue
		}
		c.check(f, ft.typ, join(path, f.name))
	}
	for _, ft := range t.fields {
		if !ft.required || n.field(ft.name) != nil || c.excused(join(path, ft.name)) {
			continue
		}
		c.missing(n, path, ft.name)
	}
}

// missing reports a field that has to be there, at the nearest name that is.
func (c *checker) missing(parent *node, path, name string) *ir.Diagnostic {
	full := join(path, name)
	c.claim(full) // once is enough
	at, what := c.self, c.what
	if path != "" && parent != nil {
		what = last(path)
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
	d := c.mistake(at, "%s has no %s", what, name)
	d.Set, d.Class, d.Field = c.set, c.class, full
	if parent != nil && path != "" {
		d.Related = c.through(parent)
	}
	if ex := exampleOf(full); ex != "" {
		d.Help = []string{name + ": " + ex}
	}
	return d
}

// excused reports whether a field that is not there is not missing: a misspelt
// one was meant to be it, or a mistake of syntax took it away.
func (c *checker) excused(path string) bool { return c.claimed[path] || c.lost[last(path)] }

func (c *checker) claim(path string) {
	if c.claimed == nil {
		c.claimed = map[string]bool{}
	}
	c.claimed[path] = true
}

// unknown reports a field that the language does not have, and what it was
// meant to be.
func (c *checker) unknown(f, parent *node, t *typ, path string) {
	meant, where := c.meant(f, parent, t)
	full := join(path, f.name)
	switch {
	case meant == "" && path == "" && c.class == "":
		d := c.atLabel(f, full, "unknown field %q; a set has %s, and values to share are definitions or hidden", f.name, list(t.names()))
		if isIdentifier(f.name) {
			d.Help = []string{"#" + f.name + ": …"}
		}
	case meant == "":
		d := c.atLabel(f, full, "unknown field %q; %s has %s", f.name, c.owner(path), list(t.names()))
		if len(t.names()) > 8 {
			d.Message = fmt.Sprintf("unknown field %q", f.name)
		}
	case where != "":
		c.claim(join(join(path, where), meant))
		c.claim(join(path, where))
		d := c.atLabel(f, full, "unknown field %q; did you mean %s.%s?", f.name, where, meant)
		if text := c.sources.text(f.value); text != "" && !strings.Contains(text, "\n") {
			d.Help = []string{fmt.Sprintf("%s: %s: %s", where, meant, text)}
		}
	default:
		c.claim(join(path, meant))
		d := c.atLabel(f, full, "unknown field %q; did you mean %q?", f.name, meant)
		label, _, _ := strings.Cut(c.sources.span2(f.label, f.value), "\n")
		if rest, ok := strings.CutPrefix(strings.TrimRight(label, "\r"), c.sources.text(f.label)); ok && rest != "" {
			d.Help = []string{meant + rest}
		} else {
			d.Help = []string{meant + ": …"}
		}
		if parent.field(meant) == nil {
			d.Fix = &ir.Fix{Title: "rename it to " + meant, Edits: []ir.Edit{{Span: f.label, Text: meant}}}
		}
		if ft := t.field(meant); ft != nil && parent.field(meant) == nil {
			// What is inside may be wrong as well.
			before := f.broken
			c.check(f, ft.typ, join(path, meant))
			f.broken = before
		}
	}
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
func (c *checker) meant(f, parent *node, t *typ) (field, where string) {
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
	return "", ""
}

func (c *checker) scalar(n *node, t *typ, path string) {
	if t.words != nil {
		c.word(n, t, path)
		return
	}
	s := scalars[t.name]
	if n.kind == bytesNode && s.kind == stringNode {
		c.bytes(n, path)
		return
	}
	if n.kind != s.kind && (s.other == 0 || n.kind != s.other) {
		d := c.at(n, path, "%s is not %s", n.quoted(), s.noun)
		if s.rule != "" {
			d.Message += ": " + s.rule
		}
		right, sure := c.converted(n, s)
		if right == "" {
			right = exampleOf(path)
		}
		if right == "" {
			right = s.example
		}
		c.suggest(d, n, path, right, sure)
		return
	}
	switch {
	case t.name == "#HTTPPattern":
		c.pattern(n, ir.HTTP, path)
		return
	case t.name == "#GRPCMethod":
		c.pattern(n, ir.GRPC, path)
		return
	case s.check == nil:
		return
	}
	if reason, right := s.check(n); reason != "" {
		d := c.at(n, path, "%s is not %s: %s", n.quoted(), s.noun, reason)
		if t.name == "#Text" {
			d.Message = last(path) + " is empty"
		}
		c.suggest(d, n, path, right, right != "")
	}
}

// suggest puts CUE that would be right into the help, and into a fix where the
// text says what was meant.
func (c *checker) suggest(d *ir.Diagnostic, n *node, path, right string, sure bool) {
	if right == "" {
		return
	}
	d.Help = []string{help(path, right)}
	if sure {
		d.Fix = &ir.Fix{Title: "write " + right, Edits: []ir.Edit{{Span: n.value, Text: right}}}
	}
}

// converted writes a value of the wrong kind in the right one, where nothing is
// guessed: 4 for "4", "x" for x.
func (c *checker) converted(n *node, s *scalar) (string, bool) {
	try := func(m *node, text string) (string, bool) {
		if s.check != nil {
			if reason, _ := s.check(m); reason != "" {
				return "", false
			}
		}
		return text, true
	}
	switch {
	case n.kind == stringNode && s.kind == numberNode:
		if m := (reader{}).text(n.text); m != nil && m.kind == numberNode {
			return try(m, n.text)
		}
	case n.kind == stringNode && s.kind == boolNode && (n.text == "true" || n.text == "false"):
		return n.text, true
	case n.kind == numberNode && s.kind == stringNode && strings.HasPrefix(s.noun, "a duration"):
		if n.whole && n.integer > 0 {
			text, _ := try(&node{kind: stringNode, text: n.text + "s"}, `"`+n.text+`s"`)
			return text, false // seconds are a guess
		}
	}
	return "", false
}

// bytes reports 'text' in single quotes.
func (c *checker) bytes(n *node, path string) {
	raw := c.sources.text(n.value)
	d := c.at(n, path, "%s holds bytes: text stands in double quotes", last(path))
	if inner := strings.Trim(raw, "'"); strings.HasPrefix(raw, "'") && !strings.ContainsAny(inner, "\"'\\\n") {
		c.suggest(d, n, path, `"`+inner+`"`, true)
	}
}

func (c *checker) word(n *node, t *typ, path string) {
	if n.kind == bytesNode {
		c.bytes(n, path)
		return
	}
	if n.kind != stringNode {
		d := c.at(n, path, "%s is not %s: one of %s", n.quoted(), enumNouns[t.name], list(t.words))
		if ex := exampleOf(path); ex != "" {
			d.Help = []string{help(path, ex)}
		}
		return
	}
	for _, w := range t.words {
		if w == n.text {
			return
		}
	}
	if m := near(n.text, t.words); m != "" {
		d := c.at(n, path, "%q is not %s; did you mean %q? One of %s", n.text, enumNouns[t.name], m, list(t.words))
		c.suggest(d, n, path, `"`+m+`"`, true)
		return
	}
	c.at(n, path, "%q is not %s: one of %s", n.text, enumNouns[t.name], list(t.words))
}

// key checks the name of an entry whose name the author chose. Keys of outcomes
// depend on the kind of the class and are checked with the rules.
func (c *checker) key(f *node, path string) {
	switch path {
	case "retryBudgets":
		if reason, right := scalars["#BudgetName"].check(&node{text: f.name}); reason != "" {
			d := c.atLabel(f, join(path, f.name), "%q is not the name of a retry budget: %s", f.name, reason)
			if right != "" {
				d.Help = []string{fmt.Sprintf("retryBudgets: %s: …", right)}
			}
		}
	case "lint", "waive":
		if !ruleRE.MatchString(f.name) {
			d := c.atLabel(f, join(path, f.name), `%q is not the id of a rule: lower-case letters, digits and "-"`, f.name)
			if right := suggestName(f.name, ruleRE, '-', true); right != "" {
				d.Help = []string{fmt.Sprintf("%s: %s: …", path, right)}
			}
		}
	}
}

// look finds a sound node. known is false where the path cannot be judged: it
// is broken, misspelt, or below something that is.
func (c *checker) look(path string) (n *node, known bool) {
	n = c.root
	full := ""
	for _, name := range strings.Split(path, ".") {
		if n.broken {
			return nil, false
		}
		full = join(full, name)
		next := n.field(name)
		if next == nil {
			return nil, !c.excused(full)
		}
		n = next
	}
	return n, !n.broken
}

// enumerate writes words as a sentence has them: a, b and c.
func enumerate(words []string) string {
	if n := len(words); n > 1 {
		return list(words[:n-1]) + " and " + words[n-1]
	}
	return list(words)
}

// list writes words with commas.
func list(words []string) string { return strings.Join(words, ", ") }

func last(path string) string {
	if i := strings.LastIndexByte(path, '.'); i >= 0 && !isIndex(path[i+1:]) {
		return path[i+1:]
	} else if i >= 0 {
		return last(path[:i])
	}
	return path
}

func isIndex(s string) bool {
	for _, r := range s {
		if r < '0' || r > '9' {
			return false
		}
	}
	return s != ""
}

// help writes a field with its value, quoting names that need it; an element of
// a list stands alone.
func help(path, value string) string {
	i := strings.LastIndexByte(path, '.')
	name := path[i+1:]
	if isIndex(name) && i >= 0 && !strings.HasPrefix(path, "outcome") && !strings.HasPrefix(path, "perOutcome") {
		return value
	}
	if !isIdentifier(name) {
		name = `"` + name + `"`
	}
	return name + ": " + value
}

func isIdentifier(s string) bool {
	for i, r := range s {
		if !(r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || i > 0 && r >= '0' && r <= '9') {
			return false
		}
	}
	return s != ""
}
