package engine

import (
	"context"
	"math/rand/v2"
)

// Options are what an app adds to its policies at run time. The zero value adds
// nothing. Options are read while calls run and must not be changed then.
type Options struct {
	// Refresh renews the credentials. It runs between two attempts of a call whose
	// policy says "refresh" of what it ended in, at most once a call, with the
	// call's context. An error ends the call with the reason ReasonPrecondition; without
	// a hook such an end is ReasonRejected.
	Refresh func(ctx context.Context, class string, last error) error

	// Reread reads again the state that an attempt was built on. It runs before an
	// attempt that follows one whose policy says "reread". Errors are as for
	// Refresh.
	Reread func(ctx context.Context, class string, last error) error

	// Online returns nil once the network is there, at once when it is there now,
	// and an error when ctx ends first. With it, a class that suspends while
	// offline waits for the network without spending the attempt, at most five times a
	// call. Without it, being offline is a failure that never reached the server.
	Online func(ctx context.Context) error

	// Observer hears of attempts, retries and ends. Nil: nobody does.
	Observer Observer

	// Disable reports whether a class is not to be repeated for now: its calls are
	// tried once. A switch for incidents, asked at the start of each call.
	Disable func(class string) bool

	// Random draws from [0, 1) for jitter. Nil: math/rand/v2. It is called by many
	// goroutines at once.
	Random func() float64
}

var noOptions = &Options{}

// With returns a context whose calls use options, in place of any outer ones and
// of a transport's defaults.
func With(ctx context.Context, options *Options) context.Context {
	if options == nil {
		options = noOptions
	}
	outer, repeats := lookUp(ctx)
	s := &scope{Context: ctx, options: options, repeats: repeats}
	if outer != nil {
		s.class, s.key, s.under, s.unusable = outer.class, outer.key, outer.under, outer.unusable
	}
	return s
}

func (o *Options) draw() float64 {
	if o.Random != nil {
		return o.Random()
	}
	return rand.Float64()
}
