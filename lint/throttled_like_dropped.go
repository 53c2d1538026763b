package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen/engine"
	"github.com/retryc/retryc/internal/bounds"
)

var throttledLikeDropped = &Rule{
	ID: "throttled-like-dropped", Harm: Storm, Severity: ir.Info,
	Title: "a server that says \"too much\" is asked again as soon as one that said nothing",
	Class: func(p *Pass, f *Facts) {
		on := f.perKind("429", "RESOURCE_EXHAUSTED")
		if on == "" || !f.waits() || f.RetryAfter.Mode != ir.Ignore && f.RetryAfter.Mode != ir.Clamp || !f.retried(on) {
			return
		}
		if engine.Wait(&f.Spec, 1, on, 0, 1) > engine.Wait(&f.Spec, 1, "connection", 0, 1) {
			return
		}
		longer := bounds.Times(f.Backoff.Base, 5)
		p.class(f.Set, f.Class, finding{
			Field:   "retryAfter.mode",
			Message: fmt.Sprintf("after %s the first wait is at most %s, as after a dropped connection, and %s keeps a longer one from the server", on, dur(engine.Wait(&f.Spec, 1, on, 0, 1)), f.RetryAfter.Mode),
			Help:    []string{fmt.Sprintf("perOutcome: %s: {base: %q, cap: %q}", label(on), ir.FormatDuration(longer), ir.FormatDuration(max(longer, f.Backoff.Cap)))},
		})
	},
}
