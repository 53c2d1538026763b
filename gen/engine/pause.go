package engine

import (
	"context"
	"time"
)

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
	if r.canceled != nil {
		go cancelWith(ctx, cancel, r.canceled)
	}
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

func cancelWith(ctx context.Context, cancel context.CancelFunc, canceled <-chan struct{}) {
	select {
	case <-canceled:
		cancel()
	case <-ctx.Done():
	}
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
		if done := r.ctx.Done(); done == nil && r.canceled == nil { // a receive costs half of a select
			<-r.timer.C
		} else {
			select {
			case <-r.timer.C:
			case <-done:
				r.timer.Stop()
			case <-r.canceled:
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
