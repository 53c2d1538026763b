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
	timeout  time.Duration // of an attempt; 0: none, or the caller's deadline is nearer
	timedOut bool          // the attempt's own timeout ended it
	limit    Limit         // why there is one attempt; "": the policy's number
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
	if call.empty {
		r.end(ReasonPrecondition, errEmptyKey)
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
	if r.state.Max > 1 || why == LimitUnkeyed {
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
		class: r.class, started: r.started, maybeApplied: r.state.MaybeApplied,
	}
}

// judge turns the error of an attempt into what it ended in.
func (r *run) judge(err error) ending {
	var e ending
	if err == nil {
		return e
	}
	var f found
	classify(r.class.spec, err, &f)
	if !f.known || f.on == grpcCancelled || f.on == grpcDeadlineExceeded {
		r.judgeContext(&f)
	}
	e.On, e.Final, e.Inner = f.on, f.final, f.inner
	if f.pushed {
		e.Asked, e.Instant = true, int64(f.instant.Sub(r.started))
	}
	e.Stop = f.stop
	return e
}

// judgeContext tells the attempt's own timeout from everything else that ends a
// context: the caller's context is asked, not the error.
func (r *run) judgeContext(f *found) {
	switch {
	case f.final:
	case f.known: // gRPC says of an end on this side what it says of one on the other
		if r.timedOut || r.ctx.Err() != nil {
			f.on = conditionTimeout
		}
	case r.timedOut && f.on != conditionUnsent && f.on != conditionOffline:
		f.on = conditionTimeout
	case f.canceled && r.ctx.Err() != nil && f.on == conditionNone:
		f.on = conditionTimeout // cut off by the caller: as open as a timeout
	case f.on == conditionNone:
		f.on = conditionError
	}
}

// settle decides what follows an attempt. release, where not nil, lets go of what
// the attempt holds before a wait begins.
func (r *run) settle(err error, e ending, release func()) (over bool) {
	if r.quiet() && r.class.meaning(&r.state, e) == success {
		r.state.Condition, r.last = e.On, nil
		return true
	}
	r.last = err
	e.CanRefresh, e.CanReread = r.options.Refresh != nil, r.options.Reread != nil
	if e.On == conditionOffline && r.options.Online == nil {
		e.On = conditionUnsent
	}
	number := int(r.state.Attempts)
	now := r.now()
	v := r.class.after(&r.state, e, now, r.options.draw())
	if number > 1 && r.class.budget != nil && (v.Next == nextEnd && v.Reason == "" || e.On.answered()) {
		r.class.budget.giveBack(r.host, r.budgetTime(now))
	}
	if r.options.Observer != nil {
		seen := err
		if v.Next == nextEnd && v.Reason == "" {
			seen = nil
		}
		r.observe(Event{Kind: AttemptDone, Attempt: number, Condition: r.condition(), Err: seen})
	}
	if v.Next == nextEnd {
		if v.Reason == "" {
			r.last = nil
			return true
		}
		if e.On == conditionTimeout || v.Reason != ReasonRejected && v.Reason != ReasonAmbiguous {
			if ctxErr := r.ctx.Err(); ctxErr != nil {
				r.endByContext(ctxErr)
				return true
			}
		}
		r.end(v.Reason, nil)
		return true
	}
	if ctxErr := r.ctx.Err(); ctxErr != nil {
		r.endByContext(ctxErr)
		return true
	}
	if v.Next == nextWait && r.pastContext(v.At, now) {
		r.end(ReasonDeadline, nil)
		r.gaveUp.context = context.DeadlineExceeded
		return true
	}
	if v.Next == nextWait && r.class.budget != nil && !r.class.budget.take(r.host, r.budgetTime(now)) {
		r.end(ReasonThrottled, nil)
		return true
	}
	if release != nil {
		release()
	}
	return !r.pause(v, now)
}

// pastContext reports whether the caller's context ends before the instant at.
func (r *run) pastContext(at, now int64) bool {
	until, ok := r.ctx.Deadline()
	return ok && int64(time.Until(until)) <= at-now
}

func (r *run) budgetTime(now int64) int64 { return later(r.started.UnixNano(), time.Duration(now)) }

// pause makes what lies between two attempts: the wait for the network, the wait
// that was decided, and the hook. It reports whether the call goes on.
func (r *run) pause(v verdict, now int64) bool {
	if v.Next == nextSuspend {
		if !r.awaitNetwork(v.At) {
			return false
		}
		now = r.now()
		if v = r.class.restored(&r.state, now, r.options.draw()); v.Next == nextEnd {
			r.end(v.Reason, nil)
			return false
		}
	}
	if r.options.Observer != nil {
		r.observe(Event{
			Kind: RetryScheduled, Attempt: int(r.state.Attempts), Wait: time.Duration(v.At - now),
			Condition: r.condition(), Err: r.last,
		})
	}
	if !r.sleep(time.Duration(v.At - now)) {
		return false
	}
	run := r.options.Refresh
	switch v.Hook {
	case hookNone:
		return true
	case hookReread:
		run = r.options.Reread
	}
	if err := run(r.scope, r.class.spec.Name, r.last); err != nil {
		if ctxErr := r.ctx.Err(); ctxErr != nil {
			r.endByContext(ctxErr)
		} else {
			r.end(ReasonPrecondition, err)
		}
		return false
	}
	return true
}

// awaitNetwork waits for the app's word that the network is there, until the
// instant at.
func (r *run) awaitNetwork(at int64) bool {
	ctx, cancel := context.WithDeadline(r.scope, r.started.Add(time.Duration(at)))
	defer cancel()
	if err := r.options.Online(ctx); err != nil {
		switch ctxErr := r.ctx.Err(); {
		case ctxErr != nil:
			r.endByContext(ctxErr)
		case ctx.Err() != nil:
			r.end(ReasonDeadline, nil)
		default:
			r.end(ReasonPrecondition, err)
		}
		return false
	}
	return true
}

// sleep waits for d on one timer a call, and looks at the context again: a timer
// and a cancel that are both ready must not be a matter of chance.
func (r *run) sleep(d time.Duration) bool {
	if d > 0 {
		if r.timer == nil {
			r.timer = time.NewTimer(d)
		} else {
			r.timer.Reset(d)
		}
		if done := r.ctx.Done(); done == nil { // a receive costs half of a select
			<-r.timer.C
		} else {
			select {
			case <-r.timer.C:
			case <-done:
				r.timer.Stop()
			}
		}
	}
	if err := r.ctx.Err(); err != nil {
		r.endByContext(err)
		return false
	}
	return true
}

func (r *run) condition() string { return r.state.Condition.text(r.class.spec) }

// end records why the call ends. why is what failed beside the attempts.
func (r *run) end(reason Reason, why error) {
	e := &GaveUp{
		Class: r.class.spec.Name, Reason: reason, Attempts: int(r.state.Attempts) + int(r.state.Refunds),
		Elapsed: time.Since(r.started), Condition: r.condition(),
		MaybeApplied: r.state.MaybeApplied, Limit: r.limit, Err: r.last, hook: why,
	}
	if r.state.PushedBack {
		e.NotBefore = r.started.Add(time.Duration(r.state.PushBack)).Round(0)
	}
	r.gaveUp = e
	if r.options.Observer != nil {
		r.observe(Event{
			Kind: GaveUpCall, Attempt: e.Attempts, Reason: reason, Condition: e.Condition,
			MaybeApplied: e.MaybeApplied, Err: e,
		})
	}
}

// endByContext ends the call because the caller's context did.
func (r *run) endByContext(err error) {
	reason := ReasonCanceled
	if err == context.DeadlineExceeded {
		reason = ReasonDeadline
	}
	cause := context.Cause(r.ctx)
	if cause == err {
		cause = nil
	}
	if r.last == err || r.last == cause {
		r.last = nil // said once
	}
	r.end(reason, nil)
	r.gaveUp.context, r.gaveUp.cause = err, cause
}

func (r *run) err() error {
	if r.gaveUp == nil {
		return nil
	}
	return r.gaveUp
}

func (r *run) observe(e Event) {
	e.Set, e.Class = r.class.spec.Set, r.class.spec.Name
	r.options.Observer.Observe(r.ctx, e)
}
