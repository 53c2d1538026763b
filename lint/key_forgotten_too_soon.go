package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var keyForgottenTooSoon = &Rule{
	ID: "key-forgotten-too-soon", Harm: Safety, Severity: ir.Error,
	Title: "the server forgets the key before the last attempt can come",
	Class: func(p *Pass, f *Facts) {
		kept := f.Idempotency.KeptFor
		if !f.keyed() || !f.repeats() || kept == 0 || kept >= f.end() {
			return
		}
		until, within := ir.FormatDuration(f.end()), ir.FormatDuration(min(f.Deadline.Within, kept))
		window := fmt.Sprintf("within: %q", within)
		sum := ""
		if f.Deadline.Mode == ir.Extend {
			sum = fmt.Sprintf(" (within %s + extendAtMost %s)", ir.FormatDuration(f.Deadline.Within), ir.FormatDuration(f.Deadline.ExtendAtMost))
		}
		if f.durable() {
			window = fmt.Sprintf("{within: %q, mode: \"expire\"}", within)
		}
		help := []string{fmt.Sprintf("if the server keeps it longer, say so: keptFor: %q", until)}
		if end := min(f.Deadline.Within, kept); f.startsWithin(end) {
			help = append([]string{"end before it forgets: deadline: " + window}, help...)
		}
		p.class(f.Set, f.Class, finding{
			Field:   "idempotency.keptFor",
			Message: fmt.Sprintf("the server forgets the key after %s, but attempts can come until %s%s", ir.FormatDuration(kept), until, sum),
			Help:    help,
		})
	},
}
