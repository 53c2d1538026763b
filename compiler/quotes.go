package compiler

// Slips in the quotes of text.

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
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
				if f := nameOfValue.FindSubmatch(d.head); f != nil {
					m.help = []string{string(f[1]) + ": " + right}
				}
			}
			return m, true
		}
		m := slip{start: d.at, end: d.at + n, message: fmt.Sprintf("the character %q cannot stand here", r)}
		if r == '\uFEFF' {
			m.message = "a byte order mark may only stand first in a file"
			m.title, m.fix = "remove it", []edit{{d.at, d.at + n, ""}}
		}
		return m, true
	}
	return slip{}, false
}

// openQuote finds where text was meant to end that has no closing quote.
func (d *diagnosis) openQuote() slip {
	if len(d.rest) == 0 || d.rest[0] != '"' && d.rest[0] != '\'' {
		return d.here("text that begins before has no closing quote")
	}
	q := d.rest[0]
	if bytes.HasPrefix(d.rest, []byte{q, q, q}) {
		m := slip{start: d.at, end: d.at + 3, message: fmt.Sprintf("the text that begins here is never closed by %c%c%c", q, q, q)}
		return m
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
		right := strconv.Quote(string(d.rest[1:end]))
		m.end = d.at + end
		m.fix, m.help = []edit{{d.at, d.at + end, right}}, []string{right}
	}
	if f := nameOfValue.FindSubmatch(d.head); f != nil {
		m.help[0] = string(f[1]) + ": " + m.help[0]
	}
	return m
}
