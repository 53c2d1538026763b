package engine

import "context"

// scope is what a context carries for calls below it: options, a call that a
// request belongs to, and whether a layer above already repeats. It is the
// context itself, so that marking an attempt costs one allocation of 64 bytes.
type scope struct {
	context.Context
	class    *class
	key      string
	options  *Options // nil: the default
	under    bool     // an attempt of class is under way; else class is a call handed over by WithCall
	repeats  bool     // a layer at or above this one is attempted more than once
	unusable bool     // key cannot be sent, or the call has no class
}

// scopeKey is the key of scopes. It is an unnamed type, so that packages
// generated apart from each other find each other's layers.
type scopeKey = struct{ RetrycScope struct{} }

// layer is what packages generated apart from each other know of each other's
// scopes. The type is unnamed for the same reason.
type layer = interface {
	RetrycLayer() (repeats bool, outer context.Context)
}

func (s *scope) Value(key any) any {
	if _, ok := key.(scopeKey); ok {
		return s
	}
	return s.Context.Value(key)
}

// RetrycLayer tells other generated packages whether a layer here repeats.
func (s *scope) RetrycLayer() (repeats bool, outer context.Context) { return s.repeats, s.Context }

// lookUp returns the nearest scope of this package, or nil, and whether a layer of
// any package above repeats.
func lookUp(ctx context.Context) (s *scope, repeats bool) {
	for {
		switch v := ctx.Value(scopeKey{}).(type) {
		case *scope:
			return v, repeats || v.repeats
		case layer:
			again, outer := v.RetrycLayer()
			repeats = repeats || again
			ctx = outer
		default:
			return nil, repeats
		}
	}
}
