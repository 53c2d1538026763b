package bounds

import (
	"time"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen/engine"
)

// The engine's enums have the order and words of package ir's, which package
// gen holds them to.
const (
	decorrelated = engine.Jitter(ir.DecorrelatedJitter)
	byScheduler  = engine.Timing(ir.ByScheduler)
	stop         = engine.RetryAfterMode(ir.Stop)
	clamp        = engine.RetryAfterMode(ir.Clamp)
	ignore       = engine.RetryAfterMode(ir.Ignore)
	retry        = engine.Outcome(ir.Retry)
	reread       = engine.Outcome(ir.Reread)
	refresh      = engine.Outcome(ir.Refresh)
)

// The draws of the engine's schedule: uniform on its range.
const (
	least   = 0.0
	average = 0.5
	longest = 1.0
)

// schedule lays out all attempts, whether or not they fit. A durable class's
// first attempt is spread by its start jitter.
func schedule(s *engine.Spec) []Attempt {
	out := make([]Attempt, max(s.Attempts, 1))
	start := Span{s.StartJitter / 2, s.StartJitter}
	out[0] = Attempt{Number: 1, AtOnce: start, Silent: start}
	var last Span
	for i := 1; i < len(out); i++ {
		before := last.Average
		last = wait(s, i, last)
		prev := &out[i-1]
		out[i] = Attempt{
			Number: i + 1,
			Wait:   last,
			AtOnce: Span{Add(prev.AtOnce.Average, last.Average), Add(prev.AtOnce.Longest, last.Longest)},
			Silent: Span{
				Add(Add(prev.Silent.Average, s.AttemptTimeout), last.Average),
				Add(Add(prev.Silent.Longest, s.AttemptTimeout), last.Longest),
			},
			SameSecond: sameSecond(s, i, before, last.Longest),
		}
	}
	return out
}

// wait is the wait after attempt n. Under a scheduler the engine makes none:
// on average it is the platform's own backoff, which doubles from minBackoff to
// maxBackoff, and at the longest the gap that the policy plans for.
func wait(s *engine.Spec, n int, last Span) Span {
	if s.Timing == byScheduler {
		d := s.MinBackoff
		for ; n > 1 && d < s.MaxBackoff; n-- {
			d = Times(d, 2)
		}
		d = min(d, max(s.MaxBackoff, s.MinBackoff))
		return Span{d, max(d, s.MaxGap)}
	}
	return Span{
		engine.Wait(s, n, "", last.Average, average),
		engine.Wait(s, n, "", last.Longest, longest),
	}
}

// sameSecond is the share of a cohort that draws the wait after attempt n
// together and is back within one second: the draw's range against it. before
// is the average of the wait before, which decorrelated jitter alone grows from;
// for the others the ceiling is that of any wait after attempt n.
func sameSecond(s *engine.Spec, n int, before, ceiling time.Duration) float64 {
	spread := s.StartJitter
	if s.Timing != byScheduler {
		if s.Jitter == decorrelated {
			ceiling = engine.Wait(s, n, "", before, longest)
		}
		spread = ceiling - engine.Wait(s, n, "", before, least)
	}
	if spread <= time.Second {
		return 1
	}
	return float64(time.Second) / float64(spread)
}

// requests is the most that one operation sends: of all failures that are
// followed by another attempt, the one that allows most, as far as attempts can
// start in time when each fails at once and each draw is the shortest.
func requests(s *engine.Spec) int {
	most := mostRetried(s)
	if s.Timing == byScheduler {
		return most
	}
	at, last := time.Duration(0), time.Duration(0)
	for n := 1; n < most; n++ {
		last = engine.Wait(s, n, "", last, least)
		if at = Add(at, last); at > Add(s.Within, s.ExtendAtMost) {
			return n
		}
	}
	return most
}

// usual lists the failures that nearly every class retries; the search among all
// others is for the rest.
var usual = []string{"refused", "unsent", "connection", "timeout", "429"}

func mostRetried(s *engine.Spec) int {
	most := 1
	if s.Attempts < 2 {
		return most
	}
	for _, list := range [][]string{usual, s.Conditions, known[s.Kind]} {
		for _, on := range list {
			switch engine.EffectiveOutcome(s, on, false) {
			case retry, reread:
				if len(s.PerOutcome) == 0 && !engine.Ambiguous(s.Kind, on) {
					return s.Attempts // nothing but attempts ends it
				}
				most = max(most, engine.MaxAttempts(s, on))
			case refresh:
				most = max(most, 2)
			}
			if most >= s.Attempts {
				return s.Attempts
			}
		}
	}
	return most
}

// known lists what can happen to an operation of each kind.
var known = map[engine.Kind][]string{
	engine.Kind(ir.HTTP): engine.KnownConditions(engine.Kind(ir.HTTP)),
	engine.Kind(ir.GRPC): engine.KnownConditions(engine.Kind(ir.GRPC)),
	engine.Kind(ir.Task): engine.KnownConditions(engine.Kind(ir.Task)),
}
