package engine

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

// Tests in package engine travel with the emitted copy: they use the standard
// library and what is emitted, nothing else.

// retrying is a class that most tests start from: four attempts of an idempotent
// task, waits of 1s, 2s, 4s without jitter, a minute in all.
func retrying(change ...func(*spec)) *class {
	s := spec{
		Set: "test", Name: "work", KeyName: "work", Kind: kindTask, Pattern: "work", Effect: effectIdempotent,
		Attempts: 4, Within: time.Minute,
		Base: time.Second, Factor: 2, Cap: 10 * time.Second, Jitter: jitterNone,
		KeyHeader: "Idempotency-Key",
	}
	for _, c := range change {
		c(&s)
	}
	return &makeClasses([]spec{s})[0]
}

var errBroken = errors.New("broken")

// failing is an attempt function that counts itself and fails each time with err.
func failing(count *int, err error) func(context.Context, Attempt) (int, error) {
	return func(context.Context, Attempt) (int, error) {
		*count++
		return *count, err
	}
}

// wantGaveUp checks how a call ended and returns the error for more.
func wantGaveUp(t *testing.T, err error, reason Reason, attempts int) *GaveUp {
	t.Helper()
	var e *GaveUp
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want a *GaveUp", err)
	}
	if e.Reason != reason || e.Attempts != attempts {
		t.Fatalf("got %q, want %s after %d attempts", e, reason, attempts)
	}
	return e
}

// recorder keeps the events it hears.
type recorder struct {
	mu     sync.Mutex
	events []Event
}

func (r *recorder) Observe(_ context.Context, e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

func (r *recorder) count(k EventKind) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, e := range r.events {
		if e.Kind == k {
			n++
		}
	}
	return n
}

func (r *recorder) limits() (all []Limit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		if e.Kind == TriedOnce {
			all = append(all, e.Limit)
		}
	}
	return all
}
