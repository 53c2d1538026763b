package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/nearest"
)

var waiverUnknownRule = &Rule{
	ID: "waiver-unknown-rule", Harm: Hygiene, Severity: ir.Error, Final: true,
	Title: "a waiver or a severity names no rule that it can touch",
	Waiver: func(p *Pass, w *waiver) {
		if message := p.untouchable(w.Rule, "waived"); message != "" {
			w.report(p, finding{OnLabel: true, Message: message, Help: suggest(w.Rule)})
		}
	},
	Set: func(p *Pass, s *SetFacts) {
		for _, c := range s.Lint {
			message := p.untouchable(c.Rule, "lowered")
			if r := Find(c.Rule); r != nil && (c.Severity == 0 || c.Severity >= r.worst()) {
				message = ""
			}
			if message != "" {
				p.set(s.Set, finding{Field: "lint." + c.Rule, OnLabel: true, Message: message, Help: suggest(c.Rule)})
			}
		}
	},
}

// untouchable says why a rule cannot be waived or lowered, or nothing.
func (p *Pass) untouchable(id, what string) string {
	r := Find(id)
	switch {
	case r == nil && (id == ir.InvalidPolicy || strings.HasPrefix(id, "generated-")):
		return fmt.Sprintf("%q cannot be %s: it is a mistake or drift, and no rule", id, what)
	case r == nil:
		if near := nearest.Of(id, ids()); near != "" {
			return fmt.Sprintf("no rule is called %q; did you mean %q?", id, near)
		}
		return fmt.Sprintf("no rule is called %q; retryc rules lists them", id)
	case r.Final:
		return fmt.Sprintf("%s cannot be %s", id, what)
	}
	return ""
}

func suggest(id string) []string {
	if Find(id) == nil {
		if near := nearest.Of(id, ids()); near != "" {
			return []string{fmt.Sprintf("%q", near)}
		}
	}
	return []string{"remove it"}
}

func ids() []string {
	out := make([]string, 0, len(byID))
	for id := range byID {
		out = append(out, id)
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Compare(rank[a], rank[b]) })
	return out
}
