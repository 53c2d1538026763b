package compiler

// Numbers, units and names that need quotes.

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// bareNumber finds 10s, 1h30m, 10MB, 5xx and 503: two tokens for CUE, and text in
// quotes for its author.
func (d *diagnosis) bareNumber() (slip, bool) {
	if !d.says("missing ','", "expected operand", "illegal", "expected label") {
		return slip{}, false
	}
	start, end := d.at, d.at
	for start > 0 && isWordByte(d.text[start-1]) {
		start--
	}
	for end < len(d.text) && isWordByte(d.text[end]) {
		end++
	}
	word := string(d.text[start:end])
	if word == "" || word[0] < '0' || word[0] > '9' {
		return slip{}, false
	}
	after := bytes.TrimLeft(d.text[end:d.line.end], " \t")
	m := slip{start: start, end: end, title: "put it in quotes"}
	if bytes.HasPrefix(after, []byte(":")) {
		right := strconv.Quote(word)
		if labelOfClass.Match(d.text[d.line.start:start]) {
			// The same words as those of the check of names, which then are one message.
			reason, _ := scalars["#ClassName"].check(&node{text: word})
			m.message, m.title = fmt.Sprintf("%q is not the name of a class: %s", word, reason), ""
			m.stand = []edit{{start, end, right}}
			return m, true
		}
		m.message = fmt.Sprintf("%s needs quotes: %s", word, right)
		m.fix = []edit{{start, end, right}}
		m.help = []string{right + ": " + valueHelp(bytes.TrimLeft(after[1:], " \t"), exampleOf("outcome.*"))}
		return m, true
	}
	if !strings.ContainsFunc(word, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127 }) {
		return slip{}, false
	}
	return d.unit(m, word, start)
}

// spacedNumber finds 10 s without quotes.
func (d *diagnosis) spacedNumber() (slip, bool) {
	number, unit := spacedUnit.FindSubmatchIndex(d.head), unitWord.Find(d.rest)
	if number == nil || unit == nil {
		return slip{}, false
	}
	start := d.line.start + number[2]
	m := slip{start: start, end: d.at + len(unit), title: "put it in quotes"}
	return d.unit(m, string(d.head[number[2]:number[3]])+string(unit), start)
}

// unit says what a number with a unit was meant to be, by the field that it is
// the value of.
func (d *diagnosis) unit(m slip, word string, start int) (slip, bool) {
	label := labelOf(d.text[d.line.start:start])
	name := strings.Trim(label, `"`)
	duration, size, known := unitsOf(name)
	right := ""
	if duration || !known {
		_, reason, better := parseDuration(word)
		if right = better; reason == "" {
			right = word
		}
	}
	if right == "" && (size || !known) {
		_, reason, better := parseSize(word)
		if right = better; reason == "" {
			right = word
		}
	}
	if right == "" {
		m.message, m.title = fmt.Sprintf("%s is no number, and text stands in quotes", d.text[m.start:m.end]), ""
		m.stand, m.lost = []edit{{m.start, m.end, unknown}}, name
		return m, true
	}
	right = strconv.Quote(right)
	m.message = fmt.Sprintf("%s needs quotes: %s", d.text[m.start:m.end], right)
	if right != strconv.Quote(word) {
		m.message = fmt.Sprintf("%s is written %s", d.text[m.start:m.end], right)
	}
	m.fix = []edit{{m.start, m.end, right}}
	m.help = []string{right}
	if label != "" {
		m.help = []string{label + ": " + right}
	}
	return m, true
}

// unitsOf reports whether a field of that name, anywhere in the language, is a
// duration or a size.
func unitsOf(name string) (duration, size, known bool) {
	var visit func(t *typ)
	visit = func(t *typ) {
		if t == nil {
			return
		}
		for _, f := range t.fields {
			if f.name == name {
				known = true
				duration = duration || strings.HasPrefix(f.typ.name, "#Duration")
				size = size || f.typ.name == "#Size"
			}
			visit(f.typ)
		}
		visit(t.elem)
		visit(t.body)
	}
	visit(theShape().policy)
	return duration, size, known
}

// dashed finds photo-upload: {…}, a subtraction for CUE.
func (d *diagnosis) dashed() (slip, bool) {
	f := dashedName.FindSubmatchIndex(d.head)
	if !d.says("missing ','") || f == nil || !bytes.HasPrefix(d.rest, []byte(":")) && !bytes.HasPrefix(d.rest, []byte("{")) {
		return slip{}, false
	}
	start, end := d.line.start+f[2], d.line.start+f[3]
	right := strconv.Quote(string(d.text[start:end]))
	m := slip{start: start, end: end, message: "a name with - in it needs quotes", title: "put it in quotes", fix: []edit{{start, end, right}}}
	m.help = []string{right + ": " + valueHelp(bytes.TrimLeft(d.rest, ": \t"), "")}
	return m, true
}
