package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen/engine"
)

var perOutcomeNotTighter = &Rule{
	ID: "per-outcome-not-tighter", Harm: Hygiene, Severity: ir.Warning,
	Title: "a perOutcome that allows more than its class, or waits less",
	Class: func(p *Pass, f *Facts) {
		for _, o := range f.PerOutcome {
			path := "perOutcome." + o.On
			if o.Attempts > f.Attempts {
				p.class(f.Set, f.Class, finding{
					Field:   path + ".attempts",
					Message: fmt.Sprintf("%d attempts after %s are more than the %d of the class, which ends first", o.Attempts, o.On, f.Attempts),
					Help:    []string{fmt.Sprintf("attempts: %d", max(1, f.Attempts-1))},
				})
			}
			if n := f.shorterWait(o); n > 0 {
				field := path + ".cap"
				if o.Base > 0 && o.Base < f.Backoff.Base {
					field = path + ".base"
				}
				p.class(f.Set, f.Class, finding{
					Field: field,
					Message: fmt.Sprintf("after %s the wait before attempt %d is at most %s, shorter than the class's %s: perOutcome is for the failures that want more patience",
						o.On, n+1, dur(engine.Wait(&f.Spec, n, o.On, 0, 1)), dur(engine.Wait(&f.Spec, n, "", 0, 1))),
					Help: []string{"the longer waits here, the shorter ones in backoff"},
				})
			}
		}
	},
}

// shorterWait returns the first n after which the ceiling for an outcome is
// below the class's, or 0.
func (f *Facts) shorterWait(o ir.PerOutcome) int {
	if !f.waits() || o.Base == 0 && o.Cap == 0 {
		return 0
	}
	for n := 1; n < f.Attempts; n++ {
		if engine.Wait(&f.Spec, n, o.On, 0, 1) < engine.Wait(&f.Spec, n, "", 0, 1) {
			return n
		}
	}
	return 0
}
