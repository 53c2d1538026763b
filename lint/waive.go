package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/retryc/retryc/compiler/ir"
)

// InForce is a waiver that holds today, or a severity that a set has lowered.
type InForce struct {
	Rule     string
	Set      string
	Class    string // "": all classes of the set
	Reason   string
	Until    time.Time   // first day on which it no longer holds; zero: no end
	Severity ir.Severity // what the rule is lowered to; 0: waived
	Covers   int         // findings that it accepts, or lowers
	Span     ir.Span
}

// waiver is one waiver during a run.
type waiver struct {
	ir.Waiver
	set     *SetFacts
	class   *ir.Class // nil: of the set
	covers  int
	expired bool
	unsure  bool // what it waives could not be looked for in full
}

// reason about what a waiver names: a place for its own findings.
func (w *waiver) report(p *Pass, f finding) {
	f.Field = "waive." + w.Rule + f.Field
	if w.class != nil {
		p.class(w.set.Set, w.class, f)
	} else {
		p.set(w.set.Set, f)
	}
}

func (w *waiver) span() ir.Span {
	if w.class != nil {
		return w.class.Label("waive." + w.Rule)
	}
	return w.set.Label("waive." + w.Rule)
}

// ledger decides about each finding: who accepts it, and how grave it is.
type ledger struct {
	opt      Options
	all      []*waiver
	byPlace  map[place]*waiver
	changes  map[place]*change
	findings []ir.Diagnostic
	waived   []Waived
	mistakes []ir.Diagnostic
}

type place struct{ set, class, rule string }

// change is a severity that a set gives to a rule.
type change struct {
	ir.RuleChange
	set    *SetFacts
	covers int
	unsure bool // as of a waiver
}

func newLedger(sets []*SetFacts, opt Options) *ledger {
	l := &ledger{opt: opt, byPlace: map[place]*waiver{}, changes: map[place]*change{}}
	for _, s := range sets {
		for _, w := range s.Waive {
			l.add(&waiver{Waiver: w, set: s, unsure: s.Partial})
		}
		for _, f := range s.Classes {
			for _, w := range f.Waive {
				l.add(&waiver{Waiver: w, set: s, class: f.Class})
			}
		}
		for _, c := range s.Lint {
			l.lower(&change{RuleChange: c, set: s})
		}
	}
	return l
}

func (l *ledger) add(w *waiver) {
	if r := Find(w.Rule); r != nil && r.Tree != nil && l.opt.CallsUnknown {
		w.unsure = true
	}
	w.expired = !w.Until.IsZero() && !date(l.opt.Today).Before(w.Until)
	l.all = append(l.all, w)
	if r := Find(w.Rule); r != nil && !r.Final && !w.expired {
		at := place{set: w.set.Name, rule: w.Rule}
		if w.class != nil {
			at.class = w.class.Name
		}
		l.byPlace[at] = w
	}
}

// lower takes note of a set's severity, where it may give one: lowering wants a
// reason, and never reaches a final rule.
func (l *ledger) lower(c *change) {
	r := Find(c.Rule)
	if r == nil || c.Severity == 0 {
		return // waiver-unknown-rule says so, or a mistake
	}
	if c.Severity < r.worst() {
		if r.Final {
			return
		}
		if strings.TrimSpace(c.Reason) == "" {
			l.mistakes = append(l.mistakes, ir.Diagnostic{
				Rule: ir.InvalidPolicy, Severity: ir.Error, Set: c.set.Name, Field: "lint." + c.Rule,
				Span:    c.set.Span("lint." + c.Rule),
				Message: fmt.Sprintf("%q is lowered from %s to %s without a reason", c.Rule, r.worst(), c.Severity),
				Help:    []string{fmt.Sprintf("lint: %q: {severity: %q, reason: \"…\"}", c.Rule, c.Severity)},
			})
			return
		}
	}
	c.unsure = c.set.Partial || r.Tree != nil && l.opt.CallsUnknown
	l.changes[place{set: c.set.Name, rule: c.Rule}] = c
}

// lowered lists the severities that are below those of their rules.
func (l *ledger) lowered() []*change {
	var out []*change
	for _, c := range l.changes {
		if c.Severity < Find(c.Rule).worst() {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b *change) int {
		return cmp.Or(cmp.Compare(a.set.Name, b.set.Name), cmp.Compare(a.Rule, b.Rule))
	})
	return out
}

// judge files findings under who accepts them.
func (l *ledger) judge(found []ir.Diagnostic) {
	for _, d := range found {
		if c := l.changes[place{set: d.Set, rule: d.Rule}]; c != nil {
			if c.Severity < d.Severity {
				c.covers++
			}
			if c.Severity > d.Severity || c.Severity < Find(d.Rule).worst() {
				d.Severity = c.Severity
			}
		}
		w := l.byPlace[place{d.Set, d.Class, d.Rule}]
		if w == nil {
			w = l.byPlace[place{set: d.Set, rule: d.Rule}]
		}
		if w != nil {
			w.covers++
			l.waived = append(l.waived, Waived{d, w.Waiver})
			continue
		}
		l.findings = append(l.findings, d)
	}
}

// waivers runs the rules about waivers and lowered severities: first about those of
// ordinary rules, then, knowing what they were needed for, about those of these
// rules.
func (l *ledger) waivers(rules []*Rule) {
	aboutWaivers := func(rule string) bool {
		r := Find(rule)
		return r != nil && r.Waiver != nil
	}
	for _, second := range []bool{false, true} {
		var found []ir.Diagnostic
		for _, r := range rules {
			if r.Waiver == nil {
				continue
			}
			p := &Pass{Today: l.opt.Today, rule: r}
			for _, w := range l.all {
				if aboutWaivers(w.Rule) == second {
					r.Waiver(p, w)
				}
			}
			for _, c := range l.lowered() {
				if r.Lowered != nil && aboutWaivers(c.Rule) == second {
					r.Lowered(p, c)
				}
			}
			found = append(found, p.found...)
		}
		l.judge(found)
	}
}

func (l *ledger) results() Results {
	slices.SortStableFunc(l.findings, func(a, b ir.Diagnostic) int { return order(&a, &b) })
	slices.SortStableFunc(l.waived, func(a, b Waived) int { return order(&a.Diagnostic, &b.Diagnostic) })
	l.mistakes = sound(l.mistakes, l.opt.Mistakes)
	slices.SortStableFunc(l.mistakes, func(a, b ir.Diagnostic) int { return order(&a, &b) })
	return Results{Findings: l.findings, Waived: l.waived, InForce: l.inForce(), Mistakes: l.mistakes}
}

func (l *ledger) inForce() []InForce {
	var out []InForce
	for _, w := range l.all {
		if r := Find(w.Rule); r == nil || r.Final || w.expired {
			continue
		}
		in := InForce{Rule: w.Rule, Set: w.set.Name, Reason: w.Reason, Until: w.Until, Covers: w.covers, Span: w.span()}
		if w.class != nil {
			in.Class = w.class.Name
		}
		out = append(out, in)
	}
	for _, c := range l.lowered() {
		out = append(out, InForce{
			Rule: c.Rule, Set: c.set.Name, Reason: c.Reason, Severity: c.Severity, Covers: c.covers,
			Span: c.set.Label("lint." + c.Rule),
		})
	}
	slices.SortFunc(out, func(a, b InForce) int {
		return cmp.Or(cmp.Compare(a.Set, b.Set), cmp.Compare(a.Class, b.Class), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Severity, b.Severity))
	})
	return out
}

// date drops the time of day.
func date(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}
