package lint

import (
	"fmt"
	"time"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/bounds"
)

var tightRetry = &Rule{
	ID: "tight-retry", Harm: Storm, Severity: ir.Error,
	Title: "even the longest wait is too short for anything to have changed",
	Class: func(p *Pass, f *Facts) {
		last := f.Bounds.Attempts[len(f.Bounds.Attempts)-1]
		if !f.waits() || last.Wait.Average >= tightWait {
			return
		}
		p.class(f.Set, f.Class, finding{
			Field:   "backoff.base",
			Message: fmt.Sprintf("the wait before attempt %d averages %s: clients hammer a server that is down", f.Attempts, dur(last.Wait.Average)),
			Help:    []string{f.leastBackoff()},
		})
	},
}

// leastBackoff computes the smallest round base that passes, and the cap that
// it needs.
func (f *Facts) leastBackoff() string {
	try := func(base, limit time.Duration) bool {
		s := f.Spec
		s.Base, s.Cap = base, limit
		b := bounds.Of(&s)
		return b.Attempts[len(b.Attempts)-1].Wait.Average >= tightWait
	}
	for base := 5 * time.Millisecond; base <= 4*tightWait; base += 5 * time.Millisecond {
		if base > f.Backoff.Base && base <= f.Backoff.Cap && try(base, f.Backoff.Cap) {
			return fmt.Sprintf("base: %q", ir.FormatDuration(base))
		}
	}
	// The cap is in the way: twice the threshold is its average under full jitter.
	return fmt.Sprintf("base: %q, cap: %q", ir.FormatDuration(2*tightWait), ir.FormatDuration(20*tightWait))
}
