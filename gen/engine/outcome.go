package engine

import (
	"slices"
	"time"
)

// rule is an outcomeRule made ready: the conditions it covers, first to last.
type rule struct {
	first, last condition
	then        outcome
}

// compileRules puts rules for one condition before those for a class of them,
// so that the first match is the most specific. A key that nothing can end in is
// left out; the compiler has refused it before.
func compileRules(s *spec, from []outcomeRule) []rule {
	if len(from) == 0 {
		return nil
	}
	rules := make([]rule, 0, len(from))
	for _, r := range from {
		if first, last, ok := conditionRange(s.Conditions, r.On); ok {
			rules = append(rules, rule{first, last, r.Then})
		}
	}
	slices.SortStableFunc(rules, func(a, b rule) int { return int(a.last-a.first) - int(b.last-b.first) })
	return rules
}

func match(rules []rule, c condition) (outcome, bool) {
	for i := range rules {
		if c >= rules[i].first && c <= rules[i].last {
			return rules[i].then, true
		}
	}
	return 0, false
}

// limit is an outcomeLimit made ready.
type limit struct {
	first, last condition
	attempts    int32
	waits       curve
}

func compileLimits(s *spec) []limit {
	if len(s.PerOutcome) == 0 {
		return nil
	}
	limits := make([]limit, 0, len(s.PerOutcome))
	for _, l := range s.PerOutcome {
		first, last, ok := conditionRange(s.Conditions, l.On)
		if !ok {
			continue
		}
		made := limit{first: first, last: last, attempts: int32(min(l.Attempts, 1<<30))}
		if l.Base > 0 || l.Cap > 0 {
			base, ceiling := s.perOutcomeWaits(l)
			made.waits = newCurve(base, s.Factor, ceiling, s.Attempts)
		}
		limits = append(limits, made)
	}
	slices.SortStableFunc(limits, func(a, b limit) int { return int(a.last-a.first) - int(b.last-b.first) })
	return limits
}

// perOutcomeWaits returns base and cap of the waits after attempts that end in
// l.On. A base above the cap it stands beside raises that cap.
func (s *spec) perOutcomeWaits(l outcomeLimit) (base, ceiling time.Duration) {
	base, ceiling = s.Base, s.Cap
	if l.Base > 0 {
		base = l.Base
		if l.Cap == 0 {
			ceiling = max(ceiling, base)
		}
	}
	if l.Cap > 0 {
		ceiling = l.Cap
		base = min(base, ceiling)
	}
	return base, ceiling
}

func (c *class) limit(on condition) *limit {
	for i := range c.limits {
		if on >= c.limits[i].first && on <= c.limits[i].last {
			return &c.limits[i]
		}
	}
	return nil
}

// outcome says what an attempt that ended in on means. After an attempt that may
// have been applied the class may say otherwise. pushedBack: the server named a
// time, which is what makes RESOURCE_EXHAUSTED worth repeating.
func (c *class) outcome(on condition, maybeApplied, pushedBack bool) outcome {
	if then, ok := c.declaredOutcome(on, maybeApplied); ok {
		return then
	}
	return defaultOutcome(c.spec.Kind, on, pushedBack)
}

func (c *class) declaredOutcome(on condition, maybeApplied bool) (outcome, bool) {
	if maybeApplied {
		if then, ok := match(c.afterAmbig, on); ok {
			return then, true
		}
	}
	return match(c.rules, on)
}

// defaultOutcome is what on means where the class says nothing. What is not
// known is terminal.
func defaultOutcome(k kind, on condition, pushedBack bool) outcome {
	switch on {
	case conditionNone:
		return success
	case conditionUnsent, conditionRefused, conditionTimeout, conditionConnection, conditionOffline, conditionCrash:
		return retryable
	}
	switch {
	case on.isHTTP() && on < 400, on == conditionGRPC:
		return success
	case k == kindHTTP && on.isHTTP():
		switch {
		case on == 401:
			return refresh
		case on == 408, on == 429, on >= 502 && on <= 504:
			return retryable
		}
	case k == kindGRPC && on.isGRPC():
		switch on {
		case grpcUnavailable:
			return retryable
		case grpcResourceExhausted:
			if pushedBack {
				return retryable
			}
		case grpcUnauthenticated:
			return refresh
		case grpcAborted:
			return reread
		}
	}
	return terminal
}
