package diff

import (
	"fmt"
	"slices"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen"
	"github.com/retryc/retryc/gen/engine"
)

// renamed is the change of a class's name.
func (d *differ) renamed(p *pair) *Change {
	c := &Change{
		Kind: "class-renamed", Set: p.after.Set, Class: p.after.Name, Field: "class",
		Before: p.before.Set + "." + p.before.Name, After: p.after.Set + "." + p.after.Name,
		At: p.after.Label(""), Was: p.before.Label(""),
		API: API{Breaks, fmt.Sprintf("%s -> %s", p.was, p.is)},
	}
	b := d.measured(p.before, true)
	c.Harms = compare(b, b)
	known := slices.Contains(p.after.Aliases, p.before.Name)
	c.Rows = "found by the alias"
	if !known {
		c.Rows = fmt.Sprintf("orphaned; keep them with  aliases: [%q]", p.before.Name)
		if p.before.Idempotency.Source == ir.KeyFromFields {
			c.Harms[Duplicates] = Harm{Up, "once: keys are hashed with the class's name, so operations under way at the deploy get another key"}
		}
		if p.before.Timing != ir.Inline {
			c.Harms[LostWork] = Harm{Up, "rows under way are orphaned"}
		}
	}
	if p.before.Timing == ir.Inline {
		c.Rows = "none: the class is inline"
	}
	c.identify("")
	return c
}

// added is a class that was not there: its requests had another policy, or none.
func (d *differ) added(before, after *ir.Set, class *ir.Class) *Change {
	c := &Change{
		Kind: "class-added", Set: class.Set, Class: class.Name, Field: "class",
		After: class.Op.Text + " " + policyText(class), At: class.Label(""),
		Rows: "none yet",
	}
	if class.Timing == ir.Inline {
		c.Rows = "none: the class is inline"
	}
	was, by := handler(before, class)
	c.Harms = compare(d.measured(was, true), d.measured(class, false))
	if by != "" {
		c.API = API{Silent, "the transport gave these requests the policy of " + by}
	}
	c.identify("")
	return c
}

// removed is a class that is gone: its requests get another policy, or none.
func (d *differ) removed(before, after *ir.Set, class *ir.Class, was gen.Constructor) *Change {
	c := &Change{
		Kind: "class-removed", Set: class.Set, Class: class.Name, Field: "class",
		Before: class.Op.Text + " " + policyText(class), Was: class.Label(""),
		Rows: "left alone, listed as orphaned",
		API:  API{Breaks, was.Var + " is gone: " + was.String() + " does not compile"},
	}
	now, by := handler(after, class)
	c.Harms = compare(d.measured(class, true), d.measured(now, false))
	if by != "" {
		c.API.Text += "; the transport gives its requests the policy of " + by
	}
	if class.Timing == ir.Inline {
		c.Rows = "none: the class is inline"
	} else {
		c.Harms[LostWork] = Harm{Up, "rows under way are orphaned: nobody leases them"}
	}
	c.identify("")
	return c
}

// policyText sums up a policy for the hash of an id.
func policyText(c *ir.Class) string {
	var parts []string
	for i := range fields {
		if f := &fields[i]; f.path != "description" && f.path != "owner" && f.path != "aliases" {
			parts = append(parts, f.value(c))
		}
	}
	return fmt.Sprint(parts, c.Outcome, c.OutcomeAfterAmbiguous, c.PerOutcome)
}

// handler is the policy that the requests of a class have where the class is not:
// the most specific other pattern that covers them all, named, or none: a request
// of no class is sent once.
func handler(set *ir.Set, class *ir.Class) (policy *ir.Class, by string) {
	var best *ir.Class
	if class.Op.Kind == ir.HTTP && class.Timing == ir.Inline {
		own, err := engine.ParsePattern(engine.KindHTTP, class.Op.Text)
		for i := range set.Classes {
			other := &set.Classes[i]
			if err != nil || other.Op.Kind != ir.HTTP || other.Timing != ir.Inline || other.Name == class.Name {
				continue
			}
			p, err := engine.ParsePattern(engine.KindHTTP, other.Op.Text)
			if err != nil {
				continue
			}
			if rel := engine.Compare(own, p); rel != engine.Narrower && rel != engine.Equal {
				continue
			}
			if best != nil {
				b, _ := engine.ParsePattern(engine.KindHTTP, best.Op.Text)
				if engine.Compare(p, b) != engine.Narrower {
					continue
				}
			}
			best = other
		}
	}
	if best != nil {
		// The other policy, for this operation.
		moved := *best
		moved.Effect = class.Effect
		return &moved, best.Set + "." + best.Name
	}
	return once(class), ""
}

// once is a class whose requests no policy repeats.
func once(class *ir.Class) *ir.Class {
	c := *class
	c.Attempts, c.PerOutcome, c.RetryBudget, c.Calls = 1, nil, nil, nil
	return &c
}

// operationHarms weighs the requests that a changed pattern no longer covers, and
// those that it newly does.
func (d *differ) operationHarms(p *pair) Harms {
	h := compare(p.b, p.b)
	if p.before.Op.Kind != p.after.Op.Kind {
		changed := *p.before
		changed.Op, changed.Outcome, changed.OutcomeAfterAmbiguous, changed.PerOutcome = p.after.Op, nil, nil, nil
		h = compare(p.b, d.measured(&changed, true))
		h[LostWork].Text = "other outcomes are the default: " + p.before.Op.Kind.String() + " -> " + p.after.Op.Kind.String()
		return h
	}
	if p.after.Op.Kind == ir.Task {
		return h
	}
	kind := engine.Kind(p.after.Op.Kind)
	was, err1 := engine.ParsePattern(kind, p.before.Op.Text)
	is, err2 := engine.ParsePattern(kind, p.after.Op.Text)
	if err1 != nil || err2 != nil {
		return h
	}
	rel := engine.Compare(was, is)
	if rel != engine.Narrower && rel != engine.Equal { // some requests leave
		now, by := handler(d.setOf(p.after.Set, 1), p.before)
		leave := compare(p.b, d.measured(now, false))
		merge(&h, leave, "requests that leave ("+handledBy(by)+"): ")
	}
	if rel != engine.Wider && rel != engine.Equal { // some requests come
		then, by := handler(d.setOf(p.before.Set, 0), p.after)
		come := compare(d.measured(then, true), p.a)
		merge(&h, come, "requests that come (before: "+handledBy(by)+"): ")
	}
	return h
}

func handledBy(by string) string {
	if by == "" {
		return "once, untouched"
	}
	return "handled by " + by
}

// merge adds what part of the requests meets; a rise counts more than a fall.
func merge(into *Harms, part Harms, who string) {
	for i, p := range part {
		if p.Direction == Same {
			continue
		}
		h := &into[i]
		switch {
		case h.Direction == Same:
			*h = Harm{p.Direction, who + p.Text}
		default:
			h.Text += "; " + who + p.Text
			h.Direction = max(h.Direction, p.Direction)
		}
	}
}

func (d *differ) setOf(name string, side int) *ir.Set {
	for _, s := range d.sets[side] {
		if s.Name == name {
			return s
		}
	}
	return &ir.Set{}
}

// reached lists the classes whose load changed only because of what they call.
func (d *differ) reached(changes []*Change) []*Change {
	if d.opt.Before == nil || d.opt.After == nil {
		return nil
	}
	shown := map[string]bool{}
	for _, c := range changes {
		if c.Harms[Load].Direction != Same || c.Field == "class" || c.Field == "calls" {
			shown[c.Name()] = true
		}
	}
	var out []*Change
	for _, s := range d.sets[1] {
		for i := range s.Classes {
			c := &s.Classes[i]
			if len(c.Calls) == 0 || shown[c.Set+"."+c.Name] {
				continue
			}
			old := d.setOf(s.Name, 0).Class(c.Name)
			if old == nil {
				continue
			}
			n, m := d.opt.Before.Requests(old), d.opt.After.Requests(c)
			if n == m {
				continue
			}
			kind := "reach-raised"
			if m < n {
				kind = "reach-lowered"
			}
			b := d.measured(old, true)
			ch := &Change{
				Kind: kind, Set: c.Set, Class: c.Name, Field: "requests along calls",
				Before: fmt.Sprint(n), After: fmt.Sprint(m), At: c.Span("calls"), Was: old.Span("calls"),
				Harms: compare(b, d.measured(c, false)), Rows: "unchanged",
			}
			ch.identify("")
			out = append(out, ch)
		}
	}
	return out
}

// setChanges lists what changed of a set besides its classes.
func setChanges(before, after *ir.Set) []*Change {
	var out []*Change
	add := func(kind, field, b, a string, api API) {
		c := &Change{Kind: kind, Set: after.Name, Field: field, Before: b, After: a, API: api, Rows: "unchanged"}
		c.At, c.Was = setAt(after, field), setAt(before, field)
		for i := range c.Harms {
			c.Harms[i].Text = "no class changes"
		}
		c.identify("")
		out = append(out, c)
	}
	if len(before.Classes) == 0 || len(after.Classes) == 0 {
		return nil // a whole set: its classes tell
	}
	if before.Name != after.Name {
		add("set-renamed", "package", before.Name, after.Name, API{Breaks, fmt.Sprintf("the import changes: %s -> %s; the old folder is left over: retryc gen --prune", before.Go.Package, after.Go.Package)})
	} else if before.Go.Package != after.Go.Package {
		add("go-package-changed", "go.package", before.Go.Package, after.Go.Package, API{Breaks, "the import changes its name and its path; the old folder is left over: retryc gen --prune"})
	}
	if before.Dir != after.Dir && before.Name == after.Name {
		add("set-moved", "folder", before.Dir, after.Dir, API{Breaks, "the import path changes; the old folder is left over: retryc gen --prune"})
	}
	// A folder that is not named follows the package.
	if before.Go.Dir != after.Go.Dir && (before.Name == after.Name && before.Go.Package == after.Go.Package || before.Written("go.dir") || after.Written("go.dir")) {
		add("go-dir-changed", "go.dir", before.Go.Dir, after.Go.Dir, API{Breaks, "the import path changes; the old folder is left over: retryc gen --prune"})
	}
	out = append(out, waiverChanges(after.Name, "", before.Waive, after.Waive, &before.Spans, &after.Spans)...)
	return append(out, severityChanges(before, after)...)
}

func setAt(s *ir.Set, field string) ir.Span {
	p, exact := s.Spans.Nearest(field)
	if exact {
		return p.Value
	}
	return p.Label
}
