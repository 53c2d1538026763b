package compiler

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"cuelang.org/go/cue/ast"
	cueerrors "cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/parser"

	"github.com/retryc/retryc/compiler/ir"
)

// parse reads the syntax of a file. CUE's parser stumbles on after a mistake and
// reports its own confusion as well, so only its first message counts; then the
// text that it is about is blanked (a line where that is enough, else the
// declaration at the top of the file around it), which leaves every other
// position as it is, and the rest is read again.
func (u *unit) parse(src *source) *ast.File {
	text := src.text
	const most = 100
	for range most {
		f, err := parser.ParseFile(src.abs, text, parser.ParseComments, parser.AllErrors, u.module.version())
		if err == nil {
			return f
		}
		first, at := firstError(err, src)
		next := u.blank(src, text, u.syntaxMistake(src, text, first, at))
		if next == nil {
			return nil
		}
		text = next
	}
	return nil
}

func firstError(err error, src *source) (first cueerrors.Error, at int) {
	at = len(src.text) + 1
	for _, e := range cueerrors.Errors(err) {
		offset := 0
		if p := e.Position(); p.HasAbsPos() {
			offset = p.Offset()
		}
		if offset < at {
			first, at = e, offset
		}
	}
	return first, min(at, len(src.text))
}

var (
	bareUnit   = regexp.MustCompile(`^([0-9]+(\.[0-9]+)?) ?(ns|us|µs|ms|s|m|h|d|B|KiB|MiB|GiB)\b`)
	dashedName = regexp.MustCompile(`([A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)+)[ \t]*$`)
	fieldName  = regexp.MustCompile(`^[ \t]*"?([A-Za-z_][A-Za-z0-9_]*)"?[ \t]*:?`)
)

// syntaxMistake words one message of the parser's. It returns where the mistake
// is, which may be before the place that the parser noticed it at.
func (u *unit) syntaxMistake(src *source, text []byte, e cueerrors.Error, at int) int {
	format, args := e.Msg()
	msg := fmt.Sprintf(format, args...)
	line := lineAround(text, at)
	rest := text[at:line.end]
	head := text[line.start:at]
	place := src.span(at, at+firstWord(rest))

	// A value with a unit and without quotes is two tokens for CUE.
	if i := lastValue(head); i >= 0 {
		if m := bareUnit.Find(text[line.start+i : line.end]); m != nil && line.start+i+len(m) > at-1 {
			right := `"` + strings.ReplaceAll(string(m), " ", "") + `"`
			if name := fieldName.FindSubmatch(head); name != nil && !takesUnit(string(name[1])) {
				u.mistake(place, "a number has no unit, and text stands in quotes")
				return at
			}
			span := src.span(line.start+i, line.start+i+len(m))
			d := u.mistake(span, "%s needs quotes: %s", m, right)
			if name := fieldName.FindSubmatch(head); name != nil {
				d.Help = []string{string(name[1]) + ": " + right}
			}
			d.Fix = &ir.Fix{Title: "put it in quotes", Edits: []ir.Edit{{Span: span, Text: right}}}
			return at
		}
	}
	found := quoteFound(rest)
	switch {
	case strings.HasSuffix(msg, "found 'EOF'") || at >= len(bytes.TrimRight(text, " \t\r\n")) && strings.HasPrefix(msg, "missing ','"):
		if open, char := unclosed(text); open >= 0 {
			u.mistake(src.span(open, open+1), "this %c is never closed", char)
			return open
		}
		u.mistake(place, "the file ends too early")
	case strings.HasPrefix(msg, "missing ','") && bytes.HasPrefix(rest, []byte(":")) && openList(text[:at]) >= 0:
		open := openList(text[:at])
		u.mistake(src.span(open, open+1), "this %c is never closed", text[open])
		return open
	case strings.HasPrefix(msg, "missing ','") && dashedName.Match(head):
		// photo-upload: {…} is a subtraction for CUE
		m := dashedName.FindSubmatchIndex(head)
		name := string(head[m[2]:m[3]])
		span := src.span(line.start+m[2], line.start+m[3])
		d := u.mistake(span, "a name with - in it needs quotes")
		d.Help = []string{strings.TrimSpace(string(head[:m[2]]) + strconv.Quote(name) + string(rest))}
		d.Fix = &ir.Fix{Title: "put it in quotes", Edits: []ir.Edit{{Span: span, Text: strconv.Quote(name)}}}
	case strings.HasPrefix(msg, "missing ','"):
		if m := regexp.MustCompile(`^[ \t]*([A-Za-z_"#][^ \t:]*)[ \t]*[:{]`).FindSubmatch(rest); m != nil && bytes.Contains(rest, []byte(":")) {
			u.mistake(place, "a comma is missing between two fields on one line").Help = []string{insertComma(head, rest)}
		} else if bytes.HasPrefix(rest, []byte("{")) {
			d := u.mistake(place, "a colon is missing before {")
			d.Help = []string{strings.TrimSpace(strings.TrimRight(string(head), " ") + ": {")}
		} else if bytes.HasPrefix(rest, []byte(";")) {
			d := u.mistake(place, "a field ends with its line, or with a comma: no semicolon")
			d.Fix = &ir.Fix{Title: "remove the semicolon", Edits: []ir.Edit{{Span: src.span(at, at+1)}}}
		} else {
			u.mistake(place, "%s cannot stand here: the value before it is complete, and a comma or a new line has to follow", found)
		}
	case strings.HasPrefix(msg, "expected label or ':'"):
		if i := equalsAbove(text, line.start); i >= 0 {
			d := u.mistake(src.span(i, i+1), "a field has a colon between name and value, not =")
			d.Fix = &ir.Fix{Title: "write a colon", Edits: []ir.Edit{{Span: src.span(i, i+1), Text: ":"}}}
			return i
		}
		first, _, _ := strings.Cut(strings.TrimSpace(string(head)), " ")
		if m := fieldName.FindSubmatch(head); m != nil && first != "package" && first != "import" {
			name := string(m[1])
			u.mistake(place, "a colon is missing after %s", name).Help = []string{name + ": " + strings.TrimSpace(string(rest))}
		} else if first == "import" {
			u.mistake(place, "imports stand below the package clause, before everything else")
		} else if first == "package" {
			u.mistake(place, "the package clause stands first in a file, and once")
		} else if strings.HasPrefix(first, "#") {
			u.mistake(src.span(line.start, line.start+1), "a comment begins with //")
		} else {
			u.mistake(place, "%s cannot stand here: a field is a name, a colon and a value", found)
		}
	case strings.HasPrefix(msg, "expected operand"):
		if i := bytes.Index(text[line.start:line.end], []byte("/*")); i >= 0 {
			u.mistake(src.span(line.start+i, line.start+i+2), "a comment begins with // and ends with its line")
			return at
		}
		switch {
		case found == "":
			u.mistake(place, "the value is missing")
		default:
			u.mistake(place, "a value is missing before %s", found)
		}
	case strings.HasPrefix(msg, "expected 'EOF'"):
		u.mistake(place, "%s closes nothing", found)
	case msg == "string literal not terminated":
		d := u.mistake(src.span(at, line.end), "the text that begins here has no closing quote")
		d.Help = []string{strings.TrimSpace(string(text[line.start:line.end])) + string(text[at])}
	case msg == "unknown escape sequence":
		u.mistake(place, `\%s is no escape sequence; a backslash itself is written \\`, firstRune(rest))
	case msg == "illegal integer number":
		u.mistake(src.span(at, at+firstWord(rest)), "%s is not a number: it has zeros in front", found)
	case strings.HasPrefix(msg, "illegal character"):
		r, n := utf8.DecodeRune(rest)
		at := src.span(at, at+n)
		switch r {
		case '“', '”', '„', '‘', '’':
			u.mistake(at, "%c is a typographic quote; text stands between straight ones", r)
		case '\uFEFF':
			u.mistake(at, "a byte order mark may only stand first in a file")
		default:
			u.mistake(at, "the character %q cannot stand here", r)
		}
	case msg == "illegal UTF-8 encoding":
		u.mistake(place, "the text is not UTF-8 here")
	case strings.HasPrefix(msg, "invalid import path"):
		u.mistake(place, "%s is not the path of a package", found)
	default:
		u.mistake(place, "the syntax is broken here; CUE says: %s", msg)
	}
	return at
}

// syntaxMistakes reports all that the parser says about a file of CUE's own.
func (u *unit) syntaxMistakes(src *source, err error) {
	e, at := firstError(err, src)
	u.syntaxMistake(src, src.text, e, at)
}

// takesUnit reports whether a field of that name, anywhere in the language, is
// a duration or a size, or is not known.
func takesUnit(name string) bool {
	known, takes := false, false
	var visit func(t *typ)
	visit = func(t *typ) {
		for _, f := range t.fields {
			if f.name == name {
				known = true
				takes = takes || strings.HasPrefix(f.typ.name, "#Duration") || f.typ.name == "#Size"
			}
			visit(f.typ)
		}
	}
	visit(theShape().class)
	return takes || !known
}

var assignment = regexp.MustCompile(`^[ \t]*[A-Za-z_][A-Za-z0-9_]*[ \t]*=[ \t]*[^=~ \t]`)

// equalsAbove finds "name = value", which CUE takes for the start of an alias
// and notices on the next line.
func equalsAbove(text []byte, lineStart int) int {
	for lineStart > 0 {
		above := lineAround(text, lineStart-1)
		lineStart = above.start
		body := text[above.start:above.end]
		if len(bytes.TrimSpace(body)) == 0 || bytes.HasPrefix(bytes.TrimSpace(body), []byte("//")) {
			continue
		}
		if assignment.Match(body) {
			return above.start + bytes.IndexByte(body, '=')
		}
		return -1
	}
	return -1
}
