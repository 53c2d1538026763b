package engine

import (
	"context"
	"time"
)

// opening is the first attempt of a call that nobody observes and nothing
// limits. Most calls are no more than that, so it keeps what a success needs; a
// run is made of it once the attempt has failed.
type opening struct {
	scope *scope
	began time.Duration // since origin
}

// open starts such a call. It reports false, and has done nothing, where the call
// needs a run from the beginning.
func (c *Call) open(ctx context.Context) (o opening, ok bool) {
	of := c.class
	if of == nil || c.unusable || !of.plain {
		return o, false
	}
	if ctx == context.Background() { // which carries nothing and never ends
		o.began = time.Since(origin)
		if o.scope = &of.background; c.key != "" {
			o.scope = &scope{Context: ctx, class: of, key: c.key, under: true, repeats: of.background.repeats}
		}
		return o, true
	}
	outer, nested := lookUp(ctx)
	if nested && !of.spec.NestedRetry {
		return o, false
	}
	var options *Options
	if outer != nil && outer.options != nil {
		if options = outer.options; options.Observer != nil || options.Disable != nil {
			return o, false
		}
	}
	if ctx.Err() != nil {
		return o, false
	}
	o.began = time.Since(origin)
	o.scope = of.mark(ctx, c.key, options, nested || of.spec.Attempts > 1)
	return o, true
}

func (o *opening) attempt(call Call) Attempt {
	c := call.class
	return Attempt{
		Number: 1, Max: c.spec.Attempts, Key: Key(call.key),
		class: c, began: o.began,
	}
}

// follow makes a run of a call whose first attempt is over.
func (r *run) follow(ctx context.Context, call Call, o opening) {
	r.ctx, r.scope, r.class, r.key, r.started = ctx, o.scope, call.class, call.key, instantOf(o.began)
	if r.options = o.scope.options; r.options == nil {
		r.options = noOptions
	}
	r.state = r.class.begin(0)
	r.class.start(&r.state, 0, false)
}

// mark makes the scope that the attempts of a call run under: one a call.
func (c *class) mark(ctx context.Context, key string, options *Options, repeats bool) *scope {
	if key == "" && options == nil && repeats == c.background.repeats && ctx == context.Background() {
		return &c.background
	}
	return &scope{Context: ctx, class: c, key: key, options: options, under: true, repeats: repeats}
}
