package lint

import (
	"time"

	"github.com/retryc/retryc/compiler/ir"
)

// Pass is one application of one rule. Checks report through it.
type Pass struct {
	Today time.Time
	rule  *Rule
	found []ir.Diagnostic
}

// finding is what a check has to say. Its place is that of Field, in the class
// or set it is reported for.
type finding struct {
	Field    string      // a path of ir.Paths or ir.SetPaths; "" the class or set itself
	OnLabel  bool        // the field's name is what is wrong, not its value
	Severity ir.Severity // 0: the rule's
	Message  string
	Help     []string
	Related  []ir.Related
	Fix      *ir.Fix
}

// class reports a finding about a class.
func (p *Pass) class(set *ir.Set, c *ir.Class, f finding) {
	at, exact := c.Spans.Place(f.Field)
	span := at.Value
	switch {
	case f.OnLabel || f.Field == "":
		span = c.Label(f.Field)
	case !exact:
		span = c.Span(f.Field)
	}
	for _, s := range at.Related {
		f.Related = append(f.Related, ir.Related{Span: s, Message: "through this reference of " + c.Name})
	}
	p.add(span, f, set.Name, c.Name)
}

// set reports a finding about a set.
func (p *Pass) set(set *ir.Set, f finding) {
	span := set.Span(f.Field)
	if f.OnLabel || f.Field == "" {
		span = set.Label(f.Field)
	}
	p.add(span, f, set.Name, "")
}

func (p *Pass) add(span ir.Span, f finding, set, class string) {
	if f.Severity == 0 {
		f.Severity = p.rule.Severity
	}
	p.found = append(p.found, ir.Diagnostic{
		Rule: p.rule.ID, Severity: f.Severity, Message: f.Message, Span: span,
		Help: f.Help, Related: f.Related, Fix: f.Fix,
		Set: set, Class: class, Field: f.Field,
	})
}
