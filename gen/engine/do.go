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
	first, ok := call.open(ctx)
	if !ok {
		var value T
		var r run
		if err := r.begin(ctx, call); err != nil {
			return value, err
		}
		return repeat(&r, value, attempt)
	}
	value, err := attempt(first.scope, first.attempt(call))
	if err == nil {
		return value, nil
	}
	var r run
	r.follow(ctx, call, first)
	if r.settle(err, r.judge(err), nil) {
		return value, r.err()
	}
	return repeat(&r, value, attempt)
}

// Run is Do for work without a result.
func Run(ctx context.Context, call Call, attempt func(context.Context, Attempt) error) error {
	_, err := Do(ctx, call, func(ctx context.Context, a Attempt) (struct{}, error) {
		return struct{}{}, attempt(ctx, a)
	})
	return err
}

// repeat is the loop of a call. value is what it returns where no attempt starts.
func repeat[T any](r *run, value T, attempt func(context.Context, Attempt) (T, error)) (T, error) {
	for r.start() {
		var err error
		if r.timeout > 0 {
			value, err = attemptWithin(r, attempt)
		} else {
			value, err = attempt(r.scope, r.attempt())
		}
		if r.settle(err, r.judge(err), nil) {
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
