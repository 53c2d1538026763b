package compiler

// The text around a mistake of syntax, read by its layout.

import (
	"bytes"
	"sort"
	"strings"
	"unicode/utf8"
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

// lastValue finds where the value of the last field in a line begins.
func lastValue(head []byte) int {
	i := bytes.LastIndexByte(head, ':')
	if i < 0 {
		return -1
	}
	i++
	for i < len(head) && (head[i] == ' ' || head[i] == '\t') {
		i++
	}
	return i
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

func firstRune(b []byte) string {
	r, _ := utf8.DecodeRune(b)
	return string(r)
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

func insertComma(head, rest []byte) string {
	return strings.TrimSpace(string(head)) + ", " + strings.TrimSpace(string(rest))
}

// unclosed finds the first opening bracket at the top of a file that nothing
// closes, as the layout has it: one whose line begins a declaration.
func unclosed(text []byte) (at int, char byte) {
	type bracket struct {
		at   int
		char byte
	}
	var open []bracket
	starts := declarations(text)
	isStart := func(i int) bool {
		j := sort.SearchInts(starts, i)
		return j < len(starts) && starts[j] == i
	}
	for i := 0; i < len(text); i++ {
		// A declaration that begins while a bracket is open tells that the
		// bracket was forgotten.
		if i > 0 && text[i-1] == '\n' && isStart(i) && len(open) > 0 && text[i] != '}' {
			return open[len(open)-1].at, open[len(open)-1].char
		}
		switch c := text[i]; c {
		case '/':
			if i+1 < len(text) && text[i+1] == '/' {
				i = lineAround(text, i).end - 1
			}
		case '"', '\'':
			i = skipString(text, i)
		case '{', '[', '(':
			open = append(open, bracket{i, c})
		case '}', ']', ')':
			want := map[byte]byte{'}': '{', ']': '[', ')': '('}[c]
			if n := len(open); n > 0 {
				if open[n-1].char != want {
					return open[n-1].at, open[n-1].char
				}
				open = open[:n-1]
			}
		}
	}
	if len(open) == 0 {
		return -1, 0
	}
	return open[len(open)-1].at, open[len(open)-1].char
}

// openList finds a bracket other than { that is open at the end of a text since
// an earlier line.
func openList(text []byte) int {
	var open []int
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '/':
			if i+1 < len(text) && text[i+1] == '/' {
				i = lineAround(text, i).end - 1
			}
		case '"', '\'':
			i = skipString(text, i)
		case '{', '[', '(':
			open = append(open, i)
		case '}', ']', ')':
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
	}
	if n := len(open); n > 0 && text[open[n-1]] != '{' && bytes.IndexByte(text[open[n-1]:], '\n') >= 0 {
		return open[n-1]
	}
	return -1
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
