package lint

import (
	"fmt"
	"time"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/bounds"
)

var briefSchedule = &Rule{
	ID: "brief-schedule", Harm: Storm, Severity: ir.Info,
	Title: "all attempts are over before a restart would be",
	Class: func(p *Pass, f *Facts) {
		spent := f.averageWaits()
		if !f.waits() || f.Attempts <= briefAttempts || spent >= briefWindow || !f.outageRetried() {
			return
		}
		p.class(f.Set, f.Class, finding{
			Field:   "backoff.base",
			Message: fmt.Sprintf("%d attempts are over after %s on average: that outlasts a lost packet, but no restart", f.Attempts, dur(spent)),
			Help: []string{
				fmt.Sprintf("wait longer: base: %q", ir.FormatDuration(f.baseFor(briefWindow))),
				"for a blip two attempts do: attempts: 2",
			},
		})
	},
}

// outageRetried reports whether any sign of an outage is retried.
func (f *Facts) outageRetried() bool {
	return f.retried("503") && f.Op.Kind == ir.HTTP || f.retried("UNAVAILABLE") && f.Op.Kind == ir.GRPC || f.retried("unsent") || f.retried("connection")
}

// baseFor finds the doubling of the base whose average waits reach a window.
func (f *Facts) baseFor(window time.Duration) time.Duration {
	s := f.Spec
	for s.Base < s.Cap && s.Base > 0 {
		s.Base = min(s.Cap, bounds.Times(s.Base, 2))
		if b := bounds.Of(&s); b.Attempts[len(b.Attempts)-1].AtOnce.Average-b.Attempts[0].AtOnce.Average >= window {
			return s.Base
		}
	}
	return bounds.Times(s.Base, 2)
}
