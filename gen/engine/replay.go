package engine

import (
	"context"
	"net/http/httptrace"
	"time"
)

// freeConnections is how many connections one attempt may ask for without a wait:
// one, and two more for those of a pool that turn out to be closed.
const freeConnections = 3

// pacer slows an attempt down that net/http repeats by itself: before it asks for
// more connections than are free, it waits as the policy would. A server that answers
// each new connection with GOAWAY is asked a hundred times a second otherwise: net/http counts
// such repetitions on one connection, and makes new ones without end.
type pacer struct {
	httptrace.ClientTrace
	class   *class
	options *Options
	ctx     context.Context
	asked   int
	last    time.Duration
}

// paced returns the context of such an attempt.
func (c *class) paced(ctx context.Context, options *Options) context.Context {
	p := &pacer{class: c, options: options, ctx: ctx}
	p.GetConn = p.wait
	return httptrace.WithClientTrace(ctx, &p.ClientTrace)
}

func (p *pacer) wait(string) {
	if p.asked++; p.asked <= freeConnections {
		return
	}
	n := p.asked - freeConnections
	if p.last = p.class.waits.wait(p.class.spec.Jitter, n, p.last, p.options.draw()); p.last <= 0 { // a policy without backoff
		p.last = ceiling(100*time.Millisecond, 2, 10*time.Second, n)
	}
	timer := time.NewTimer(p.last)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-p.ctx.Done():
	}
}
