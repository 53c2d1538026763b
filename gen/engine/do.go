package engine

import "context"

// Do runs attempt until it succeeds or the policy of call's class ends the call,
// and waits in between. It returns what the last attempt returned; the error is
// nil or a *GaveUp.
//
// The context that an attempt receives ends at the class's attempt timeout or
// with ctx, whichever is nearer. No attempt starts once ctx has ended. A success is
// returned whatever ctx says by then. Time is counted from the call, on the
// monotonic clock: on systems where that clock stands still while the device sleeps, so
// does the deadline.
//
// attempt hands over facts about a failure (Attempt.Response, Status, Condition,
// Offline, Unsent, Refused, RetryAfter); any other error is judged by how it
// broke. What a failure means, the policy alone says. Do is safe for concurrent
// use, also with one Call.
func Do[T any](ctx context.Context, call Call, attempt func(context.Context, Attempt) (T, error)) (T, error) {
	var value T
	var r run
	if err := r.begin(ctx, call); err != nil {
		return value, err
	}
	for r.start() {
		var err error
		if r.timeout > 0 {
			value, err = attemptWithin(&r, attempt)
		} else {
			value, err = attempt(r.scope, r.attempt())
		}
		if r.done(err) {
			break
		}
	}
	return value, r.err()
}

// attemptWithin runs one attempt under its own timeout. The timer is released
// whichever way the attempt ends, a panic included.
func attemptWithin[T any](r *run, attempt func(context.Context, Attempt) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(r.scope, r.timeout)
	defer cancel()
	value, err := attempt(ctx, r.attempt())
	r.timedOut = err != nil && ctx.Err() == context.DeadlineExceeded
	return value, err
}
