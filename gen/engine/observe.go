package engine

import (
	"context"
	"time"
)

// Observer hears of what calls do. Observe is called by many goroutines at once,
// and the call waits for it.
type Observer interface {
	Observe(ctx context.Context, e Event)
}

// EventKind says what happened.
type EventKind uint8

// The events. Every call has as many AttemptDone as AttemptStarted, a
// RetryScheduled before each further attempt, and one GaveUpCall unless it
// succeeded.
const (
	AttemptStarted EventKind = iota + 1 // Attempt
	AttemptDone                         // Attempt, Condition, Err; Err is nil for success
	RetryScheduled                      // Attempt (the one that failed), Wait, Condition, Err
	GaveUpCall                          // Attempt (how many there were), Reason, Condition, Err, MaybeApplied
	TriedOnce                           // the policy allows more attempts; Limit says why this call has one
	PassedThrough                       // a request of no class went through untouched; Class is empty
)

var eventWords = [...]string{
	AttemptStarted: "attempt started", AttemptDone: "attempt done", RetryScheduled: "retry scheduled",
	GaveUpCall: "gave up", TriedOnce: "tried once", PassedThrough: "passed through",
}

// String gives the event in words, such as "retry scheduled".
func (k EventKind) String() string {
	if k > 0 && int(k) < len(eventWords) {
		return eventWords[k]
	}
	return "unknown event"
}

// Limit says why a call is tried once though its policy allows more.
type Limit string

// The limits.
const (
	LimitNested        Limit = "nested"         // a layer above it repeats already
	LimitDisabled      Limit = "disabled"       // Options.Disable said so
	LimitUnkeyed       Limit = "unkeyed"        // its class has a key, and the request brought none
	LimitNotRewindable Limit = "not rewindable" // its body can be read once only
	LimitDeferred      Limit = "deferred"       // its class is deferred work, which nothing repeats in the caller
)

// Event is one thing that a call did. Fields that a kind does not name are zero.
type Event struct {
	Kind         EventKind
	Set, Class   string // the policy set and the class
	Attempt      int    // counts from 1
	Condition    string // what the attempt ended in, as policies call it: "503", "timeout"; empty for success without a code
	Wait         time.Duration
	Reason       Reason
	Limit        Limit
	MaybeApplied bool
	Err          error
}

// Observers returns an Observer that tells each of several, in order.
func Observers(each ...Observer) Observer { return observers(each) }

type observers []Observer

func (o observers) Observe(ctx context.Context, e Event) {
	for _, each := range o {
		each.Observe(ctx, e)
	}
}
