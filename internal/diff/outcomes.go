package diff

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"time"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen"
	"github.com/retryc/retryc/gen/engine"
)

// foldFrom is the number of codes from which on one line stands for all that
// change in the same way.
const foldFrom = 10

// outcomeChanges compares what each code means, whatever the policy's text says of
// it: a key that says what the default says is no change.
func (d *differ) outcomeChanges(p *pair) []*Change {
	changes := d.tableChanges(p, "outcome", false, func(c *ir.Class, rules []ir.OutcomeRule) { c.Outcome = rules })
	return append(changes, d.tableChanges(p, "outcomeAfterAmbiguous", true, func(c *ir.Class, rules []ir.OutcomeRule) { c.OutcomeAfterAmbiguous = rules })...)
}

func (d *differ) tableChanges(p *pair, path string, ambiguous bool, set func(*ir.Class, []ir.OutcomeRule)) []*Change {
	before := *p.before
	after := *p.before
	after.Conditions = p.after.Conditions
	before.Conditions = p.after.Conditions
	if ambiguous {
		after.OutcomeAfterAmbiguous = p.after.OutcomeAfterAmbiguous
	} else {
		after.Outcome = p.after.Outcome
	}
	b, a := gen.Lower(&before), gen.Lower(&after)
	x, y := outcomes(&b, ambiguous), outcomes(&a, ambiguous)
	type move struct{ from, to engine.Outcome }
	moves := map[move][]string{}
	for on, from := range x {
		if to, ok := y[on]; ok && from != to {
			moves[move{from, to}] = append(moves[move{from, to}], on)
		}
	}
	var changes []*Change
	for m, codes := range moves {
		sort.Strings(codes)
		groups := [][]string{codes}
		if len(codes) < foldFrom {
			groups = groups[:0]
			for _, on := range codes {
				groups = append(groups, []string{on})
			}
		}
		for _, group := range groups {
			changes = append(changes, d.outcomeChange(p, path, group, ir.Outcome(m.from), ir.Outcome(m.to), set))
		}
	}
	slices.SortFunc(changes, func(a, b *Change) int {
		if a.Field < b.Field {
			return -1
		}
		return 1
	})
	return changes
}

func (d *differ) outcomeChange(p *pair, path string, codes []string, from, to ir.Outcome, set func(*ir.Class, []ir.OutcomeRule)) *Change {
	name := codes[0]
	if len(codes) > 1 {
		name = codes[0] + "-" + codes[len(codes)-1]
		if codes[0][0] == codes[len(codes)-1][0] && codes[0][0] <= '9' {
			name = codes[0][:1] + "xx"
		}
	}
	c := &Change{
		Kind: fmt.Sprintf("%s-%s-%s-to-%s", kebab(path), kebab(name), from, to),
		Set:  p.after.Set, Class: p.after.Name, Field: path + "." + name,
		Before: from.String(), After: to.String(),
		At: p.after.Span(path), Was: p.before.Span(path),
		Rows: rows(p, &field{rows: nextEnd}),
	}
	for _, on := range []string{name, name[:1] + "xx"} {
		if p.after.Written(path + "." + on) {
			c.At = p.after.Span(path + "." + on)
			break
		}
	}
	for _, on := range []string{name, name[:1] + "xx"} {
		if p.before.Written(path + "." + on) {
			c.Was = p.before.Span(path + "." + on)
			break
		}
	}
	if path == "outcomeAfterAmbiguous" {
		c.Harms = ambiguousHarms(p, fold(codes), from, to)
	} else {
		alone := *p.before
		alone.Conditions = p.after.Conditions
		rules := slices.Clone(p.before.Outcome)
		rules = slices.DeleteFunc(rules, func(r ir.OutcomeRule) bool { return slices.Contains(codes, r.On) })
		for _, on := range codes {
			rules = append(rules, ir.OutcomeRule{On: on, Then: to})
		}
		set(&alone, rules)
		before := *p.before
		before.Conditions = p.after.Conditions
		b, a := d.measured(&before, true), d.measured(&alone, true)
		c.Harms = compare(b, a)
		if n, m := b.after(codes[0]), a.after(codes[0]); c.Harms[Waiting].Direction == Same && n.attempts != m.attempts {
			c.Harms[Waiting] = Harm{movedTime(n.total, m.total), fmt.Sprintf("when all end in %s: %s -> %s on average", codes[0], short(n.total), short(m.total))}
		}
		futile(&c.Harms, fold(codes), from, to)
	}
	c.noEffect()
	c.identify("")
	return c
}

// futile adds what a table of codes knows and no quantity shows.
func futile(h *Harms, codes string, from, to ir.Outcome) {
	unsure := func(text string) {
		if h[LostWork].Direction == Same {
			h[LostWork] = Harm{Unknown, text}
		}
	}
	switch {
	case from == ir.Refresh && (to == ir.Retry || to == ir.Reread):
		unsure(codes + " is repeated without new credentials")
	case to == ir.Refresh && (from == ir.Retry || from == ir.Reread):
		h[LostWork] = Harm{Up, codes + " ends it without a refresh hook, and at the second time"}
	case from == ir.Retry && to == ir.Reread:
		h[LostWork] = Harm{Up, codes + " ends it without a re-read hook"}
	case from == ir.Reread && to == ir.Retry:
		h[LostWork] = Harm{Down, codes + " needs no re-read hook"}
	}
}

// ambiguousHarms is what another reading of an answer does once an earlier attempt
// may have been applied.
func ambiguousHarms(p *pair, codes string, from, to ir.Outcome) Harms {
	h := compare(p.b, p.b)
	switch {
	case to == ir.Success:
		h[Duplicates] = Harm{Down, codes + " then says that the first attempt worked"}
		h[LostWork] = Harm{Unknown, codes + " then counts as done"}
	case from == ir.Success:
		h[Duplicates] = Harm{Up, codes + " no longer says that the first attempt worked: work that was done is reported as failed"}
		h[LostWork] = Harm{Unknown, codes + " no longer counts as done"}
	}
	x, y := sends[engine.Outcome(from)], sends[engine.Outcome(to)]
	switch {
	case y > x:
		h[Load] = Harm{Up, codes + " is then followed by another request"}
		if from == ir.Terminal {
			h[LostWork] = Harm{Down, codes + " then no longer ends it"}
		}
	case y < x:
		h[Load] = Harm{Down, codes + " is then not followed by another request"}
		if to == ir.Terminal {
			h[LostWork] = Harm{Up, codes + " then ends it"}
		}
	}
	return h
}

// perOutcomeChanges compares what is tighter after single answers.
func (d *differ) perOutcomeChanges(p *pair) []*Change {
	find := func(c *ir.Class, on string) ir.PerOutcome {
		for _, l := range c.PerOutcome {
			if l.On == on {
				return l
			}
		}
		return ir.PerOutcome{On: on}
	}
	var changes []*Change
	for _, on := range limited(p.b, p.a) {
		for _, part := range []string{"attempts", "base", "cap"} {
			part := part
			f := field{
				path: "perOutcome." + on + "." + part, rows: "the new value, against the row's count",
				value: func(c *ir.Class) string {
					l := find(c, on)
					switch part {
					case "attempts":
						return positive(l.Attempts)
					case "base":
						return positiveTime(l.Base)
					}
					return positiveTime(l.Cap)
				},
				copy: func(dst, src *ir.Class) {
					l, from := find(dst, on), find(src, on)
					switch part {
					case "attempts":
						l.Attempts = from.Attempts
					case "base":
						l.Base = from.Base
					default:
						l.Cap = from.Cap
					}
					dst.PerOutcome = slices.DeleteFunc(slices.Clone(dst.PerOutcome), func(o ir.PerOutcome) bool { return o.On == on })
					if l != (ir.PerOutcome{On: on}) {
						dst.PerOutcome = append(dst.PerOutcome, l)
					}
				},
				order: func(b, a *ir.Class) int {
					x, y := find(b, on), find(a, on)
					switch part {
					case "attempts":
						return y.Attempts - x.Attempts
					case "base":
						return sign(y.Base - x.Base)
					}
					return sign(y.Cap - x.Cap)
				},
			}
			if f.value(p.before) != f.value(p.after) {
				changes = append(changes, d.changeOf(p, &f))
			}
		}
	}
	return changes
}

func sign(d time.Duration) int {
	switch {
	case d > 0:
		return 1
	case d < 0:
		return -1
	}
	return 0
}

func positive(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func positiveTime(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return ir.FormatDuration(d)
}
