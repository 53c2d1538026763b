package compiler

// Slips in the quotes of text.

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// strayQuote finds a quote that makes the text behind it begin too early:
// "class: a: {http: "GET /a", and quotes within text.
func (d *diagnosis) strayQuote() (slip, bool) {
	if !d.says("missing ','", "expected label") || d.at == 0 || d.text[d.at-1] != '"' || len(d.rest) == 0 || !isWordByte(d.rest[0]) && d.rest[0] != '/' {
		return slip{}, false
	}
	open := bytes.LastIndexByte(d.text[d.line.start:d.at-1], '"')
	if open < 0 {
		return slip{}, false
	}
	open += d.line.start
	inner := d.text[open+1 : d.at-1]
	if i := bytes.IndexAny(inner, ":{"); i >= 0 && nextField.Match(inner) {
		m := slip{start: open, end: open + 1, message: "this quote is not closed where it was meant to be, or one too many", title: "remove the quote"}
		m.fix = []edit{{open, open + 1, ""}}
		return m, true
	}
	end := bytes.LastIndexByte(d.rest, '"')
	if end < 0 {
		return slip{}, false
	}
	m := slip{start: d.at - 1, end: d.at, message: `a quote within text is written \"`}
	right := `"` + strings.ReplaceAll(string(d.text[open+1:d.at+end]), `"`, `\"`) + `"`
	if i := bytes.IndexAny(d.rest, ",{}"); i < 0 || i > end {
		m.help = []string{right}
		m.title, m.fix = "escape the quotes", []edit{{open, d.at + end + 1, right}}
	}
	return m, true
}

// quotes finds text whose quotes are not what they should be.
func (d *diagnosis) quotes() (slip, bool) {
	switch {
	case d.msg == "string literal not terminated":
		return d.openQuote(), true
	case d.says("illegal character"):
		r, n := utf8.DecodeRune(d.rest)
		if strings.ContainsRune("“”„‘’`´«»", r) {
			m := slip{start: d.at, end: d.at + n, message: fmt.Sprintf("%c is a typographic quote; text stands between straight ones", r)}
			if r == '`' {
				m.message = "` is no quote here; text stands between \"\""
			}
			if i := bytes.IndexAny(d.rest[n:], "“”„‘’`´«»\""); i >= 0 {
				_, last := utf8.DecodeRune(d.rest[n+i:])
				right := strconv.Quote(string(d.rest[n : n+i]))
				m.title, m.fix = "write straight quotes", []edit{{d.at, d.at + n + i + last, right}}
				m.help = []string{right}
				if name := labelOf(d.head); name != "" {
					m.help = []string{name + ": " + right}
				}
			}
			return m, true
		}
		m := slip{start: d.at, end: d.at + n, message: fmt.Sprintf("the character %q cannot stand here", r), title: "remove it", fix: []edit{{d.at, d.at + n, ""}}}
		switch {
		case r == '\uFEFF':
			m.message = "a byte order mark may only stand first in a file"
		case r == '\u200b' || r == '\u200c' || r == '\u200d' || r == '\u2060':
			m.message = fmt.Sprintf("a character without width, %U, cannot stand here", r)
		case unicode.IsSpace(r):
			m.message = fmt.Sprintf("a space of another kind, %U, cannot stand here", r)
			m.title, m.fix[0].with = "write a space", " "
		case unicode.IsLetter(r):
			m.fix = nil
		}
		return m, true
	}
	return slip{}, false
}

// escapes finds backslashes that are none of CUE's: "C:\Users".
func (d *diagnosis) escapes() (slip, bool) {
	if !strings.Contains(d.msg, "escape") {
		return slip{}, false
	}
	open := -1
	for i := d.line.start; i < d.at; i++ {
		if c := d.text[i]; c == '"' || c == '\'' {
			if end := skipString(d.text, i); end >= d.at {
				open = i
				break
			} else {
				i = end
			}
		}
	}
	if open < 0 {
		return slip{}, false
	}
	end := min(skipString(d.text, open), d.line.end)
	m := slip{title: "double the backslash"}
	for i := open + 1; i < end; i++ {
		if d.text[i] != '\\' || i+1 >= end {
			continue
		}
		switch n := d.text[i+1]; {
		case n == '\\' || n == '(' || n == d.text[open]:
			i++
			continue
		case m.fix == nil && strings.IndexByte("abfnrtv/", n) >= 0:
			continue // may well be meant, as long as nothing before it is not
		}
		if m.fix == nil {
			_, size := utf8.DecodeRune(d.text[i+1:])
			m.start, m.end = i, i+1+size
		}
		m.fix = append(m.fix, edit{i, i, `\`})
	}
	if m.fix == nil {
		return slip{}, false
	}
	m.message = fmt.Sprintf(`%s is no escape sequence; a backslash itself is written \\`, d.text[m.start:m.end])
	right := string(d.text[open:m.fix[0].start])
	for i, e := range m.fix {
		next := end + 1
		if i+1 < len(m.fix) {
			next = m.fix[i+1].start
		}
		right += e.with + string(d.text[e.start:min(next, d.line.end)])
	}
	if label := labelOf(d.text[d.line.start:open]); label != "" {
		right = label + ": " + right
		if label == "dir" { // no folder has a backslash in its name: one mistake
			m.lost, m.asRead = "dir", []edit{{open, end + 1, unknown}}
			m.title, m.help = "write slashes", []string{strings.ReplaceAll(label+": "+string(d.text[open:min(end+1, d.line.end)]), `\`, "/")}
			m.message = "folders are separated by /, not by a backslash"
			for i := range m.fix {
				m.fix[i].end, m.fix[i].with = m.fix[i].start+1, "/"
			}
			return m, true
		}
	}
	if parsesAsFile(right) {
		m.help = []string{right}
	}
	return m, true
}

// manyLines finds text of many lines that begins or ends where it cannot.
func (d *diagnosis) manyLines() (slip, bool) {
	switch {
	case d.says("non-matching whitespace for multiline strings"):
		m := slip{start: d.at, end: d.at + 3, message: "each line of this text begins with the white space that stands before its closing quotes"}
		end := min(skipString(d.text, d.at)+1, len(d.text))
		m.stand = []edit{{d.at, end, unknown}}
		if label := labelOf(d.head); label != "" {
			m.lost = strings.Trim(label, `"`)
		}
		return m, true
	case d.says("expected newline after multiline quote"):
		open := bytes.LastIndex(d.text[d.line.start:min(d.at+3, d.line.end)], []byte(`"""`))
		if open < 0 {
			return slip{}, false
		}
		open += d.line.start
		m := slip{start: open, end: open + 3, message: "text in one line stands between single quotes, and that of many begins in the line below"}
		if i := bytes.Index(d.text[open+3:d.line.end], []byte(`"""`)); i >= 0 {
			right := `"` + string(d.text[open+3:open+3+i]) + `"`
			m.message = `text in one line stands between "", not between """`
			m.title, m.help, m.fix = "write "+right, []string{right}, []edit{{open, open + i + 6, right}}
		}
		return m, true
	}
	return slip{}, false
}

// neverClosed finds where text of many lines was meant to end: before the first
// line that is indented less than the first of its own, or that closes a brace.
func (d *diagnosis) neverClosed(quotes string) slip {
	m := slip{start: d.at, end: d.at + 3, message: "the text that begins here is never closed by " + quotes, title: "close it"}
	first := lineAround(d.text, min(d.line.end+1, len(d.text)))
	if first.start <= d.line.start {
		return m
	}
	body := d.text[first.start:first.end]
	space := string(body[:len(body)-len(bytes.TrimLeft(body, " \t"))])
	for line := first; ; {
		text := d.text[line.start:line.end]
		trimmed := bytes.TrimLeft(text, " \t")
		ended := len(trimmed) > 0 && (!bytes.HasPrefix(text, []byte(space)) || trimmed[0] == '}' || lineOfField.Match(text) && line.start > first.start)
		if ended || line.end >= len(d.text) {
			at := line.start
			if !ended {
				at = len(d.text)
			}
			with := space + quotes + "\n"
			if at > 0 && d.text[at-1] != '\n' {
				with = "\n" + with
			}
			m.fix = []edit{{at, at, with}}
			return m
		}
		line = lineAround(d.text, line.end+1)
	}
}

var (
	openBracket = regexp.MustCompile(`(["'])[^"'\n]*\\(\()([^"'()\n]*)$`)
	oneName     = regexp.MustCompile(`^[A-Za-z_#][A-Za-z0-9_#]*$`)
)

// interpolation finds text whose \( has no ).
func (d *diagnosis) interpolation() (slip, bool) {
	f := openBracket.FindSubmatchIndex(d.head)
	if f == nil || !d.says("string literal not terminated", "expected ')' for string interpolation") || len(d.rest) == 0 || d.rest[0] != d.head[f[2]] {
		return slip{}, false
	}
	open, start := d.line.start+f[4], d.line.start+f[2]
	m := slip{start: open, end: open + 1, message: "this ( is never closed", sure: true}
	name := labelOf(d.text[d.line.start:start])
	switch {
	case oneName.Match(d.text[open+1 : d.at]):
		m.title, m.fix = "close it", []edit{{d.at, d.at, ")"}}
		right := string(d.text[start:d.at]) + ")" + string(d.rest[:1])
		if name != "" {
			right = name + ": " + right
		}
		m.help = []string{right}
	case name != "" && !nextField.Match(append(bytes.Clone(d.text[start:d.at+1]), d.rest[1:]...)):
		// It may end behind each name, or before a slash.
		m.lost, m.stand = strings.Trim(name, `"`), []edit{{start, d.at + 1, unknown}}
	default:
		m.all, m.stand = true, []edit{{d.at, d.at, ")"}}
	}
	return m, true
}

// openQuote finds where text was meant to end that has no closing quote.
func (d *diagnosis) openQuote() slip {
	if len(d.rest) == 0 || d.rest[0] != '"' && d.rest[0] != '\'' {
		return d.here("text that begins before has no closing quote")
	}
	q := d.rest[0]
	if bytes.HasPrefix(d.rest, []byte{q, q, q}) {
		return d.neverClosed(string(d.rest[:3]))
	}
	value := bytes.TrimRight(d.rest, " \t\r,")
	m := slip{start: d.at, end: d.at + len(value), message: "the text that begins here has no closing quote", title: "write the quote"}
	if d.at > 0 && isWordByte(d.text[d.at-1]) && len(bytes.Trim(d.rest, ", \t}\r\"'")) == 0 {
		start := d.at
		for start > d.line.start && isWordByte(d.text[start-1]) {
			start--
		}
		m.start, m.end, m.message = d.at, d.at+1, "the text that ends here has no opening quote"
		m.fix = []edit{{start, start, string(q)}}
		m.help = []string{string(q) + string(d.text[start:d.at]) + string(q)}
		return m
	}
	end := len(value)
	if i := bytes.IndexAny(d.rest[1:], `"'`); i >= 0 && d.rest[1+i] != q {
		// opened with one kind of quote and closed with the other
		end = 1 + i
		m.message = "the text that begins here ends with another kind of quote"
		m.end = d.at + end + 1
		right := strconv.Quote(string(d.rest[1:end]))
		m.fix, m.help = []edit{{d.at, d.at + end + 1, right}}, []string{right}
	} else {
		for _, stop := range []string{", ", "}", "]"} {
			if i := bytes.Index(d.rest[:end], []byte(stop)); i > 0 && (stop != ", " || nextField.Match(d.rest[i+2:])) && !bytes.Contains(d.rest[:i], []byte("{")) {
				end = i
			}
		}
		tail := ""
		if i := bytes.Index(d.rest[:end], []byte(" | ")); i > 0 && (marked.Match(d.head) || alternative.Match(d.rest[i:end])) {
			tail, end = string(bytes.TrimRight(d.rest[i:end], " \t\r")), i
		}
		right := strconv.Quote(string(d.rest[1:end]))
		m.end = d.at + end
		m.fix, m.help = []edit{{d.at, d.at + end, right}}, []string{right}
		if f := alternatives.FindSubmatch(d.head); f != nil {
			if help := string(f[1]) + ": " + string(f[2]) + right + tail; parsesAsFile(help) {
				m.help, m.sure = []string{help}, tail != ""
				return m
			}
		}
	}
	if name := labelOf(d.head); name != "" {
		m.help[0] = name + ": " + m.help[0]
	}
	return m
}

// What stands around the text of one of several alternatives.
var (
	marked       = regexp.MustCompile(`(?:\*|\|)[ \t]*$`)
	alternative  = regexp.MustCompile(`^ \| *(?:string|bytes|int|number|bool|null|_|[#"'*])`)
	alternatives = regexp.MustCompile(`("[^"\n]*"|[A-Za-z_#][A-Za-z0-9_]*)[ \t]*:[ \t]*([^:{},]*)$`)
)
