package compiler

import (
	"bytes"
	"sort"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/retryc/retryc/compiler/ir"
)

// source is the text of one file with its lines.
type source struct {
	abs   string
	name  string // as shown
	text  []byte
	lines []int // offset of each line's first byte

	// Where mistakes of syntax were mended: the text as it is read, and the
	// offset in text of each of its bytes; nil: the same.
	read   []byte
	origin []int32
}

func newSource(abs, name string, text []byte) *source {
	s := &source{abs: abs, name: name, text: text, read: text, lines: []int{0}}
	for i, b := range text {
		if b == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}

// pos turns an offset into a place. CUE's own line and column are not used: a
// position is one thing here, the same for carets, fixes and editors.
func (s *source) pos(offset int) ir.Pos {
	offset = min(max(offset, 0), len(s.text))
	line := sort.SearchInts(s.lines, offset+1)
	return ir.Pos{Offset: offset, Line: line, Column: offset - s.lines[line-1] + 1}
}

func (s *source) span(start, end int) ir.Span {
	return ir.Span{File: s.name, Start: s.pos(start), End: s.pos(max(start, end))}
}

func (s *source) slice(sp ir.Span) string {
	if sp.Start.Offset > sp.End.Offset || sp.End.Offset > len(s.text) {
		return ""
	}
	return string(s.text[sp.Start.Offset:sp.End.Offset])
}

var mark = []byte("\uFEFF")

// start is the place of the first character.
func (s *source) start() ir.Span {
	at := 0
	if bytes.HasPrefix(s.text, mark) {
		at = len(mark)
	}
	return s.span(at, at)
}

// sources finds the text that a position is in.
type sources map[string]*source // by absolute path

// span is the stretch of a node.
func (m sources) span(n ast.Node) ir.Span {
	if n == nil {
		return ir.Span{}
	}
	pos := n.Pos()
	s := m[pos.Filename()]
	if s == nil || !pos.HasAbsPos() {
		return ir.Span{}
	}
	start := pos.Offset()
	end := start
	if p := n.End(); p.HasAbsPos() && p.Filename() == pos.Filename() {
		end = p.Offset()
	}
	switch lit := n.(type) {
	case *ast.BasicLit:
		end = s.literalEnd(start, lit.Value)
	case *ast.BottomLit:
		end = start + len("_|_")
	}
	return s.spanRead(start, end)
}

// literalEnd finds the end of a literal: the scanner drops the CR of CRLF from
// the values of multi-line strings, so that their length is not the text's.
func (s *source) literalEnd(start int, value string) int {
	at := start
	for i := 0; i < len(value) && at < len(s.read); at++ {
		if s.read[at] == value[i] {
			i++
		} else if s.read[at] != '\r' {
			return start + len(value)
		}
	}
	return at
}

// at is a place without length.
func (m sources) at(pos token.Pos) ir.Span {
	s := m[pos.Filename()]
	if s == nil || !pos.HasAbsPos() {
		return ir.Span{}
	}
	return s.spanRead(pos.Offset(), pos.Offset())
}

// later is the place some bytes after the start of a span.
func (m sources) later(sp ir.Span, bytes int) ir.Pos {
	for _, s := range m {
		if s.name == sp.File {
			return s.pos(sp.Start.Offset + bytes)
		}
	}
	return sp.Start
}

// text is what a span covers.
func (m sources) text(sp ir.Span) string {
	for _, s := range m {
		if s.name == sp.File {
			return s.slice(sp)
		}
	}
	return ""
}

// span2 is the text from the start of one span to the end of another in the
// same file, and "" where they are not in order.
func (m sources) span2(a, b ir.Span) string {
	if a.File != b.File || a.Start.Offset > b.End.Offset {
		return ""
	}
	return m.text(ir.Span{File: a.File, Start: a.Start, End: b.End})
}

// after is what follows a span on its line, without the space before it.
func (m sources) after(sp ir.Span) string {
	for _, s := range m {
		if s.name == sp.File && sp.End.Offset <= len(s.text) {
			rest, _, _ := bytes.Cut(s.text[sp.End.Offset:], []byte("\n"))
			return string(bytes.TrimSpace(rest))
		}
	}
	return ""
}
