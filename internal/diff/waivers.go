package diff

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/retryc/retryc/compiler/ir"
)

// waiverChanges lists waivers that came, went, or hold for another time.
func waiverChanges(set, class string, before, after []ir.Waiver, was, is *ir.SpanTable) []*Change {
	rules := map[string][2]*ir.Waiver{}
	for i := range before {
		rules[before[i].Rule] = [2]*ir.Waiver{&before[i], nil}
	}
	for i := range after {
		w := rules[after[i].Rule]
		w[1] = &after[i]
		rules[after[i].Rule] = w
	}
	names := make([]string, 0, len(rules))
	for r := range rules {
		names = append(names, r)
	}
	sort.Strings(names)
	var out []*Change
	for _, rule := range names {
		b, a := rules[rule][0], rules[rule][1]
		c := &Change{Set: set, Class: class, Field: "waive." + rule, Before: waiverText(b), After: waiverText(a), Rows: "unchanged"}
		if c.Before == c.After {
			continue
		}
		switch {
		case b == nil:
			c.Kind, c.Waiver = "waive-"+rule+"-added", true
		case a == nil:
			c.Kind = "waive-" + rule + "-removed"
		case later(a.Until, b.Until):
			c.Kind, c.Waiver = "waive-"+rule+"-extended", true
		case later(b.Until, a.Until):
			c.Kind = "waive-" + rule + "-shortened"
		default:
			c.Kind, c.Waiver = "waive-"+rule+"-changed", true
		}
		for i := range c.Harms {
			c.Harms[i].Text = "no value changes"
		}
		if p, ok := is.Place(c.Field); ok {
			c.At = p.Label
		}
		if p, ok := was.Place(c.Field); ok {
			c.Was = p.Label
		}
		c.identify("")
		out = append(out, c)
	}
	return out
}

// later reports whether a waiver that ends at a outlives one that ends at b; none
// ends last.
func later(a, b time.Time) bool {
	if a.IsZero() || b.IsZero() {
		return a.IsZero() && !b.IsZero()
	}
	return a.After(b)
}

func waiverText(w *ir.Waiver) string {
	if w == nil {
		return ""
	}
	text := fmt.Sprintf("%q", strings.Join(strings.Fields(w.Reason), " "))
	if !w.Until.IsZero() {
		text += " until " + w.Until.Format(time.DateOnly)
	}
	return text
}

// severityChanges lists what a set says of the severity of rules.
func severityChanges(before, after *ir.Set) []*Change {
	find := func(s *ir.Set, rule string) *ir.RuleChange {
		for i := range s.Lint {
			if s.Lint[i].Rule == rule {
				return &s.Lint[i]
			}
		}
		return nil
	}
	text := func(r *ir.RuleChange) string {
		if r == nil {
			return ""
		}
		if r.Reason == "" {
			return r.Severity.String()
		}
		return fmt.Sprintf("%s (%q)", r.Severity, strings.Join(strings.Fields(r.Reason), " "))
	}
	var rules []string
	for _, s := range []*ir.Set{before, after} {
		for _, r := range s.Lint {
			if !slices.Contains(rules, r.Rule) {
				rules = append(rules, r.Rule)
			}
		}
	}
	sort.Strings(rules)
	var out []*Change
	for _, rule := range rules {
		b, a := find(before, rule), find(after, rule)
		c := &Change{Set: after.Name, Field: "lint." + rule, Before: text(b), After: text(a), Rows: "unchanged"}
		if c.Before == c.After {
			continue
		}
		switch {
		// A reason is given where a severity is lowered, and only there.
		case a != nil && a.Reason != "" && (b == nil || a.Severity <= b.Severity):
			c.Kind, c.Waiver = "lint-"+rule+"-lowered", true
		case a == nil && b.Reason == "":
			c.Kind, c.Waiver = "lint-"+rule+"-lowered", true
		case a != nil && b != nil && a.Severity < b.Severity:
			c.Kind, c.Waiver = "lint-"+rule+"-lowered", true
		default:
			c.Kind = "lint-" + rule + "-raised"
		}
		for i := range c.Harms {
			c.Harms[i].Text = "no value changes"
		}
		c.At, c.Was = setAt(after, c.Field), setAt(before, c.Field)
		c.identify("")
		out = append(out, c)
	}
	return out
}
