package engine

import (
	"context"
	"time"
)

// run is one call under way. It lives on the stack of whoever drives it.
type run struct {
	ctx      context.Context // the caller's
	scope    *scope          // what attempts run under
	class    *class
	options  *Options
	key      string
	host     string // for the retry budget
	started  time.Time
	timeout  time.Duration   // of an attempt; 0: none, or the caller's deadline is nearer
	timedOut bool            // the attempt's own timeout ended it
	limit    Limit           // why there is one attempt; "": the policy's number
	canceled <-chan struct{} // ends waits beside ctx; nil: nothing does
	state    state
	timer    *time.Timer
	last     error
	gaveUp   *GaveUp
}

// begin prepares a call. Its error is that of a call that cannot start.
func (r *run) begin(ctx context.Context, call Call) error {
	if call.class == nil {
		return errNoClass
	}
	outer, nested := lookUp(ctx)
	options := noOptions
	if outer != nil && outer.options != nil {
		options = outer.options
	}
	r.prepare(ctx, call.class, call.key, options)
	if call.unusable {
		r.end(ReasonPrecondition, call.class.whyUnusable(call.key))
		return r.gaveUp
	}
	if nested && !r.class.spec.NestedRetry {
		r.once(LimitNested)
	}
	r.scope = r.mark(nested)
	return nil
}

func (r *run) prepare(ctx context.Context, c *class, key string, options *Options) {
	r.ctx, r.class, r.key, r.options = ctx, c, key, options
	r.started = time.Now()
	r.state = c.begin(0)
	if options.Disable != nil && options.Disable(c.spec.Name) {
		r.once(LimitDisabled)
	}
}

// once limits the call to one attempt.
func (r *run) once(why Limit) {
	if r.state.Max > 1 || why == LimitUnkeyed && r.limit == "" {
		r.state.Max, r.limit = 1, why
		if r.options.Observer != nil {
			r.observe(Event{Kind: TriedOnce, Limit: why})
		}
	}
}

// mark makes the scope of the call's attempts.
func (r *run) mark(nested bool) *scope {
	options := r.options
	if options == noOptions {
		options = nil
	}
	return r.class.mark(r.ctx, r.key, options, nested || r.state.Max > 1)
}

// start counts the next attempt, or ends the call.
func (r *run) start() bool {
	if err := r.ctx.Err(); err != nil {
		r.endByContext(err)
		return false
	}
	var now int64
	first := r.state.Attempts == 0 && r.state.Refunds == 0
	if !first {
		now = r.now()
	}
	if v := r.class.start(&r.state, now, false); v.Next != nextStart {
		r.end(v.Reason, nil)
		return false
	}
	if b := r.class.budget; b != nil && first {
		b.deposit(r.host, r.started.UnixNano())
	}
	r.prepareTimeout()
	if r.options.Observer != nil {
		r.observe(Event{Kind: AttemptStarted, Attempt: int(r.state.Attempts)})
	}
	return true
}

// prepareTimeout sets the timeout of the attempt that starts.
func (r *run) prepareTimeout() {
	r.timedOut = false
	if r.timeout = r.class.spec.AttemptTimeout; r.timeout > 0 {
		if until, ok := r.ctx.Deadline(); ok && time.Until(until) <= r.timeout {
			r.timeout = 0
		}
	}
}

// quiet reports whether nobody but the caller hears how an attempt ended.
func (r *run) quiet() bool { return r.options.Observer == nil && r.class.budget == nil }

func (r *run) now() int64 { return int64(time.Since(r.started)) }

func (r *run) attempt() Attempt {
	return Attempt{
		Number: int(r.state.Attempts), Max: int(r.state.Max), Key: Key(r.key),
		class: r.class, began: r.started.Sub(origin), maybeApplied: r.state.MaybeApplied,
	}
}
