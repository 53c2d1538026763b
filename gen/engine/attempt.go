package engine

import "time"

// Attempt tells an attempt function where its call stands.
type Attempt struct {
	Number int // counts from 1
	Max    int // the most attempts this call can have
	Key    Key // the idempotency key, the same for every attempt; "" for a class without one

	class        *class
	started      time.Time
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
	return a.started.Add(a.class.spec.Within)
}
