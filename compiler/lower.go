package compiler

import (
	"sort"
	"strings"
	"time"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen/engine"
)

// lower makes a class of a sound node: defaults are applied, and each written
// field gets its place.
func (c *checker) lower(doc string) ir.Class {
	d := theDefaults()
	n := c.root
	out := d.class
	out.Set, out.Name, out.Doc = c.set, c.class, doc
	for _, k := range []ir.Kind{ir.HTTP, ir.GRPC, ir.Task} {
		if f := n.field(k.String()); f != nil {
			out.Op = ir.Operation{Kind: k, Text: f.text}
		}
	}
	out.Aliases = texts(n.field("aliases"))
	word(n.field("effect"), ir.ParseEffect, &out.Effect)
	if n.field("effect") == nil && out.Op.Kind == ir.HTTP {
		method, _, _ := strings.Cut(out.Op.Text, " ")
		if e, ok := engine.MethodEffect(method); ok {
			out.Effect = ir.Effect(e)
		}
	}
	word(n.field("duplicates"), ir.ParseDuplicates, &out.Duplicates)
	text(n.field("owner"), &out.Owner)
	if f := n.field("attempts"); f != nil {
		out.Attempts = int(f.integer)
	}
	duration(n.field("attemptTimeout"), &out.AttemptTimeout)
	if f := n.field("deadline"); f != nil {
		duration(f.field("within"), &out.Deadline.Within)
		word(f.field("mode"), ir.ParseDeadlineMode, &out.Deadline.Mode)
		duration(f.field("extendAtMost"), &out.Deadline.ExtendAtMost)
	}
	word(n.field("timing"), ir.ParseTiming, &out.Timing)
	c.lowerWaits(&out, d)
	c.lowerKey(&out, d)
	if f := n.field("retryAfter"); f != nil {
		word(f.field("mode"), ir.ParseRetryAfterMode, &out.RetryAfter.Mode)
		duration(f.field("max"), &out.RetryAfter.Max)
	}
	if m := out.RetryAfter.Mode; (m == ir.Stop || m == ir.Clamp) && out.RetryAfter.Max == 0 {
		out.RetryAfter.Max = out.Backoff.Cap
	}
	out.Outcome = outcomeRules(n.field("outcome"))
	out.OutcomeAfterAmbiguous = outcomeRules(n.field("outcomeAfterAmbiguous"))
	if f := n.field("perOutcome"); f != nil {
		for _, e := range f.fields {
			p := ir.PerOutcome{On: e.name}
			if a := e.field("attempts"); a != nil {
				p.Attempts = int(a.integer)
			}
			duration(e.field("base"), &p.Base)
			duration(e.field("cap"), &p.Cap)
			out.PerOutcome = append(out.PerOutcome, p)
		}
		sort.Slice(out.PerOutcome, func(i, j int) bool { return out.PerOutcome[i].On < out.PerOutcome[j].On })
	}
	out.Conditions = texts(n.field("conditions"))
	if f := n.field("retryBudget"); f != nil {
		b := ir.Budget{Name: f.text}
		if f.kind == structNode {
			b = lowerBudget(f, "", d)
		}
		out.RetryBudget = &b
	}
	word(n.field("nested"), ir.ParseNested, &out.Nested)
	word(n.field("audience"), ir.ParseAudience, &out.Audience)
	word(n.field("whenOffline"), ir.ParseWhenOffline, &out.WhenOffline)
	word(n.field("whenConstrained"), ir.ParseWhenConstrained, &out.WhenConstrained)
	if f := n.field("payload").field("max"); f != nil {
		out.PayloadMax = f.size
	}
	if f := n.field("calls"); f != nil {
		for _, e := range f.elems {
			call := ir.Call{Class: e.text}
			text(e.field("class"), &call.Class)
			text(e.field("name"), &call.Name)
			if r := e.field("remote"); r != nil {
				call.Remote = r.truth
			}
			if a := e.field("attempts"); a != nil {
				call.Attempts = int(a.integer)
			}
			out.Calls = append(out.Calls, call)
		}
	}
	out.Waive = lowerWaivers(n.field("waive"))
	out.Spans.Self = ir.Place{Label: n.label, Value: n.value, Related: spansOf(n.related)}
	out.Spans.Template = n.template
	places(&out.Spans, n, "")
	out.Spans.Sort()
	return out
}

func (c *checker) lowerWaits(out *ir.Class, d *defaults) {
	n := c.root
	f := n.field("backoff")
	if f != nil || out.Attempts > 1 && out.Timing != ir.ByScheduler {
		out.Backoff = d.backoff
	}
	if f != nil {
		duration(f.field("base"), &out.Backoff.Base)
		duration(f.field("cap"), &out.Backoff.Cap)
		word(f.field("jitter"), ir.ParseJitter, &out.Backoff.Jitter)
		if x := f.field("factor"); x != nil {
			out.Backoff.Factor = x.number
		}
	}
	if out.Timing != ir.ByScheduler {
		out.Scheduler = ir.Scheduler{}
	} else if f := n.field("scheduler"); f != nil {
		text(f.field("profile"), &out.Scheduler.Profile)
		p := d.profiles[out.Scheduler.Profile]
		out.Scheduler.MinBackoff, out.Scheduler.MaxBackoff = p.min, p.max
		duration(f.field("minBackoff"), &out.Scheduler.MinBackoff)
		duration(f.field("maxBackoff"), &out.Scheduler.MaxBackoff)
		duration(f.field("maxGap"), &out.Scheduler.MaxGap)
	}
	duration(n.field("startJitter"), &out.StartJitter)
}

func (c *checker) lowerKey(out *ir.Class, d *defaults) {
	f := c.root.field("idempotency")
	if f == nil {
		return
	}
	k := &out.Idempotency
	word(f.field("source"), ir.ParseKeySource, &k.Source)
	if k.Source == ir.NoKey {
		return
	}
	k.Fields = texts(f.field("fields"))
	if out.Op.Kind != ir.HTTP {
		k.Sent = ir.ByApp
	}
	word(f.field("sent"), ir.ParseKeySent, &k.Sent)
	if k.Sent == ir.InHeader {
		k.Header = d.header
	}
	text(f.field("header"), &k.Header)
	if q := f.field("quote"); q != nil {
		k.Quote = q.truth
	}
	duration(f.field("keptFor"), &k.KeptFor)
}

func lowerBudget(n *node, name string, d *defaults) ir.Budget {
	b := ir.Budget{Name: name, Floor: d.floor, PerHost: d.perHost}
	if f := n.field("ratio"); f != nil {
		b.Ratio = f.number
	}
	if f := n.field("floor"); f != nil {
		b.Floor = f.number
	}
	if f := n.field("per"); f != nil {
		b.PerHost = f.text == "host"
	}
	return b
}

func lowerWaivers(n *node) []ir.Waiver {
	if n == nil {
		return nil
	}
	var out []ir.Waiver
	for _, f := range n.fields {
		w := ir.Waiver{Rule: f.name}
		text(f.field("reason"), &w.Reason)
		if u := f.field("until"); u != nil {
			w.Until = u.date
		}
		out = append(out, w)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Rule < out[j].Rule })
	return out
}

func outcomeRules(n *node) []ir.OutcomeRule {
	if n == nil {
		return nil
	}
	var out []ir.OutcomeRule
	for _, f := range n.fields {
		r := ir.OutcomeRule{On: f.name}
		word(f, ir.ParseOutcome, &r.Then)
		out = append(out, r)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].On < out[j].On })
	return out
}

func word[T any](n *node, parse func(string) (T, bool), to *T) {
	if n != nil {
		if v, ok := parse(n.text); ok {
			*to = v
		}
	}
}

func text(n *node, to *string) {
	if n != nil {
		*to = n.text
	}
}

func duration(n *node, to *time.Duration) {
	if n != nil {
		*to = n.duration
	}
}

func texts(n *node) []string {
	if n == nil {
		return nil
	}
	out := make([]string, 0, len(n.elems))
	for _, e := range n.elems {
		out = append(out, e.text)
	}
	return out
}

// places lists where each written field is.
func places(t *ir.SpanTable, n *node, path string) {
	for _, f := range n.fields {
		p := join(path, f.name)
		t.Add(ir.Place{Path: p, Label: f.label, Value: f.value, Related: spansOf(f.related)})
		places(t, f, p)
	}
	for _, e := range n.elems {
		p := join(path, e.name)
		t.Add(ir.Place{Path: p, Label: e.label, Value: e.value, Related: spansOf(e.related)})
		places(t, e, p)
	}
}

func spansOf(related []ir.Related) []ir.Span {
	if len(related) == 0 {
		return nil
	}
	out := make([]ir.Span, len(related))
	for i, r := range related {
		out[i] = r.Span
	}
	return out
}
