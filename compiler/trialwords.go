package compiler

// How a mend that was found by trial is told.

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

var labelBefore = regexp.MustCompile(`("[^"\n]*"|[A-Za-z_#][A-Za-z0-9_]*)[ \t]*:[ \t]*$`)

// neverClosed is a bracket that was meant to be closed.
func (t *trials) neverClosed(at int) slip {
	return slip{start: at, end: at + 1, message: fmt.Sprintf("this %c is never closed", t.text[at]), title: "close it"}
}

// missing is a character or a word that is not there.
func (t *trials) missing(at int, what string) slip {
	before := bytes.TrimRight(t.text[lineAround(t.text, at).start:at], " \t")
	end := at + max(1, firstWord(t.text[at:lineAround(t.text, at).end]))
	m := slip{start: at, end: min(end, len(t.text)), title: "write " + what}
	name := ""
	if f := nameBefore.FindSubmatch(before); f != nil {
		name = string(f[1])
	}
	switch what {
	case ":":
		m.title, m.message = "write a colon", "a colon is missing here"
		if name != "" {
			m.message = "a colon is missing after " + name
		}
	case ",":
		m.title, m.message = "write a comma", "a comma is missing here"
	case `"`:
		m.title = "write the quote"
		m.message = "a quote is missing here"
		switch {
		case t.opensText(at):
			m.message = "the text that ends here has no opening quote"
			if i := bytes.IndexByte(t.text[at:], '"'); i >= 0 {
				m.start, m.end = at, at+i+1
			}
		default:
			line := lineAround(t.text, at)
			if i := bytes.LastIndexByte(t.text[line.start:at], '"'); i >= 0 {
				m.start, m.end = line.start+i, at
				m.message = "the text that begins here has no closing quote"
			}
		}
	case "}", "]", ")":
		opener := map[string]byte{"}": '{', "]": '[', ")": '('}[what]
		open := openBrackets(t.text[t.start:at])
		if n := len(open); n > 0 && t.text[t.start+open[n-1]] == opener {
			m = t.neverClosed(t.start + open[n-1])
		} else if i := bytes.LastIndex(t.text[t.start:at], []byte(`\(`)); what == ")" && i >= 0 {
			m = t.neverClosed(t.start + i + 1)
		} else {
			m.message = "a " + what + " is missing here"
		}
	case "{":
		m.message = "a { is missing here"
		if name != "" && len(before) > 0 && before[len(before)-1] != ':' {
			m.message = "a { is missing after " + name
		} else if f := labelBefore.FindSubmatch(before); f != nil {
			m.start, m.end = at, at
			m.message = fmt.Sprintf("a { is missing after %s:", f[1])
		}
	default:
		m.message = fmt.Sprintf("%s is missing here", what)
		if len(what) == 1 {
			m.message = "a " + m.message
		}
	}
	return m
}

// opensText reports whether a quote at a place would begin text, as far as those
// before it in its line tell.
func (t *trials) opensText(at int) bool {
	line := lineAround(t.text, at)
	for i := line.start; i < at; i++ {
		if t.text[i] == '"' {
			if i = skipString(t.text, i); i >= at {
				return false
			}
		}
	}
	return true
}

// extra is a character or a word too many.
func (t *trials) extra(at, end int) slip {
	what := string(t.text[at:end])
	m := slip{start: at, end: end, title: "remove it", message: fmt.Sprintf("%q cannot stand here", what)}
	doubled := at > 0 && t.text[at-1] == t.text[at] || end < len(t.text) && t.text[end] == t.text[at]
	switch {
	case what == `"`:
		m.message = "one quote too many"
	case doubled && what == ":":
		m.message = "one colon too many"
	case doubled && what == ",":
		m.message = "one comma too many"
	case strings.Contains(")]}", what):
		m.message = fmt.Sprintf("%q closes nothing", what)
	case strings.Contains("([{", what):
		m.message = fmt.Sprintf("one %s too many", what)
	}
	return m
}

// other is a character or a word in the place of another.
func (t *trials) other(at, end int, right string) slip {
	what := string(t.text[at:end])
	m := slip{start: at, end: end, title: "write " + right, message: fmt.Sprintf("%q cannot stand here; did you mean %s?", what, right)}
	switch right {
	case `"`:
		m.message = fmt.Sprintf("%s cannot stand here; did you mean a quote?", what)
	case ":", "=", ",":
		m.message = fmt.Sprintf("%q cannot stand here; did you mean %q?", what, right)
	}
	return m
}
