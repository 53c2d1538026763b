package compiler

import (
	"sync"
	"time"

	"github.com/retryc/retryc/compiler/ir"
)

// The defaults of the language, read from schema/defaults.cue: a default is one
// table entry, however many classes leave the field out.
type defaults struct {
	class    ir.Class // with what does not depend on other fields
	floor    float64
	perHost  bool
	backoff  ir.Backoff // factor and jitter
	header   string
	profiles map[string]profile
}

type profile struct{ min, max time.Duration }

func readDefaults(s *shape) *defaults {
	d := &defaults{profiles: map[string]profile{}}
	text := func(n *node) string {
		if n == nil {
			panic("schema: a default is missing")
		}
		return n.text
	}
	get := s.defaults.field
	d.class.Duplicates = must(ir.ParseDuplicates, text(get("duplicates")))
	d.class.Deadline.Mode = must(ir.ParseDeadlineMode, text(get("deadline").field("mode")))
	d.class.Timing = must(ir.ParseTiming, text(get("timing")))
	d.class.StartJitter = mustDuration(text(get("startJitter")))
	d.class.Idempotency.Source = must(ir.ParseKeySource, text(get("idempotency").field("source")))
	d.class.Idempotency.Quote = get("idempotency").field("quote").truth
	d.class.RetryAfter.Mode = must(ir.ParseRetryAfterMode, text(get("retryAfter").field("mode")))
	d.class.Nested = must(ir.ParseNested, text(get("nested")))
	d.class.Audience = must(ir.ParseAudience, text(get("audience")))
	d.class.WhenOffline = must(ir.ParseWhenOffline, text(get("whenOffline")))
	d.class.WhenConstrained = must(ir.ParseWhenConstrained, text(get("whenConstrained")))
	d.backoff.Factor = get("backoff").field("factor").number
	d.backoff.Jitter = must(ir.ParseJitter, text(get("backoff").field("jitter")))
	d.header = text(get("idempotency").field("header"))
	d.floor = get("retryBudget").field("floor").number
	d.perHost = text(get("retryBudget").field("per")) == "host"
	d.class.Scheduler.Profile = text(get("scheduler").field("profile"))
	for _, p := range s.profiles.fields {
		d.profiles[p.name] = profile{mustDuration(text(p.field("minBackoff"))), mustDuration(text(p.field("maxBackoff")))}
	}
	return d
}

func must[T any](parse func(string) (T, bool), s string) T {
	v, ok := parse(s)
	if !ok {
		panic("schema: no such word: " + s)
	}
	return v
}

func mustDuration(s string) time.Duration {
	d, reason, _ := parseDuration(s)
	if reason != "" {
		panic("schema: " + s + ": " + reason)
	}
	return d
}

var theDefaults = sync.OnceValue(func() *defaults { return readDefaults(theShape()) })
