package compiler

// The mistakes of syntax that people make, by what the parser says and by the
// text around it. Each says what was meant where that can be told, and reading
// goes on from there.

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	cueerrors "cuelang.org/go/cue/errors"
)

var (
	fieldName    = regexp.MustCompile(`^[ \t]*"?([A-Za-z_][A-Za-z0-9_]*)"?[ \t]*:?`)
	dashedName   = regexp.MustCompile(`([A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)+)[ \t]*$`)
	nameBefore   = regexp.MustCompile(`("[^"\n]*"|[A-Za-z_#][A-Za-z0-9_]*)[ \t]*$`)
	spacedUnit   = regexp.MustCompile(`([0-9]+(?:\.[0-9]+)?)[ \t]+$`)
	unitWord     = regexp.MustCompile(`^(ns|us|µs|μs|ms|s|m|h|d|B|KiB|MiB|GiB|KB|MB|GB|sec|secs|min|mins|hours?|days?|minutes?|seconds?)\b`)
	assignment   = regexp.MustCompile(`(?:^|[{,\n])[ \t]*("[^"\n]*"|[A-Za-z_][A-Za-z0-9_-]*)[ \t]*(:?=>?)[ \t]*`)
	valueAt      = regexp.MustCompile(`([A-Za-z_][A-Za-z0-9_]*)"?[ \t]*:[ \t]*(@[A-Za-z_][A-Za-z0-9_]*)(?:[ \t,}\r]|$)`)
	nextField    = regexp.MustCompile(`^[ \t]*("[^"\n]*"|[A-Za-z_#][A-Za-z0-9_-]*)[ \t]*[:{]`)
	labelOfClass = regexp.MustCompile(`^class[ \t]*:[ \t]*$`)
	blockLabel   = regexp.MustCompile(`^("[^"\n]*"|[A-Za-z_][A-Za-z0-9_-]*)[ \t]*\{`)
)

// diagnose words one message of the parser's about a part of a text.
func diagnose(s *source, c stretch, e cueerrors.Error, at int) slip {
	return (&diagnosis{s: s, text: s.read[:c.end], at: at}).slip(e)
}

// diagnosis is the text around a message.
type diagnosis struct {
	s    *source
	text []byte
	at   int

	line       stretch
	head, rest []byte // of the line, before and from the place
	msg        string
	found      string // what stands at the place
}

func (d *diagnosis) slip(e cueerrors.Error) slip {
	format, args := e.Msg()
	d.msg = fmt.Sprintf(format, args...)
	d.line = lineAround(d.text, d.at)
	d.head, d.rest = d.text[d.line.start:d.at], d.text[d.at:d.line.end]
	d.found = quoteFound(d.rest)
	for _, known := range []func() (slip, bool){
		d.not, d.andOr, d.loopParentheses, d.choice, d.coalesce, d.inlineIf, d.valueIf, d.otherCondition, d.thriceEqual, d.interpolation,
		d.doubled, d.packageClause, d.importClause, d.escapes, d.manyLines, d.bareNumber, d.spacedNumber, d.strayQuote, d.equals, d.closing,
		d.atTheEnd, d.openList, d.dashed, d.comma, d.label, d.value, d.quotes, d.others,
	} {
		if m, ok := known(); ok {
			return m
		}
	}
	return d.here("the syntax is broken here; CUE says: %s", cuesWords(d.msg))
}

// here is a mistake at the place of the message.
func (d *diagnosis) here(format string, args ...any) slip {
	return slip{start: d.at, end: d.at + firstWord(d.rest), message: fmt.Sprintf(format, args...)}
}

func (d *diagnosis) says(prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(d.msg, p) })
}

var tokenBefore = regexp.MustCompile(`([A-Za-z_#][A-Za-z0-9_]*|"[^"\n]*"|[0-9]+)[ \t]+$`)

// doubled finds a word or a text that stands twice in a row.
func (d *diagnosis) doubled() (slip, bool) {
	f := tokenBefore.FindSubmatchIndex(d.head)
	if f == nil {
		return slip{}, false
	}
	token := d.head[f[2]:f[3]]
	end := d.at + len(token)
	if !bytes.HasPrefix(d.rest, token) || isWordByte(token[0]) && end < len(d.text) && d.text[end] != '.' && isWordByte(d.text[end]) {
		return slip{}, false
	}
	from := d.line.start + f[3]
	return slip{start: d.at, end: end, message: fmt.Sprintf("%s stands here twice", token), title: "remove it", fix: []edit{{from, end, ""}}}, true
}

// equals finds name = value: CUE takes it for the start of an alias and notices
// later.
func (d *diagnosis) equals() (slip, bool) {
	if !d.says("expected label or ':'", "expected operand, found '='") {
		return slip{}, false
	}
	from := max(0, d.at-300)
	window := d.text[from:min(len(d.text), d.at+3)]
	all := assignment.FindAllSubmatchIndex(window, -1)
	if len(all) == 0 {
		return slip{}, false
	}
	last := all[len(all)-1]
	start, end := from+last[4], from+last[5]
	if start > d.at || bytes.ContainsAny(bytes.TrimRight(d.text[min(end, d.at):d.at], " \t\r\n"), "\n:") || bytes.HasPrefix(d.text[end:], []byte("~")) {
		return slip{}, false
	}
	m := slip{start: start, end: end, message: fmt.Sprintf("a field has a colon between name and value, not %s", d.text[start:end]), title: "write a colon"}
	with := edit{start, end, ":"}
	if start > 0 && d.text[start-1] == ' ' {
		with.start--
		for with.start > 0 && d.text[with.start-1] == ' ' {
			with.start--
		}
	}
	m.fix = []edit{with}
	if value := valueHelp(bytes.TrimLeft(d.text[end:lineAround(d.text, end).end], " \t"), ""); value != "" {
		m.help = []string{string(d.text[from+last[2]:from+last[3]]) + ": " + value}
	}
	return m, true
}

func (d *diagnosis) comma() (slip, bool) {
	if !d.says("missing ','") {
		return slip{}, false
	}
	before := d.at - len(d.head) + len(bytes.TrimRight(d.head, " \t"))
	if f := nameBefore.FindSubmatchIndex(d.head); f != nil && len(d.rest) > 0 && strings.IndexByte(";/,", d.rest[0]) < 0 && bytes.HasSuffix(bytes.TrimRight(d.head[:f[2]], " \t"), []byte(":")) {
		// class: a: attempts 3
		if name := string(d.head[f[2]:f[3]]); name[0] != '"' {
			if _, _, known := unitsOf(name); known {
				m := slip{start: d.at, end: d.at + firstWord(d.rest), message: "a colon is missing after " + name, title: "write a colon", fix: []edit{{before, before, ":"}}}
				m.help = []string{name + ": " + valueHelp(d.rest, "")}
				return m, true
			}
		}
	}
	switch {
	case bytes.HasPrefix(d.rest, []byte(";")):
		m := slip{start: d.at, end: d.at + 1, message: "a field ends with its line, or with a comma: no semicolon", title: "remove the semicolon"}
		with := ","
		if len(bytes.TrimSpace(d.rest[1:])) == 0 || d.rest[1] == '}' {
			with = ""
		}
		m.fix = []edit{{d.at, d.at + 1, with}}
		return m, true
	case bytes.HasPrefix(d.rest, []byte("/*")) || bytes.HasPrefix(d.rest, []byte("*/")):
		return slip{}, false
	case bytes.HasPrefix(d.rest, []byte("{")):
		m := slip{start: d.at, end: d.at + 1, message: "a colon is missing before {", title: "write a colon", fix: []edit{{before, before, ":"}}}
		if f := nameBefore.FindSubmatch(d.head); f != nil {
			m.help = []string{string(f[1]) + ": " + valueHelp(d.rest, "")}
		}
		return m, true
	case nextField.Match(d.rest):
		m := slip{start: d.at, end: d.at + firstWord(d.rest), message: "a comma is missing between two fields on one line", title: "write a comma", fix: []edit{{before, before, ","}}}
		return m, true
	case strings.HasSuffix(d.msg, "list literal") && len(d.rest) > 0 && strings.IndexByte(`"'{[#0123456789`, d.rest[0]) >= 0:
		return slip{start: d.at, end: d.at + firstWord(d.rest), message: "a comma is missing between two elements", title: "write a comma", fix: []edit{{before, before, ","}}}, true
	case strings.HasPrefix(strings.TrimSpace(string(d.text[d.line.start:d.line.end])), "- "):
		m := d.here("a list stands in brackets, with commas between its elements: [a, b]")
		return m, true
	}
	m := d.here("%s cannot stand here: the value before it is complete, and a comma or a new line has to follow", d.found)
	end := d.at
	for end < d.line.end && strings.IndexByte(",}])", d.text[end]) < 0 {
		if q := d.text[end]; q == '"' || q == '\'' {
			end = min(skipString(d.text, end), d.line.end-1)
		}
		end++
	}
	m.stand = []edit{{before, end, ""}}
	return m, true
}

func (d *diagnosis) label() (slip, bool) {
	if !d.says("expected label or ':'") {
		return slip{}, false
	}
	before := d.at - len(d.head) + len(bytes.TrimRight(d.head, " \t"))
	f := nameBefore.FindSubmatchIndex(d.head)
	if f == nil {
		return d.here("%s cannot stand here: a field is a name, a colon and a value", d.found), true
	}
	name := string(d.head[f[2]:f[3]])
	if len(d.rest) > 0 && strings.IndexByte(";.,(", d.rest[0]) >= 0 {
		m := slip{start: d.at, end: d.at + 1, message: fmt.Sprintf("a colon belongs after %s, not %c", name, d.rest[0]), title: "write a colon", fix: []edit{{d.at, d.at + 1, ":"}}}
		m.help = []string{name + ": " + valueHelp(bytes.TrimLeft(d.rest[1:], " \t"), "")}
		return m, true
	}
	m := slip{start: d.at, end: d.at + firstWord(d.rest), message: "a colon is missing after " + name, title: "write a colon", fix: []edit{{before, before, ":"}}}
	if f[2] == 0 && name != "class" && nearest1(name, "class") != "" {
		m.message += "; did you mean class?"
		m.fix[0] = edit{d.line.start, before, "class:"}
		name = "class"
	}
	m.help = []string{name + ": " + valueHelp(d.rest, "")}
	if b := blockLabel.FindSubmatchIndex(d.rest); b != nil {
		// class "a" {…}, as other languages have it
		inner := string(d.rest[b[2]:b[3]])
		m.message = fmt.Sprintf("a colon is missing after %s and after %s", name, inner)
		m.fix = append(m.fix, edit{d.at + b[3], d.at + b[3], ":"})
		m.help = []string{name + ": " + inner + ": " + valueHelp(bytes.TrimLeft(d.rest[b[3]:], " \t"), "")}
		m.title = "write the colons"
	}
	return m, true
}

// value finds values that are missing, and what stands in their place.
func (d *diagnosis) value() (slip, bool) {
	if d.says("expected '{', found ':'") {
		return slip{start: d.at, end: d.at + 1, message: "the struct of an if or a for follows without a colon", title: "remove the colon", fix: []edit{{d.at, d.at + 1, ""}}}, true
	}
	if !d.says("expected operand", "invalid attribute") {
		return slip{}, false
	}
	if f := valueAt.FindSubmatchIndex(d.text[d.line.start:d.line.end]); f != nil && d.line.start+f[5] >= d.at {
		at, end := d.line.start+f[4], d.line.start+f[5]
		m := slip{start: at, end: end, message: fmt.Sprintf("%s is no value: @ begins an attribute", d.text[at:end]), lost: string(d.text[d.line.start+f[2] : d.line.start+f[3]])}
		m.stand = []edit{{at, end, unknown}}
		return m, true
	}
	if d.says("invalid attribute") {
		return slip{}, false
	}
	if i := bytes.Index(d.text[d.line.start:d.line.end], []byte("/*")); i >= 0 {
		start := d.line.start + i
		m := slip{start: start, end: start + 2, message: "a comment begins with // and ends with its line"}
		end := d.line.end
		if j := bytes.Index(d.text[start:], []byte("*/")); j >= 0 {
			end = start + j + 2
		}
		m.stand = []edit{{start, end, ""}}
		return m, true
	}
	before := bytes.TrimRight(d.text[:d.at], " \t\r\n")
	if bytes.HasPrefix(d.rest, []byte(",")) && bytes.HasSuffix(before, []byte(",")) {
		return slip{start: d.at, end: d.at + 1, message: "one comma too many", title: "remove the comma", fix: []edit{{d.at, d.at + 1, ""}}}, true
	}
	if gap := d.at - len(before); gap > 0 && bytes.HasPrefix(d.rest, []byte(":")) && bytes.HasSuffix(before, []byte(":")) {
		m := slip{start: len(before) - 1, end: d.at + 1, message: "a name is missing between these colons", all: true}
		m.stand = []edit{{d.at, d.at, skipped(d.at)}}
		return m, true
	}
	if bytes.HasPrefix(d.rest, []byte(":")) && bytes.HasSuffix(before, []byte(":")) {
		return slip{start: d.at, end: d.at + 1, message: "one colon too many", title: "remove the colon", fix: []edit{{d.at, d.at + 1, ""}}}, true
	}
	if bytes.HasSuffix(before, []byte(":")) {
		at := len(before)
		line := lineAround(d.text, at)
		m := slip{start: at, end: at, message: "the value is missing"}
		if f := nameBefore.FindSubmatch(before[line.start : at-1]); f != nil {
			name := strings.Trim(string(f[1]), `"`)
			m.message = fmt.Sprintf("%s has no value", name)
			m.lost = name
			if ex := exampleOfName(name); ex != "" {
				m.help = []string{string(f[1]) + ": " + ex}
			}
		}
		m.stand = []edit{{at, at, " " + unknown}}
		return m, true
	}
	if d.found == "" {
		return d.here("the value is missing"), true
	}
	return d.here("a value is missing before %s", d.found), true
}

func (d *diagnosis) others() (slip, bool) {
	switch {
	case d.says("illegal token '..'"):
		m := slip{start: d.at, end: d.at + 2, message: ".. says nothing; a struct or a list that takes more ends with ...", title: "write ...", fix: []edit{{d.at, d.at + 2, "..."}}}
		if d.at > 0 && isWordByte(d.text[d.at-1]) && d.at+2 < len(d.text) && isWordByte(d.text[d.at+2]) {
			m.message, m.title, m.fix = "one dot too many", "remove it", []edit{{d.at, d.at + 1, ""}}
		}
		return m, true
	case d.says("identifiers starting with '__'"):
		m := d.here("a name begins with one _ at most")
		m.title, m.fix = "remove one", []edit{{d.at, d.at + 1, ""}}
		return m, true
	case d.msg == "illegal integer number":
		word := string(d.rest[:firstWord(d.rest)])
		m := d.here("%s is not a number: it has zeros in front", word)
		if right := strings.TrimLeft(word, "0"); right != "" && isIndex(right) {
			m.title, m.fix = "write "+right, []edit{{d.at, d.at + len(word), right}}
			m.help = []string{right}
			if name := labelOf(d.head); name != "" {
				m.help = []string{name + ": " + right}
			}
		}
		return m, true
	case strings.HasPrefix(d.msg, "illegal") && strings.HasSuffix(d.msg, "in number"):
		return d.here("this is not a number"), true
	case d.msg == "illegal UTF-8 encoding":
		return slip{start: d.at, end: d.at + 1, message: "the text is not UTF-8 here", title: "remove the byte", fix: []edit{{d.at, d.at + 1, ""}}}, true
	case d.says("expected '{', found '='"):
		return slip{start: d.at, end: d.at + 1, message: "whether two values are equal is asked with ==", title: "write ==", fix: []edit{{d.at, d.at + 1, "=="}}}, true
	case d.says("invalid import path"):
		return d.here("%s is not the path of a package", d.found), true
	case d.says("else requires"):
		return d.here("CUE has no else: write a second if with the opposite condition"), true
	}
	return slip{}, false
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c > 127
}

// valueHelp writes the value that a line goes on with, for a help that can be
// pasted; what opens a struct goes on below.
func valueHelp(rest []byte, otherwise string) string {
	text := strings.TrimRight(string(rest), " \t\r,")
	if i := strings.Index(text, " //"); i >= 0 {
		text = strings.TrimRight(text[:i], " \t,")
	}
	for {
		if text != "" && parsesAsFile("x: "+text) {
			return text
		}
		i := strings.LastIndexAny(text, "}],")
		if i <= 0 {
			break
		}
		text = strings.TrimRight(text[:i], " \t")
	}
	if strings.HasPrefix(string(rest), "{") {
		return "{…} // … stays as it is"
	}
	if otherwise == "" {
		return "… // … stays as it is"
	}
	return otherwise
}
