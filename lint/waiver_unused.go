package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var waiverUnused = &Rule{
	ID: "waiver-unused", Harm: Hygiene, Severity: ir.Warning,
	Title: "a waiver, or a lowered severity, covers nothing",
	Waiver: func(p *Pass, w *waiver) {
		if r := Find(w.Rule); r == nil || r.Final || w.expired || w.unsure || w.covers > 0 {
			return
		}
		w.report(p, finding{
			OnLabel: true,
			Message: fmt.Sprintf("%s does not fire here: the waiver would hide the next finding that nobody has thought about", w.Rule),
			Help:    []string{"remove it"},
			Fix:     w.remove(),
		})
	},
	Lowered: func(p *Pass, c *change) {
		if c.unsure || c.covers > 0 {
			return
		}
		p.set(c.set.Set, finding{
			Field: "lint." + c.Rule, OnLabel: true,
			Message: fmt.Sprintf("%s does not fire above %s here: lowered, it would hide the next finding that nobody has thought about", c.Rule, c.Severity),
			Help:    []string{"remove it"},
			Fix:     removal(c.set.Set, c.set.Spans.Place, "lint."+c.Rule, "remove the severity that lowers nothing"),
		})
	},
}
