package diff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen"
)

// pair is one class before and after.
type pair struct {
	before, after *ir.Class
	was, is       gen.Constructor
	b, a          *measure
}

// compareClass lists the changes of a class that is on both sides.
func (d *differ) compareClass(p *pair) []*Change {
	p.b, p.a = d.measured(p.before, true), d.measured(p.after, false)
	var changes []*Change
	for i := range fields {
		f := &fields[i]
		if f.value(p.before) == f.value(p.after) || leader(p, f) != nil {
			continue
		}
		changes = append(changes, d.changeOf(p, f))
	}
	if p.before.Op.Kind == p.after.Op.Kind {
		changes = append(changes, d.outcomeChanges(p)...)
	}
	changes = append(changes, d.perOutcomeChanges(p)...)
	changes = append(changes, waiverChanges(p.after.Set, p.after.Name, p.before.Waive, p.after.Waive, &p.before.Spans, &p.after.Spans)...)
	together(p, changes)
	context := fmt.Sprint(policyText(p.before), policyText(p.after), p.b.requests, p.a.requests)
	for _, c := range changes {
		if !c.Trivial && !strings.HasPrefix(c.Field, "waive.") {
			c.identify(context)
		}
	}
	return changes
}

// changeOf is the change of one field, with what it does alone.
func (d *differ) changeOf(p *pair, f *field) *Change {
	c := &Change{
		Kind: f.kind(p.before, p.after), Set: p.after.Set, Class: p.after.Name, Field: f.path,
		Before: valueWith(p, f, p.before), After: valueWith(p, f, p.after),
	}
	if f.path == "operation" { // as it is written: compared are patterns without names
		c.Before = strings.Replace(c.Before, strconv.Quote(wildcard.ReplaceAllString(p.before.Op.Text, "{$1}")), strconv.Quote(p.before.Op.Text), 1)
		c.After = strings.Replace(c.After, strconv.Quote(wildcard.ReplaceAllString(p.after.Op.Text, "{$1}")), strconv.Quote(p.after.Op.Text), 1)
	}
	c.At, c.Was = at(p.after, f.path), at(p.before, f.path)
	if x, y := p.before.RetryBudget, p.after.RetryBudget; f.path == "retryBudget" && x != nil && y != nil && x.Name != "" && x.Name == y.Name {
		c.At, c.Was = setAt(d.setOf(p.after.Set, 1), "retryBudgets."+y.Name), setAt(d.setOf(p.before.Set, 0), "retryBudgets."+x.Name)
	}
	c.Rows = rows(p, f)
	c.Trivial = f.path == "owner" || f.path == "description"

	alone := *p.before
	f.copy(&alone, p.after)
	for i := range fields {
		if leader(p, &fields[i]) == f {
			fields[i].copy(&alone, p.after)
		}
	}
	switch {
	case c.Trivial || f.path == "audience" || f.path == "aliases":
		c.Harms = compare(p.b, p.b)
	case f.path == "operation":
		c.Harms = d.operationHarms(p)
	default:
		c.Harms = compare(p.b, d.measured(&alone, f.path != "calls"))
	}
	if f.path == "aliases" {
		c.Harms = aliasHarms(p)
	}
	if f.path == "calls" {
		c.After += " (now known)"
	}
	if f.path == "retryAfter.max" && !p.before.Written("retryAfter.max") && !p.after.Written("retryAfter.max") {
		c.After += " (follows backoff.cap)"
	}
	c.API = d.api(p, &alone, f.path)
	c.noEffect()
	c.identify("")
	return c
}

// noEffect says so where nothing that counts moves.
func (c *Change) noEffect() {
	if c.Trivial || c.Waiver || c.API.Effect != OK || c.API.Text != "" {
		return
	}
	for _, h := range c.Harms {
		if h.Direction != Same {
			return
		}
	}
	c.NoEffect = "no attempt, wait or end that can be computed moves"
	if c.Field == "nested" {
		c.NoEffect = "it counts where other classes call this one: see their requests along calls"
	}
}

// at is where a field is written, or what stands for it.
func at(c *ir.Class, path string) ir.Span {
	switch path {
	case "operation":
		path = c.Op.Kind.String()
	case "description":
		return c.Label("")
	}
	return c.Span(path)
}

// rows says what rows under way do.
func rows(p *pair, f *field) string {
	was, is := p.before.Timing, p.after.Timing
	switch {
	case was == ir.Inline && is == ir.Inline:
	case f.path == "attempts" && p.after.Attempts < p.before.Attempts:
		return "min(the row's, the new): those that have used theirs end as exhausted"
	case f.path == "aliases" && len(missing(p.before.Aliases, p.after.Aliases)) == 0:
		return "those of the new alias are found"
	}
	if f.path != "timing" {
		if is == ir.Inline && was == ir.Inline {
			return "none: the class is inline"
		}
		return f.rows
	}
	switch {
	case was == ir.Inline:
		return "none yet"
	case is == ir.Inline:
		return "stranded: nobody leases them, they are listed as orphaned; drain first"
	case is == ir.ByScheduler:
		return "keep not-before; from the next failure the platform waits"
	}
	return "keep not-before; the next wait is backoff"
}

// aliasHarms is what it does to drop a former name, or to hash keys with another.
func aliasHarms(p *pair) Harms {
	h := compare(p.b, p.b)
	keyed := p.after.Idempotency.Source == ir.KeyFromFields
	if keyed && keyName(p.before) != keyName(p.after) {
		h[Duplicates] = Harm{Up, fmt.Sprintf("once: keys are hashed with %q instead of %q, so operations under way at the deploy get another key", keyName(p.after), keyName(p.before))}
	}
	if gone := missing(p.before.Aliases, p.after.Aliases); len(gone) > 0 && p.after.Timing != ir.Inline && !slices.Contains(gone, p.after.Name) {
		h[LostWork] = Harm{Up, "rows of " + strings.Join(gone, ", ") + " are orphaned"}
	}
	return h
}

// api is what callers of the generated package notice of one change.
func (d *differ) api(p *pair, alone *ir.Class, path string) API {
	was, is := p.was, p.is
	switch path {
	case "idempotency.source", "idempotency.fields":
		is.Var, is.Result = was.Var, was.Result
		return constructorAPI(was, is, p.before, alone)
	case "timing":
		if was.Result != is.Result {
			if is.Result == "DurableCall" {
				return API{Breaks, fmt.Sprintf("%s returns a DurableCall: Do no longer takes it", is)}
			}
			return API{Breaks, fmt.Sprintf("%s returns a Call: the queue no longer takes it", is)}
		}
	case "idempotency.sent":
		if p.before.Idempotency.Sent == ir.InHeader && p.after.Idempotency.Sent == ir.ByApp && p.before.Idempotency.Source != ir.NoKey && p.after.Idempotency.Source != ir.NoKey {
			return API{Silent, "requests no longer carry the key by themselves: the app has to put Attempt.Key into each"}
		}
	case "operation":
		if p.before.Op.Kind == p.after.Op.Kind && p.after.Op.Kind != ir.HTTP {
			return API{}
		}
		if p.before.Op.Kind == ir.HTTP && p.after.Op.Kind == ir.HTTP {
			return API{Silent, "the transport gives this policy to other requests: " + p.after.Op.Text}
		}
		return API{Breaks, fmt.Sprintf("attempt functions have other facts to hand over: %s -> %s", p.before.Op.Kind, p.after.Op.Kind)}
	case "conditions":
		if gone := missing(p.before.Conditions, p.after.Conditions); len(gone) > 0 {
			return API{Silent, fmt.Sprintf("Condition(%q, err) is now an unknown failure", gone[0])}
		}
	case "payload.max":
		if p.after.PayloadMax > 0 && (p.before.PayloadMax == 0 || p.after.PayloadMax < p.before.PayloadMax) {
			return API{OK, "callers with more than " + ir.FormatSize(p.after.PayloadMax) + " are newly refused"}
		}
	}
	return API{}
}

// constructorAPI compares what callers write.
func constructorAPI(was, is gen.Constructor, before, after *ir.Class) API {
	if was.String() == is.String() {
		if before.Idempotency.Source == ir.RandomKey && after.Idempotency.Source == ir.NoKey {
			return API{Silent, was.String() + " no longer draws a key"}
		}
		return API{}
	}
	text := was.String() + " -> " + is.String()
	if was.Type == is.Type && len(was.Params) == len(is.Params) {
		if reordered(was.Params, is.Params) {
			return API{Silent, text + ": callers still compile and pass them the wrong way round"}
		}
		return API{Silent, text + ": callers still compile and pass what the old names said"}
	}
	if was.Type == "string" && is.Type == "Key" && len(was.Params) == 1 {
		return API{Breaks, text + ": does not compile, but with a constant, which then is the key itself"}
	}
	return API{Breaks, text + ": does not compile"}
}

// together weighs changes that meet in one class: what one does alone may be little,
// and what they do with each other more than their sum. A harm that rises for the
// class is shown at every change that does not lower it.
func together(p *pair, changes []*Change) {
	var active []*Change
	for _, c := range changes {
		if !c.Trivial && !c.Waiver {
			active = append(active, c)
		}
	}
	if len(active) < 2 {
		return
	}
	for i, total := range compare(p.b, p.a) {
		if total.Direction != Up {
			continue
		}
		all := !slices.ContainsFunc(active, func(c *Change) bool { return c.Harms[i].Direction != Down })
		for _, c := range active {
			h := &c.Harms[i]
			if h.Direction == Down && !all {
				continue
			}
			text := "with the other changes of the class: " + total.Text
			if h.Direction == Up && h.Text != total.Text {
				text = h.Text + "; " + text
			} else if h.Direction == Up {
				text = h.Text
			}
			*h = Harm{Up, text}
			c.NoEffect = ""
		}
	}
}
