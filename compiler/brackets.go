package compiler

// Brackets that are never closed, or close nothing.

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// closing finds a closing bracket that fits no opening one.
func (d *diagnosis) closing() (slip, bool) {
	if len(d.rest) == 0 || strings.IndexByte(")]}", d.rest[0]) < 0 {
		return slip{}, false
	}
	c := d.rest[0]
	open := openBrackets(d.text[:d.at])
	opener := map[byte]byte{'}': '{', ']': '[', ')': '('}[c]
	if n := len(open); n > 0 && d.text[open[n-1]] != opener {
		top := open[n-1]
		if slices.ContainsFunc(open, func(i int) bool { return d.text[i] == opener }) {
			m := slip{start: top, end: top + 1, message: fmt.Sprintf("this %c is never closed", d.text[top]), title: "close it"}
			m.fix = []edit{{d.at, d.at, closerOf(d.text[top])}}
			if c == ')' || c == ']' {
				// as likely a bracket too many
				return slip{start: d.at, end: d.at + 1, message: fmt.Sprintf("%q closes nothing", string(c)), title: "remove it", fix: []edit{{d.at, d.at + 1, ""}}}, true
			}
			return m, true
		}
	}
	if len(open) == 0 || !slices.ContainsFunc(open, func(i int) bool { return d.text[i] == opener }) {
		return slip{start: d.at, end: d.at + 1, message: fmt.Sprintf("%q closes nothing", string(c)), title: "remove it", fix: []edit{{d.at, d.at + 1, ""}}}, true
	}
	return slip{}, false
}

func closerOf(open byte) string {
	return map[byte]string{'{': "}", '[': "]", '(': ")"}[open]
}

// atTheEnd finds what was never closed, where the file ends too early.
func (d *diagnosis) atTheEnd() (slip, bool) {
	end := d.at >= len(bytes.TrimRight(d.text, " \t\r\n"))
	if !strings.HasSuffix(d.msg, "found 'EOF'") && !(end && d.says("missing ','")) {
		return slip{}, false
	}
	open, at := unclosed(d.text)
	if open < 0 {
		if d.says("expected operand") {
			return slip{}, false
		}
		return d.here("the file ends too early"), true
	}
	m := slip{start: open, end: open + 1, message: fmt.Sprintf("this %c is never closed", d.text[open]), title: "close it"}
	with := closerOf(d.text[open])
	if at == len(d.text) {
		with = ""
		all := openBrackets(d.text)
		for i := len(all) - 1; i >= 0; i-- {
			with += closerOf(d.text[all[i]])
			if all[i] != open {
				m.related = append(m.related, slipRelated{all[i], all[i] + 1, fmt.Sprintf("and this %c", d.text[all[i]])})
			}
		}
	}
	switch {
	case at == len(d.text):
		with += "\n"
	case at > 0 && d.text[at-1] == '\n':
		opener := lineAround(d.text, open)
		line := d.text[opener.start:opener.end]
		with = string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))]) + with + "\n"
	}
	m.fix = []edit{{at, at, with}}
	return m, true
}

// openList finds a list that is open since an earlier line.
func (d *diagnosis) openList() (slip, bool) {
	if !d.says("missing ','") || !bytes.HasPrefix(d.rest, []byte(":")) {
		return slip{}, false
	}
	open := openList(d.text[:d.at])
	if open < 0 {
		return slip{}, false
	}
	m := slip{start: open, end: open + 1, message: fmt.Sprintf("this %c is never closed", d.text[open]), title: "close it"}
	first := lineAround(d.text, open)
	m.fix = []edit{{first.end, first.end, closerOf(d.text[open])}}
	if b := bytes.TrimRight(d.text[open:first.end], " \t"); bytes.HasSuffix(b, []byte(",")) {
		m.fix = []edit{{open + len(b) - 1, first.end, closerOf(d.text[open])}}
	}
	return m, true
}
