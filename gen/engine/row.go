package engine

import "time"

// The decisions that only deferred work needs.

// admit is the state of a row accepted at now. The first attempt is spread over
// startJitter, so that a fleet told the same thing does not start as one.
func (c *class) admit(now int64, draw float64) state {
	s := c.begin(now)
	s.NotBefore = later(now, time.Duration(draw*float64(c.spec.StartJitter)))
	s.Scheduled = s.NotBefore
	return s
}

// wake ends the wait for an event: the row is due after a draw of startJitter,
// never sooner than before. The time it waited was deferral.
func (c *class) wake(s *state, now int64, draw float64) {
	s.deferUntil(now)
	s.WaitsFor = waitsForNothing
	s.NotBefore = max(s.NotBefore, later(now, time.Duration(draw*float64(c.spec.StartJitter))))
	s.Scheduled = max(s.Scheduled, s.NotBefore)
}

// release gives back an attempt that was counted but never started. It reports
// false where too many were given back already; the attempt then counts.
func (c *class) release(s *state) bool {
	if s.Refunds >= maxRefunds || s.Attempts == 0 {
		return false
	}
	s.Refunds++
	s.Attempts--
	return true
}

// The store of the rows drives these.
var _ = [...]any{(*class).admit, (*class).wake, (*class).release}
