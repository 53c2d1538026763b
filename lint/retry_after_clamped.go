package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var retryAfterClamped = &Rule{
	ID: "retry-after-clamped", Harm: PushBack, Severity: ir.Info, Worst: ir.Warning,
	Title: "a server's delay is cut, and the server asked again before it is willing",
	Class: func(p *Pass, f *Facts) {
		if !f.repeats() || f.RetryAfter.Mode != ir.Clamp {
			return
		}
		if _, ok := f.throttleRetried(); !ok && f.Op.Kind != ir.GRPC {
			return
		}
		severity := ir.Info
		if f.RetryAfter.Max < clampFloor {
			severity = ir.Warning
		}
		from := ""
		if !f.Written("retryAfter.max") {
			from = " (backoff.cap, since max is not written)"
		}
		obey := "mode: \"override\""
		if f.Written("retryAfter.max") {
			obey = "without max: " + obey
		}
		p.class(f.Set, f.Class, finding{
			Field: "retryAfter.mode", Severity: severity,
			Message: fmt.Sprintf("a longer delay is cut to %s%s: a server that asks for a minute is asked again after %s, and refuses again",
				ir.FormatDuration(f.RetryAfter.Max), from, ir.FormatDuration(f.RetryAfter.Max)),
			Help: []string{obey, fmt.Sprintf("mode: \"stop\", max: %q", ir.FormatDuration(max(f.RetryAfter.Max, clampFloor)))},
		})
	},
}
