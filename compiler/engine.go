package compiler

import (
	"errors"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen/engine"
)

// What codes and patterns mean is the engine's to say: the compiler asks the
// code that will run.

func isPhase(s string) bool { return engine.ValidCondition(engine.Kind(ir.Task), s) }

func validCondition(kind ir.Kind, on string) bool {
	return engine.ValidCondition(engine.Kind(kind), on)
}

func knownMethod(m string) bool {
	_, ok := engine.MethodEffect(m)
	return ok
}

// conditionNames lists the keys that mean something for a kind, for finding the
// nearest: phases first, then classes of codes, then codes.
func conditionNames(kind ir.Kind) []string {
	names := engine.KnownConditions(engine.Kind(ir.Task))
	if kind == ir.HTTP {
		names = append(names, "4xx", "5xx", "3xx", "2xx", "1xx")
	}
	return append(names, engine.KnownConditions(engine.Kind(kind))...)
}

// pattern checks the operation of a class. The engine's message is whole and
// says where in the text it is wrong.
func (c *checker) pattern(n *node, kind ir.Kind, path string) {
	_, err := engine.ParsePattern(engine.Kind(kind), n.text)
	if err == nil {
		return
	}
	d := c.at(n, path, "%v", err)
	var pe *engine.PatternError
	if !errors.As(err, &pe) {
		return
	}
	// Within a plain literal, an offset in the value is one in the text.
	if raw := c.sources.text(n.value); raw == `"`+n.text+`"` && pe.Offset < len(n.text) {
		d.Span.Start.Offset += 1 + pe.Offset
		d.Span.Start.Column += 1 + pe.Offset
	}
}
