package lint

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen/engine"
)

// randomClass is any class that the compiler could accept, sensible or not.
func randomClass(t *rapid.T, name string) ir.Class {
	d := func(what string) time.Duration {
		return time.Duration(rapid.OneOf(
			rapid.SampledFrom([]int64{1, int64(time.Millisecond), int64(time.Second), int64(time.Minute), int64(time.Hour), math.MaxInt64}),
			rapid.Int64Range(1, int64(48*time.Hour)),
		).Draw(t, what))
	}
	c := ir.Class{
		Name: name, Doc: rapid.SampledFrom([]string{"", "x"}).Draw(t, "doc"), Owner: rapid.SampledFrom([]string{"", "x"}).Draw(t, "owner"),
		Effect: ir.Effect(rapid.IntRange(0, 2).Draw(t, "effect")), Duplicates: ir.Duplicates(rapid.IntRange(0, 1).Draw(t, "duplicates")),
		Attempts: rapid.IntRange(1, 100).Draw(t, "attempts"), Timing: ir.Timing(rapid.IntRange(0, 2).Draw(t, "timing")),
		Deadline: ir.Deadline{Within: d("within")}, Audience: ir.Audience(rapid.IntRange(0, 1).Draw(t, "audience")),
		Nested: ir.Nested(rapid.IntRange(0, 1).Draw(t, "nested")), WhenOffline: ir.WhenOffline(rapid.IntRange(0, 1).Draw(t, "offline")),
		PayloadMax: rapid.Int64Range(0, math.MaxInt64).Draw(t, "payload"),
		RetryAfter: ir.RetryAfter{Mode: ir.RetryAfterMode(rapid.IntRange(0, 3).Draw(t, "mode")), Max: d("max")},
	}
	c.Op.Kind = ir.Kind(rapid.IntRange(0, 2).Draw(t, "kind"))
	c.Op.Text = rapid.SampledFrom(map[ir.Kind][]string{
		ir.HTTP: {"GET h.example/x/{id}", "POST /x", "DELETE h.example/{rest...}", "POST h.example/x/{id}:cancel", "PUT /{a}/{b}", "PATCH h.example/x/y"},
		ir.GRPC: {"p.S/M", "p.S/*"}, ir.Task: {"do it"},
	}[c.Op.Kind]).Draw(t, "operation")
	if rapid.Bool().Draw(t, "timed") || c.Timing != ir.Inline {
		c.AttemptTimeout = d("attemptTimeout")
	}
	if c.Timing != ir.Inline {
		c.StartJitter = time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "startJitter"))
		c.WhenConstrained = ir.WhenConstrained(rapid.IntRange(0, 2).Draw(t, "constrained"))
		if rapid.Bool().Draw(t, "extend") {
			c.Deadline.Mode, c.Deadline.ExtendAtMost = ir.Extend, d("extendAtMost")
		}
	}
	if c.Timing == ir.ByScheduler {
		c.Scheduler = ir.Scheduler{Profile: rapid.SampledFrom([]string{"workmanager@2", "bgtask@1", "cron", "custom"}).Draw(t, "profile"), MinBackoff: d("min"), MaxBackoff: d("maxBackoff"), MaxGap: d("gap")}
	} else {
		base := d("base")
		c.Backoff = ir.Backoff{Base: base, Cap: max(base, d("cap")), Factor: rapid.Float64Range(1, 10).Draw(t, "factor"), Jitter: ir.Jitter(rapid.IntRange(0, 3).Draw(t, "jitter"))}
	}
	c.Idempotency.Source = ir.KeySource(rapid.IntRange(0, 3).Draw(t, "source"))
	c.Idempotency.Header = "Idempotency-Key"
	c.Idempotency.Sent = ir.KeySent(rapid.IntRange(0, 1).Draw(t, "sent"))
	if c.Idempotency.Source == ir.KeyFromFields {
		c.Idempotency.Fields = rapid.SliceOfN(rapid.SampledFrom([]string{"id", "now", "x"}), 1, 3).Draw(t, "fields")
	}
	if rapid.Bool().Draw(t, "kept") {
		c.Idempotency.KeptFor = d("keptFor")
	}
	known := append(engine.KnownConditions(engine.Kind(c.Op.Kind)), "4xx", "5xx", "2xx")
	for range rapid.IntRange(0, 6).Draw(t, "outcomes") {
		on := rapid.SampledFrom(known).Draw(t, "on")
		if engine.ValidCondition(engine.Kind(c.Op.Kind), on) {
			c.Outcome = append(c.Outcome, ir.OutcomeRule{On: on, Then: ir.Outcome(rapid.IntRange(0, 4).Draw(t, "then"))})
		}
	}
	if on := rapid.SampledFrom(known).Draw(t, "per"); engine.ValidCondition(engine.Kind(c.Op.Kind), on) {
		c.PerOutcome = []ir.PerOutcome{{On: on, Attempts: rapid.IntRange(0, 100).Draw(t, "perAttempts"), Base: time.Duration(rapid.Int64Range(0, int64(time.Minute)).Draw(t, "perBase"))}}
	}
	if rapid.Bool().Draw(t, "budget") && c.Timing != ir.ByScheduler {
		c.RetryBudget = &ir.Budget{Ratio: rapid.Float64Range(0, 1).Draw(t, "ratio"), Floor: 1}
	}
	for range rapid.IntRange(0, 2).Draw(t, "calls") {
		c.Calls = append(c.Calls, rapid.SampledFrom([]ir.Call{
			{Class: "a.c0"}, {Class: "a.c1", Remote: true}, {Class: "b.gone"}, {Name: "mesh", Attempts: 3}, {Name: "sdk", Attempts: 1},
		}).Draw(t, "call"))
	}
	// Written as a whole, as far as rules ask.
	for _, path := range []string{"effect", "retryAfter.max", "scheduler.minBackoff", "backoff.jitter", "nested", "aliases"} {
		if rapid.Bool().Draw(t, path) {
			c.Spans.Add(ir.Place{Path: path})
		}
	}
	c.Spans.Sort()
	return c
}

// Whatever the classes, the rules end without a panic, the messages read as
// sentences, and what is said does not depend on chance.
func TestAnyClasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var classes []ir.Class
		for i := range rapid.IntRange(1, 5).Draw(t, "classes") {
			classes = append(classes, randomClass(t, fmt.Sprintf("c%d", i)))
		}
		sets := []*ir.Set{set("a", classes...)}
		opt := Options{Today: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)}
		got := Run(sets, opt)
		for _, d := range got.Findings {
			if d.Severity != Find(d.Rule).Severity && d.Severity != Find(d.Rule).worst() {
				t.Fatalf("%s is %v", d.Rule, d.Severity)
			}
			for _, s := range append([]string{d.Message}, d.Help...) {
				for _, bad := range []string{"%!", "  ", "\"0s\"", " 0 requests", " 0 attempts", " -", "NaN", "Inf", "attempts: 0", "\"\""} {
					if strings.Contains(s, bad) {
						t.Fatalf("%s says %q", d.Rule, s)
					}
				}
			}
			if len(d.Help) == 0 {
				t.Fatalf("%s has no help: %s", d.Rule, d.Message)
			}
		}
		if again := Run(sets, opt); fmt.Sprint(again.Findings) != fmt.Sprint(got.Findings) {
			t.Fatalf("found\n%v\nand then\n%v", got.Findings, again.Findings)
		}
	})
}
