package engine

import "time"

// ending is what an attempt ended in, as facts. The class says what they mean.
type ending struct {
	On    condition
	Final bool // deterministic: repeating cannot help (a certificate, an inner call that was rejected)
	Inner bool // an inner call gave up for a reason that repeating may mend

	Asked   bool  // the server named an instant, NotSooner
	Stop    bool  // the server said not to come back
	Instant int64 // on the driver's clock

	CanRefresh, CanReread bool // a hook is installed
	Signals               bool // an event may wake the operation later: true for rows
}

// next is what a driver does now.
type next uint8

const (
	nextStart   next = iota // start the attempt; it is counted
	nextWait                // wait until At, run Hook, then ask again
	nextSuspend             // wait for the event in state.WaitsFor, until At at the latest
	nextEnd                 // it is over: Reason, empty for success
)

// hook is what runs between two attempts.
type hook uint8

const (
	hookNone hook = iota
	hookRefresh
	hookReread
)

// verdict is a decision.
type verdict struct {
	Next   next
	Hook   hook
	Reason Reason
	At     int64
}

func end(r Reason) verdict { return verdict{Next: nextEnd, Reason: r} }

// start decides whether an attempt starts at now. Nothing changes unless it does,
// ends or is held back by a constraint, so a call that comes too early costs
// nothing.
func (c *class) start(s *state, now int64, constrained bool) verdict {
	if now < s.NotBefore {
		return verdict{Next: nextWait, At: s.NotBefore}
	}
	if s.ExtendAtMost > 0 {
		s.deferUntil(now)
	}
	if now >= s.effectiveDeadline() {
		s.Decided = now
		return end(ReasonDeadline)
	}
	if s.Attempts >= min(s.Max, int32(min(c.spec.Attempts, 1<<30))) {
		s.Decided = now
		return end(ReasonExhausted)
	}
	if constrained && c.spec.WhenConstrained != runConstrained {
		s.Decided = now
		if c.spec.WhenConstrained == dropConstrained && s.Attempts > 0 {
			return end(ReasonDropped)
		}
		s.WaitsFor = waitsForConstraint
		return verdict{Next: nextSuspend, At: s.latestDeadline()}
	}
	s.Attempts++
	s.WaitsFor = waitsForNothing
	s.Scheduled, s.Decided = now, now
	return verdict{Next: nextStart}
}

// deferUntil counts the time since the operation was due as deferral.
func (s *state) deferUntil(now int64) {
	if now > s.Scheduled {
		s.Deferred = later(s.Deferred, time.Duration(now-s.Scheduled))
		s.Scheduled = now
	}
}

// after decides what follows an attempt that ended in e. draw is uniform in
// [0, 1].
func (c *class) after(s *state, e ending, now int64, draw float64) verdict {
	suspends := e.On == conditionOffline && s.Refunds < maxRefunds && !c.spec.OfflineCounts
	if e.On == conditionOffline && !suspends {
		e.On = conditionUnsent
	}
	then := c.meaning(s, e)
	s.Condition, s.Decided, s.WaitsFor = e.On, now, waitsForNothing
	s.PushedBack = e.Asked && s.RetryAfter != retryAfterIgnore
	if then == success {
		return end("")
	}
	if e.On == conditionCrash {
		s.Crashes++
	}
	if suspends {
		s.Refunds++
		s.Attempts--
		return c.suspend(s, waitsForNetwork, now)
	}
	if c.spec.Effect != effectSafe && e.On.ambiguous() {
		s.MaybeApplied = true
	}
	switch {
	case s.MaybeApplied && c.harmful && (c.keyless || s.Unkeyed): // repeated only after what certainly did nothing
		return end(ReasonAmbiguous)
	case then == terminal:
		return end(ReasonRejected)
	}
	v := verdict{Next: nextWait, At: now}
	bound := min(s.Max, int32(min(c.spec.Attempts, 1<<30)))
	waits := &c.waits
	if l := c.limit(e.On); l != nil {
		if l.attempts > 0 {
			bound = min(bound, l.attempts)
		}
		if l.waits.base > 0 {
			waits = &l.waits
		}
	}
	spent := s.Attempts >= bound
	switch then {
	case refresh:
		if spent || s.Refreshed || !e.CanRefresh && !e.Signals {
			return end(ReasonRejected)
		}
		s.Refreshed = true
		if !e.CanRefresh {
			return c.suspend(s, waitsForCredentials, now)
		}
		v.Hook = hookRefresh
	case reread:
		if spent || !e.CanReread && !e.Signals {
			return end(ReasonRejected)
		}
		if !e.CanReread {
			return c.suspend(s, waitsForState, now)
		}
		v.Hook = hookReread
	default:
		if spent {
			return end(ReasonExhausted)
		}
	}
	if s.RetryAfter != retryAfterIgnore && (e.Asked || e.Stop) {
		if r, over := c.pushBack(s, e, now, &v); over {
			return end(r)
		}
	}
	var wait time.Duration
	switch {
	case c.spec.Timing == timingScheduler:
		if s.PushedBack {
			wait = time.Duration(draw * float64(c.spec.StartJitter))
		}
	case then != refresh || s.PushedBack:
		wait = waits.wait(c.spec.Jitter, int(s.Attempts), time.Duration(s.LastWait), draw)
		s.LastWait = int64(wait)
	}
	v.At = max(s.NotBefore, later(v.At, wait))
	if v.At >= s.effectiveDeadline() {
		return end(ReasonDeadline)
	}
	s.NotBefore, s.Scheduled = v.At, v.At
	return v
}

// meaning is the outcome of e for this class. An inner call that gave up is worth
// repeating unless the class has its own word for what it gave up on.
func (c *class) meaning(s *state, e ending) outcome {
	switch {
	case e.Final:
		return terminal
	case e.Inner:
		if then, ok := c.declaredOutcome(e.On, s.MaybeApplied); ok {
			return then
		}
		return retryable
	}
	return c.outcome(e.On, s.MaybeApplied, e.Asked)
}

// pushBack applies the server's delay to v. The instant the server asked for
// stays on the state, whatever becomes of it.
func (c *class) pushBack(s *state, e ending, now int64, v *verdict) (Reason, bool) {
	if e.Stop {
		return ReasonPushBack, true
	}
	s.PushBack = e.Instant
	v.At = max(now, e.Instant)
	if limit := c.spec.RetryAfterMax; v.At-now > int64(limit) {
		switch s.RetryAfter {
		case retryAfterStop:
			return ReasonPushBack, true
		case retryAfterClamp:
			v.At = later(now, limit)
		}
	}
	return "", false
}

// restored makes an operation that waited for an event due again, after the wait
// that a failure would have had: whoever lost one network gets it back together.
func (c *class) restored(s *state, now int64, draw float64) verdict {
	s.WaitsFor = waitsForNothing
	wait := c.waits.wait(c.spec.Jitter, int(s.Attempts)+int(s.Refunds), time.Duration(s.LastWait), draw)
	s.LastWait = int64(wait)
	s.NotBefore = max(s.NotBefore, later(now, wait))
	if s.NotBefore >= s.effectiveDeadline() {
		return end(ReasonDeadline)
	}
	return verdict{Next: nextWait, At: s.NotBefore}
}

// suspend makes the operation wait for an event. What follows is deferral.
func (c *class) suspend(s *state, on waitsFor, now int64) verdict {
	s.WaitsFor, s.Scheduled = on, now
	return verdict{Next: nextSuspend, At: s.latestDeadline()}
}
