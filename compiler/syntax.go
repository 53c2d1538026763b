package compiler

import (
	"fmt"

	cueerrors "cuelang.org/go/cue/errors"
)

// syntaxMistakes reports what the parser has to say about a file.
func (u *unit) syntaxMistakes(src *source, err error) {
	for _, e := range cueerrors.Errors(err) {
		format, args := e.Msg()
		at := src.start()
		if p := e.Position(); p.HasAbsPos() {
			at = src.span(p.Offset(), p.Offset())
		}
		u.mistake(at, "%s", fmt.Sprintf(format, args...))
	}
}
