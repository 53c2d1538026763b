package diff

import (
	"fmt"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
)

func duplicates(b, a *measure) Harm {
	var h harm
	if b.step != a.step {
		d := moved(float64(b.step), float64(a.step))
		// To be said harmless is no better than to have a key.
		switch {
		case a.step == stepTolerated && b.step >= stepKeyed:
			d = Up
		case b.step == stepTolerated && a.step >= stepKeyed:
			d = Down
		}
		h.add(d, "%s -> %s", b.stepText(), a.stepText())
	}
	switch was, is := b.class.Timing == ir.Inline, a.class.Timing == ir.Inline; {
	case !was && is:
		h.add(Up, "the key is no longer on disk: a restart forgets what was under way")
	case was && !is:
		h.add(Down, "the key is on disk and survives a restart")
	}
	for _, once := range newKeys(b.class, a.class) {
		h.add(Up, "once: operations under way at the deploy %s", once)
	}
	if b.class.Idempotency.Source != ir.NoKey && a.class.Idempotency.Source != ir.NoKey && b.class.Idempotency.Sent != a.class.Idempotency.Sent {
		if a.class.Idempotency.Sent == ir.ByApp {
			h.add(Up, "the key is no longer sent until the app sends it")
		} else {
			h.add(Unknown, "the key may be sent twice while the app sends it too")
		}
	}
	return h.result(a.stepText())
}

func (m *measure) stepText() string {
	c := m.class
	text := steps[m.step]
	switch m.step {
	case stepOnce:
		switch {
		case c.Attempts < 2:
			return "one attempt"
		case c.Effect != ir.NonIdempotent:
			return c.Effect.String()
		case !m.repeatsAmbiguous():
			return "repeated only after failures that did nothing"
		}
	case stepKeyed, stepForgotten:
		kept := "kept for an unknown time"
		if c.Idempotency.KeptFor > 0 {
			kept = "kept " + ir.FormatDuration(c.Idempotency.KeptFor)
		}
		what := "keyed by " + strings.Join(c.Idempotency.Fields, ", ")
		switch c.Idempotency.Source {
		case ir.KeyFromCaller:
			what = "keyed by the caller"
		case ir.RandomKey:
			return "a random key: a restart makes another"
		}
		return fmt.Sprintf("%s; %s, attempts end after %s", what, kept, ir.FormatDuration(m.b.LastStart))
	}
	return text
}
