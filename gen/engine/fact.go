package engine

import (
	"strconv"
	"time"
)

// fact is an error that says what an attempt ended in. It is metadata beside the
// error it wraps, never in its place.
type fact struct {
	err     error // nil where the fact is all there is
	text    string
	on      condition
	name    string // a condition of the app's own
	pushed  bool
	stop    bool
	final   bool // repeating cannot help
	instant time.Time
}

func (f *fact) Error() string {
	if f.err != nil {
		return f.err.Error()
	}
	return f.text
}

func (f *fact) Unwrap() error { return f.err }

// Status says that the attempt was answered with an HTTP status (100 to 599) or a
// gRPC code (0 to 16). err may be nil; it stays the error that callers see. A
// status that the class takes for success makes the call succeed with the value
// that the attempt returned.
func Status(code int, err error) error {
	f := &fact{err: err, text: "status " + strconv.Itoa(code), on: conditionError}
	switch {
	case code >= 0 && code <= 16:
		f.on = conditionGRPC + condition(code)
		f.text = grpcNames[code]
	case code >= 100 && code <= 599:
		f.on = condition(code)
	}
	return f
}

// Condition says what happened by one of the names that the class declares in
// conditions, such as "slow_down". A name that it does not declare is an
// unknown failure. err may be nil.
func Condition(name string, err error) error {
	return &fact{err: err, text: name, on: conditionApp, name: name}
}

// Offline says that there was no network. err may be nil.
func Offline(err error) error {
	return &fact{err: err, text: "offline", on: conditionOffline}
}

// Unsent says that the attempt certainly never reached the server. err may be nil.
func Unsent(err error) error {
	return &fact{err: err, text: "unsent", on: conditionUnsent}
}

// Refused says that the server did not process the attempt and said so, as HTTP/2
// does with REFUSED_STREAM. err may be nil.
func Refused(err error) error {
	return &fact{err: err, text: "refused", on: conditionRefused}
}

// RetryAfter adds the instant before which the server does not want to be asked
// again. The rest of what err says stays. A nil err stays nil, and a zero instant
// says nothing.
func RetryAfter(err error, at time.Time) error {
	if err == nil || at.IsZero() {
		return err
	}
	return &fact{err: err, pushed: true, instant: at}
}
