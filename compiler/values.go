package compiler

// What one value may be, and what would be right instead.

import (
	"slices"
	"strconv"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
)

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
		if c.wrongOrder(n, path, right) {
			right = ""
		}
		if right == "" {
			right = exampleOf(path)
		}
		if right == "" {
			right = s.example
		}
		if c.wrongOrder(n, path, right) {
			return
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
		if c.wrongOrder(n, path, right) {
			return // not what the author means
		}
		c.suggest(d, n, path, right, right != "")
	}
}

// wrongOrder reports whether a suggested duration contradicts the other of its
// pair: base and cap, minBackoff and maxBackoff.
func (c *checker) wrongOrder(n *node, path, right string) bool {
	name := last(path)
	other, low := "", false
	switch name {
	case "base", "minBackoff":
		other, low = map[string]string{"base": "cap", "minBackoff": "maxBackoff"}[name], true
	case "cap", "maxBackoff":
		other = map[string]string{"cap": "base", "maxBackoff": "minBackoff"}[name]
	}
	text, err := strconv.Unquote(right)
	if other == "" || err != nil || c.root == nil {
		return false
	}
	around := c.root
	for _, part := range strings.Split(strings.TrimSuffix(path, "."+name), ".") {
		around = around.field(part)
	}
	o := around.field(other)
	if o == nil || o.kind != stringNode {
		return false
	}
	mine, wrong, _ := parseDuration(text)
	theirs, wrongToo, _ := parseDuration(o.text)
	if wrong != "" || wrongToo != "" {
		return false
	}
	return low && mine > theirs || !low && mine < theirs
}

// help writes what would be right in the place of a node's text, with the
// declaration that holds it.
func (c *checker) help(n *node, path, right string) string {
	return c.sources.rewritten(n, right, help(path, right))
}

// rewritten is the declaration that holds a text, with something else in its
// place, or otherwise where the node's own name says it as well.
func (s sources) rewritten(n *node, right, otherwise string) string {
	if n.bare && len(n.related) > 0 {
		return right
	}
	held, at := n.held, n.value
	text := s.text(held)
	from, to := at.Start.Offset-held.Start.Offset, at.End.Offset-held.Start.Offset
	if text == "" || held.File != at.File || from < 0 || to > len(text) || from > to {
		return otherwise
	}
	if text = text[:from] + right + text[to:]; strings.Contains(text, "\n") || len(text) > 120 {
		return right
	}
	return text
}

// suggest puts CUE that would be right into the help, and into a fix where the
// text says what was meant.
func (c *checker) suggest(d *ir.Diagnostic, n *node, path, right string, sure bool) {
	if right == "" {
		return
	}
	if m := (reader{sources{}}).text(c.sources.text(n.value)); m == nil || m.kind != n.kind || m.text != n.text {
		if n.kind == stringNode || n.kind == numberNode {
			return // put together by an expression: there is nothing to replace
		}
	}
	d.Help = []string{c.help(n, path, right)}
	if sure {
		d.Fix = &ir.Fix{Title: "write " + right, Edits: []ir.Edit{{Span: n.value, Text: right}}}
		for _, sp := range n.also {
			d.Fix.Edits = append(d.Fix.Edits, ir.Edit{Span: sp, Text: right})
		}
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
	if r := len(n.related); n.kind != stringNode && r > 0 && slices.Contains(t.words, c.sources.text(n.related[r-1].Span)) {
		// source: fields, where there is a field of that name
		at := n.related[r-1].Span
		word := c.sources.text(at)
		d := c.mistake(at, "%s without quotes is the field of that name: text stands in quotes", word)
		n.broken = true
		d.Set, d.Class, d.Field = c.set, c.class, path
		d.Help = []string{help(path, `"`+word+`"`)}
		d.Fix = &ir.Fix{Title: "put it in quotes", Edits: []ir.Edit{{Span: at, Text: `"` + word + `"`}}}
		return
	}
	if n.kind != stringNode {
		d := c.at(n, path, "%s is not %s: one of %s", n.quoted(), enumNouns[t.name], list(t.words))
		if ex := exampleOf(path); ex != "" {
			d.Help = []string{c.help(n, path, ex)}
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
