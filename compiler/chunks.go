package compiler

import (
	"bytes"
	"regexp"
	"strings"
)

// A chunk is a declaration of a file with its braces, as the layout has it. A
// mistake of syntax in one of them is looked for, and mended, there alone: a
// bracket that is missing in one says nothing about the next.

// declarationStart is how a declaration at the top of a file begins.
var declarationStart = regexp.MustCompile(`^(?:package|import|let)[ \t]|^(?:class|go|lint|waive|retryBudgets|[_#][A-Za-z][A-Za-z0-9_]*)[ \t]*[:=]`)

// chunks lists where the declarations of a text begin; the first begins with it.
func chunks(text []byte) []int {
	starts := []int{0}
	depth := 0
	textEnd := 0 // of a text of many lines
	for at := 0; at < len(text); {
		end := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		line := text[at:end]
		if at >= textEnd {
			switch {
			case at == 0, strings.IndexByte(" \t\r\n)]}", line[0]) >= 0, bytes.HasPrefix(line, []byte("//")):
			case depth <= 0, declarationStart.Match(line):
				starts = append(starts, at)
				depth = 0
			}
			scan(line, func(i int) int {
				switch line[i] {
				case '{', '[', '(':
					depth++
				case '}', ']', ')':
					depth--
				}
				return i + 1
			})
			if open := bytes.TrimRight(line, " \t\r\n"); bytes.HasSuffix(open, []byte(`"""`)) && bytes.Count(open, []byte(`"""`)) == 1 {
				// Of a closing mark, nothing but space stands before it.
				if i := bytes.Index(text[end:], []byte(`"""`)); i >= 0 {
					l := lineAround(text, end+i)
					if len(bytes.TrimSpace(text[l.start:end+i])) == 0 {
						textEnd = end + i
					}
				}
			}
		}
		at = end
	}
	return starts
}
