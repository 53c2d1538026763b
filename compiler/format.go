package compiler

import (
	"bytes"
	"fmt"

	cueerrors "cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/format"
)

// Format lays a CUE file out as "cue fmt" does. A file that has CRLF line
// endings throughout keeps them, and a byte order mark stays. The error says
// where the first mistake of syntax is; name is what it calls the file.
func Format(name string, src []byte) ([]byte, error) {
	text, hadMark := bytes.CutPrefix(src, mark)
	lines := bytes.Count(text, []byte("\n"))
	crlf := lines > 0 && bytes.Count(text, []byte("\r\n")) == lines
	out, err := format.Source(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	if err != nil {
		s := newSource(name, name, text)
		first := cueerrors.Errors(err)[0]
		at := s.start()
		if p := first.Position(); p.HasAbsPos() {
			at = s.span(p.Offset(), p.Offset())
		}
		msg, args := first.Msg()
		return nil, fmt.Errorf("%s:%d:%d: %s", name, at.Start.Line, at.Start.Column, fmt.Sprintf(msg, args...))
	}
	if crlf {
		out = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))
	}
	if hadMark {
		out = append(bytes.Clone(mark), out...)
	}
	return out, nil
}
