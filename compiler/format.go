package compiler

import (
	"bytes"
	"fmt"

	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"
)

// Format lays a CUE file out as "cue fmt" does. A file that has CRLF line
// endings throughout keeps them, and a byte order mark stays. The error says
// where the first mistake of syntax is; name is what it calls the file.
func Format(name string, src []byte) ([]byte, error) {
	text, hadMark := bytes.CutPrefix(src, mark)
	if len(bytes.TrimSpace(text)) == 0 {
		return src, nil
	}
	lines := bytes.Count(text, []byte("\n"))
	crlf := lines > 0 && bytes.Count(text, []byte("\r\n")) == lines
	f, err := parser.ParseFile(name, bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), parser.ParseComments, parser.AllErrors)
	if err != nil {
		s := newSource(name, name, src)
		if _, again := parser.ParseFile(name, src, parser.AllErrors); again != nil {
			err = again // its offsets are those of the file as it is
		}
		u := &unit{module: &module{}}
		u.syntaxMistake(s, err)
		d := u.mistakes[0]
		return nil, fmt.Errorf("%s:%d:%d: %s", name, d.Span.Start.Line, d.Span.Start.Column, d.Message)
	}
	out, err := format.Node(f)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be formatted: %w", name, err)
	}
	if crlf {
		out = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))
	}
	if hadMark {
		out = append(bytes.Clone(mark), out...)
	}
	return out, nil
}
