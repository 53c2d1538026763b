package engine

import (
	"context"
	"time"
)

// judge turns the error of an attempt into what it ended in.
func (r *run) judge(err error) ending {
	var e ending
	if err == nil {
		return e
	}
	var f found
	classify(r.class.spec, err, &f)
	f.listen(err)
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
	if e.On == conditionOffline && (r.options.Online == nil || r.class.spec.Timing != timingInline) {
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
