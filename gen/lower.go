package gen

import (
	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen/engine"
)

// Lower translates a class into what the engine runs. The enums of both
// packages have the same order, which a test holds them to.
func Lower(c *ir.Class) engine.Spec {
	s := engine.Spec{
		Set:      c.Set,
		Name:     c.Name,
		KeyName:  c.Name,
		Aliases:  c.Aliases,
		Kind:     engine.Kind(c.Op.Kind),
		Pattern:  c.Op.Text,
		Effect:   engine.Effect(c.Effect),
		Tolerate: c.Duplicates == ir.Tolerated,

		Attempts:       c.Attempts,
		AttemptTimeout: c.AttemptTimeout,
		Within:         c.Deadline.Within,
		Extend:         c.Deadline.Mode == ir.Extend,
		ExtendAtMost:   c.Deadline.ExtendAtMost,
		Timing:         engine.Timing(c.Timing),

		Base:   c.Backoff.Base,
		Factor: c.Backoff.Factor,
		Cap:    c.Backoff.Cap,
		Jitter: engine.Jitter(c.Backoff.Jitter),

		MinBackoff:  c.Scheduler.MinBackoff,
		MaxBackoff:  c.Scheduler.MaxBackoff,
		MaxGap:      c.Scheduler.MaxGap,
		StartJitter: c.StartJitter,

		KeySource: engine.KeySource(c.Idempotency.Source),
		KeyFields: len(c.Idempotency.Fields),
		KeptFor:   c.Idempotency.KeptFor,

		RetryAfter: engine.RetryAfterMode(c.RetryAfter.Mode),
		Conditions: c.Conditions,

		NestedRetry:     c.Nested == ir.NestedRetry,
		Interactive:     c.Audience == ir.Interactive,
		OfflineCounts:   c.WhenOffline == ir.CountOffline,
		WhenConstrained: engine.WhenConstrained(c.WhenConstrained),
		PayloadMax:      c.PayloadMax,
	}
	if len(c.Aliases) > 0 {
		s.KeyName = c.Aliases[0]
	}
	if c.Idempotency.Source != ir.NoKey {
		s.KeySent = engine.KeySent(c.Idempotency.Sent)
		if c.Idempotency.Sent == ir.InHeader {
			s.KeyHeader = c.Idempotency.Header
			s.KeyQuote = c.Idempotency.Quote
		}
	}
	if c.RetryAfter.Mode == ir.Stop || c.RetryAfter.Mode == ir.Clamp {
		s.RetryAfterMax = c.RetryAfter.Max
	}
	s.Outcomes = lowerOutcomes(c.Outcome)
	s.AfterAmbiguous = lowerOutcomes(c.OutcomeAfterAmbiguous)
	for _, p := range c.PerOutcome {
		s.PerOutcome = append(s.PerOutcome, engine.OutcomeLimit{On: p.On, Attempts: p.Attempts, Base: p.Base, Cap: p.Cap})
	}
	if b := c.RetryBudget; b != nil {
		s.Budget = engine.BudgetSpec{Name: b.Name, Ratio: b.Ratio, Floor: b.Floor, PerHost: b.PerHost}
	}
	return s
}

// LowerSet lowers every class of a set, in the set's order.
func LowerSet(set *ir.Set) []engine.Spec {
	specs := make([]engine.Spec, len(set.Classes))
	for i := range set.Classes {
		specs[i] = Lower(&set.Classes[i])
	}
	return specs
}

func lowerOutcomes(rules []ir.OutcomeRule) []engine.OutcomeRule {
	var out []engine.OutcomeRule
	for _, r := range rules {
		out = append(out, engine.OutcomeRule{On: r.On, Then: engine.Outcome(r.Then)})
	}
	return out
}
