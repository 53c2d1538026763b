package engine

import "time"

// state is what one operation has gone through: a call keeps it on its stack, a
// row in its columns. Instants are nanoseconds on the clock of whoever drives
// the operation: since the call for a call, since 1970 for a row.
type state struct {
	NotBefore    int64 // no attempt starts earlier
	Scheduled    int64 // what deferral is measured from
	Deadline     int64 // no attempt starts at this instant or later, deferral aside
	ExtendAtMost int64 // the most that deferral moves the deadline; 0: it expires
	Deferred     int64 // deferral so far
	LastWait     int64 // what decorrelated jitter grows from
	PushBack     int64 // what the server asked for last, where PushedBack
	Decided      int64 // when the last decision was made

	Attempts  int32 // started, refunds taken off
	Max       int32 // fixed at admission; the running class may lower it
	Crashes   int16
	Refunds   int16     // attempts given back: offline, or released before they started
	Condition condition // what the last attempt ended in

	WaitsFor     waitsFor
	RetryAfter   retryAfterMode // fixed at admission
	MaybeApplied bool           // an attempt may have been applied
	Refreshed    bool           // the credentials were refreshed once
	PushedBack   bool           // the last failure named a time
	Unkeyed      bool           // the class has a key, and this operation goes without
}

// maxRefunds bounds how often an attempt is given back, so that a network that
// never answers still ends the operation.
const maxRefunds = 5

// waitsFor is the event that an operation waits for, beside time.
type waitsFor uint8

const (
	waitsForNothing waitsFor = iota
	waitsForNetwork
	waitsForCredentials
	waitsForState
	waitsForConstraint
)

// begin is the state of an operation accepted at now, before its first attempt.
func (c *class) begin(now int64) state {
	s := state{
		NotBefore: now, Scheduled: now, Decided: now,
		Deadline:   later(now, c.spec.Within),
		Max:        int32(min(c.spec.Attempts, 1<<30)),
		RetryAfter: c.spec.RetryAfter,
	}
	if c.spec.Extend {
		s.ExtendAtMost = int64(c.spec.ExtendAtMost)
	}
	return s
}

// effectiveDeadline is the deadline, moved by the deferral so far.
func (s *state) effectiveDeadline() int64 {
	return later(s.Deadline, time.Duration(min(s.Deferred, s.ExtendAtMost)))
}

// latestDeadline is the last instant that deferral could still move the
// deadline to.
func (s *state) latestDeadline() int64 { return later(s.Deadline, time.Duration(s.ExtendAtMost)) }
