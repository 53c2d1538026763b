package lint

import (
	"fmt"
	"time"

	"github.com/retryc/retryc/compiler/ir"
)

var inlineTooLong = &Rule{
	ID: "inline-too-long", Harm: DeadlineHarm, Severity: ir.Warning,
	Title: "a caller can be held for longer than it should wait",
	Class: func(p *Pass, f *Facts) {
		if f.Timing != ir.Inline || !f.repeats() {
			return
		}
		limit, who := inlineWait, "the caller"
		if f.Audience == ir.Interactive {
			limit, who = interactiveWait, "a person"
		}
		last, when := f.latestStart()
		if last <= limit {
			return
		}
		help := []string{fmt.Sprintf("within: %q", ir.FormatDuration(limit))}
		if f.Audience == ir.Background {
			help = append(help, "let a row wait instead: timing: \"queue\"")
		}
		p.class(f.Set, f.Class, finding{
			Field:   "deadline.within",
			Message: fmt.Sprintf("%s may wait %s for the last attempt to start (%s), more than %s", who, dur(last), when, ir.FormatDuration(limit)),
			Help:    help,
		})
	},
}

// latestStart is when the last attempt that fits starts at the latest, a
// server's delays not counted.
func (f *Facts) latestStart() (time.Duration, string) {
	at := f.Bounds.Attempts
	if f.AttemptTimeout == 0 {
		return at[f.Bounds.AtOnce.FitLongest-1].AtOnce.Longest, "with the longest waits"
	}
	return at[f.Bounds.Silent.FitLongest-1].Silent.Longest, "if none is answered"
}
