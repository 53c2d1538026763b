package engine

import "time"

// Attempt tells an attempt function where its call stands.
type Attempt struct {
	Number int // counts from 1
	Max    int // the most attempts this call can have
	Key    Key // the idempotency key, the same for every attempt; "" for a class without one

	class        *class
	began        time.Duration // since origin
	maybeApplied bool
}

// Remaining is how many attempts may follow this one.
func (a Attempt) Remaining() int { return a.Max - a.Number }

// Retry reports whether an attempt went before this one.
func (a Attempt) Retry() bool { return a.Number > 1 }

// Deadline is the instant from which on no attempt of the call starts. An attempt
// that started before it is not cut off by it.
func (a Attempt) Deadline() time.Time {
	if a.class == nil {
		return time.Time{}
	}
	return instantOf(a.began).Add(a.class.spec.Within)
}

// origin is what the beginning of a call is measured from: the monotonic clock
// alone is read in little more than half of the time that time.Now takes for both.
var origin = time.Now()

// instantOf returns the instant at d since origin, as today's wall clock has it.
func instantOf(d time.Duration) time.Time {
	now := time.Now()
	return now.Add(d - now.Sub(origin))
}
