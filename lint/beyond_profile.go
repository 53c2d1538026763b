package lint

import (
	"fmt"
	"time"

	"github.com/retryc/retryc/compiler/ir"
)

var beyondProfile = &Rule{
	ID: "beyond-profile", Harm: Deferred, Severity: ir.Error,
	Title: "the platform silently clamps or ignores a value",
	Class: func(p *Pass, f *Facts) {
		plat, ok := profiles[f.Scheduler.Profile]
		if !ok || f.Timing != ir.ByScheduler {
			return
		}
		for field, d := range map[string]time.Duration{"minBackoff": f.Scheduler.MinBackoff, "maxBackoff": f.Scheduler.MaxBackoff} {
			path := "scheduler." + field
			if !f.Written(path) {
				continue
			}
			say := finding{Field: path}
			switch got := min(max(d, plat.Min), plat.Max); {
			case !plat.Backs:
				say.Message = fmt.Sprintf("%s has no backoff of its own: %s %s changes nothing", f.Scheduler.Profile, field, ir.FormatDuration(d))
				say.Help = []string{"remove " + field, "if something of yours waits between failures: profile: \"custom\""}
			case got != d:
				say.Message = fmt.Sprintf("%s makes %s of a %s of %s: it keeps to %s to %s", f.Scheduler.Profile,
					ir.FormatDuration(got), field, ir.FormatDuration(d), ir.FormatDuration(plat.Min), ir.FormatDuration(plat.Max))
				say.Help = []string{fmt.Sprintf("%s: %q", field, ir.FormatDuration(got))}
			default:
				continue
			}
			p.class(f.Set, f.Class, say)
		}
	},
}
