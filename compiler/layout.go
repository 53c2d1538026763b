package compiler

// The text around a mistake of syntax, read by its layout.

import (
	"bytes"
	"strings"
)

type stretch struct{ start, end int }

// lineAround is the line that an offset is in, without its end.
func lineAround(text []byte, at int) stretch {
	at = min(at, len(text))
	start := bytes.LastIndexByte(text[:at], '\n') + 1
	end := len(text)
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		end = at + i
	}
	if end > start && text[end-1] == '\r' {
		end--
	}
	if start == 0 && bytes.HasPrefix(text, mark) && at >= len(mark) {
		start = len(mark)
	}
	return stretch{start, max(end, at)}
}

func firstWord(b []byte) int {
	n := bytes.IndexAny(b, " \t,:;{}[]()\r\n")
	switch {
	case n < 0:
		return len(b)
	case n == 0 && len(b) > 0:
		return 1
	}
	return n
}

// quoteFound words what stands at the mistake.
func quoteFound(rest []byte) string {
	w := strings.TrimSpace(string(rest[:firstWord(rest)]))
	if w == "" {
		return ""
	}
	if strings.HasPrefix(w, `"`) {
		return w
	}
	return `"` + w + `"`
}

// scan calls f for each byte that is neither in text nor in a comment; f returns
// where to go on.
func scan(text []byte, f func(i int) (next int)) {
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '/' && i+1 < len(text) && text[i+1] == '/':
			i = max(lineAround(text, i).end, i+1)
		case c == '"' || c == '\'':
			i = skipString(text, i) + 1
		default:
			i = max(f(i), i+1)
		}
	}
}

// openBrackets lists the brackets that are open at the end of a text.
func openBrackets(text []byte) []int {
	var open []int
	scan(text, func(i int) int {
		switch text[i] {
		case '{', '[', '(':
			open = append(open, i)
		case '}', ']', ')':
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
		return i + 1
	})
	return open
}

// unclosed finds the bracket that nothing closes, and where it was meant to be
// closed, as the layout has it: before the first line that is not indented more
// than the one that opened it. Without such a line it is the last one open.
func unclosed(text []byte) (open, at int) {
	type bracket struct {
		at     int
		indent int
	}
	var stack []bracket
	found, where := -1, -1
	line := -1
	scan(text, func(i int) int {
		if found >= 0 || strings.IndexByte(" \t\r\n", text[i]) >= 0 {
			return i + 1
		}
		c := text[i]
		closes := c == '}' || c == ']' || c == ')'
		around := lineAround(text, i)
		indent := indentation(text[around.start:i])
		if around.start != line {
			line = around.start
			if n := len(stack); n > 0 && indent >= 0 && (indent <= stack[n-1].indent && !closes || indent < stack[n-1].indent) {
				found, where = stack[n-1].at, around.start
				return i + 1
			}
		}
		switch {
		case c == '{' || c == '[' || c == '(':
			body := text[around.start:around.end]
			stack = append(stack, bracket{i, indentation(body[:len(body)-len(bytes.TrimLeft(body, " \t"))])})
		case closes && len(stack) > 0:
			stack = stack[:len(stack)-1]
		}
		return i + 1
	})
	if found >= 0 {
		return found, where
	}
	if len(stack) == 0 {
		return -1, -1
	}
	return stack[len(stack)-1].at, len(text)
}

// indentation is the width of white space, or -1 where a text is more than that.
func indentation(b []byte) int {
	n := 0
	for _, c := range b {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 8
		default:
			return -1
		}
	}
	return n
}

// openList finds a bracket other than { that is open at the end of a text since
// an earlier line.
func openList(text []byte) int {
	open := openBrackets(text)
	if n := len(open); n > 0 && text[open[n-1]] != '{' && bytes.IndexByte(text[open[n-1]:], '\n') >= 0 {
		return open[n-1]
	}
	return -1
}

// segment is one field or element, as far as brackets, commas and line ends tell.
type segment struct {
	start, end int
	inList     bool
}

// segments lists the fields around a place, the nearest first: its own, the one
// before it, and those that hold it.
func segments(text []byte, at int) []segment {
	type level struct {
		open, from, before int
		inList             bool
	}
	levels := []level{{open: -1, before: -1}}
	top := func() *level { return &levels[len(levels)-1] }
	var out []segment
	done := false
	ends := map[int]int{} // start of a segment at some level -> its end
	finish := func(l level, end int) {
		if _, ok := ends[l.from]; !ok {
			ends[l.from] = end
		}
	}
	var path []level
	scan(text, func(i int) int {
		if i >= at && !done {
			done = true
			path = append([]level(nil), levels...)
		}
		switch c := text[i]; c {
		case '{', '[', '(':
			levels = append(levels, level{open: i, from: i + 1, before: -1, inList: c == '['})
		case '}', ']', ')':
			if len(levels) > 1 {
				finish(*top(), i)
				levels = levels[:len(levels)-1]
			}
		case ',', '\n':
			if l := top(); c == ',' || !l.inList {
				finish(*l, i)
				l.before, l.from = l.from, i+1
			}
		}
		return i + 1
	})
	if !done {
		path = append([]level(nil), levels...)
	}
	for i := len(path) - 1; i >= 0; i-- {
		l := path[i]
		for _, from := range []int{l.from, l.before} {
			if from < 0 {
				continue
			}
			end, ok := ends[from]
			if !ok {
				end = len(text)
			}
			body := text[from:max(from, end)]
			start := from + len(body) - len(bytes.TrimLeft(body, " \t\r\n\uFEFF"))
			end = from + len(bytes.TrimRight(body, " \t\r\n"))
			if start < end && len(bytes.TrimSpace(text[start:end])) > 0 && !bytes.HasPrefix(text[start:], []byte("package ")) {
				out = append(out, segment{start, end, l.inList})
			}
		}
	}
	return out
}

func skipString(text []byte, i int) int {
	q := text[i]
	if bytes.HasPrefix(text[i:], []byte{q, q, q}) {
		if j := bytes.Index(text[i+3:], []byte{q, q, q}); j >= 0 {
			return i + 3 + j + 2
		}
		return len(text)
	}
	for i++; i < len(text) && text[i] != q && text[i] != '\n'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}
