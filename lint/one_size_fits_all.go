package lint

import (
	"fmt"
	"slices"
	"time"

	"github.com/retryc/retryc/compiler/ir"
)

var oneSizeFitsAll = &Rule{
	ID: "one-size-fits-all", Harm: Hygiene, Severity: ir.Info,
	Title: "one policy for reading and for paying: a default in disguise",
	Set: func(p *Pass, s *SetFacts) {
		type size struct {
			attempts                   int
			timeout, within, base, cap time.Duration
		}
		groups := map[size][]*Facts{}
		for _, f := range s.Classes {
			if f.repeats() {
				k := size{f.Attempts, f.AttemptTimeout, f.Deadline.Within, f.Backoff.Base, f.Backoff.Cap}
				groups[k] = append(groups[k], f)
			}
		}
		for _, g := range groups {
			if len(g) <= sameClasses || !hasEffect(g, ir.Safe) || !hasEffect(g, ir.NonIdempotent) {
				continue
			}
			f := g[0]
			p.class(s.Set, f.Class, finding{
				Message: fmt.Sprintf("%d classes, from reading to writing, share %d attempts within %s and the same waits: that is a global default, not a decision about %s",
					len(g), f.Attempts, ir.FormatDuration(f.Deadline.Within), f.Name),
				Help: []string{"say for each what its caller can wait for, and what a duplicate costs"},
			})
		}
	},
}

func hasEffect(g []*Facts, e ir.Effect) bool {
	return slices.ContainsFunc(g, func(f *Facts) bool { return f.Effect == e })
}
