package engine

import "time"

// Attempt tells an attempt function where its call stands.
type Attempt struct {
	Number   int       // counts from 1
	Max      int       // the most attempts this call can have
	Key      Key       // the idempotency key, the same for every attempt; "" for a class without one
	Deadline time.Time // no attempt of the call starts at this instant or later

	class        *class
	maybeApplied bool
}

// Remaining is how many attempts may follow this one.
func (a Attempt) Remaining() int { return a.Max - a.Number }

// Retry reports whether an attempt went before this one.
func (a Attempt) Retry() bool { return a.Number > 1 }
