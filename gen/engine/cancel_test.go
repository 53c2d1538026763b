//go:build go1.25

package engine

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// Point 4: the call ends before the wait that would outlast a deadline, and says
// whose it was.
func TestPoint04DeadlinesBoundStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		began := time.Now()
		c := retrying(func(s *spec) { s.Within = 3 * time.Second })
		_, err := Do(t.Context(), c.call(), failing(&n, Unsent(errBroken)))
		e := wantGaveUp(t, err, ReasonDeadline, 2)
		if time.Since(began) != time.Second || !e.Timeout() || errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, errBroken) {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		n := 0
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		_, err := Do(ctx, retrying().call(), failing(&n, Unsent(errBroken)))
		wantGaveUp(t, err, ReasonDeadline, 2)
		if time.Since(began) != time.Second || !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, errBroken) || ctx.Err() != nil {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
	synctest.Test(t, func(t *testing.T) { // a wait that ends on the caller's deadline is not made either
		n := 0
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := Do(ctx, retrying().call(), failing(&n, Unsent(errBroken)))
		wantGaveUp(t, err, ReasonDeadline, 1)
	})
	synctest.Test(t, func(t *testing.T) { // the deadline bounds starts, not the attempt under way
		c := retrying(func(s *spec) { s.Within = 3 * time.Second })
		_, err := Do(t.Context(), c.call(), func(ctx context.Context, a Attempt) (int, error) {
			time.Sleep(time.Hour)
			return 0, ctx.Err()
		})
		if err != nil {
			t.Errorf("an attempt that outlasts the deadline: %v", err)
		}
	})
	synctest.Test(t, func(t *testing.T) { // a delay beyond the deadline ends the call with the instant
		began := time.Now()
		_, err := Do(t.Context(), retrying().call(), func(ctx context.Context, a Attempt) (int, error) {
			return 0, RetryAfter(Unsent(errBroken), began.Add(time.Hour))
		})
		e := wantGaveUp(t, err, ReasonDeadline, 1)
		if time.Since(began) != 0 || !e.NotBefore.Equal(began.Add(time.Hour)) {
			t.Errorf("after %v: %+v", time.Since(began), e)
		}
	})
}

// Point 5: cancellation is exact.
func TestPoint05CancellationIsExact(t *testing.T) {
	reason := errors.New("the user left")
	synctest.Test(t, func(t *testing.T) { // a dead context: no attempt
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(reason)
		n := 0
		_, err := Do(ctx, retrying().call(), failing(&n, nil))
		wantGaveUp(t, err, ReasonCanceled, 0)
		if n != 0 || !errors.Is(err, context.Canceled) || !errors.Is(err, reason) {
			t.Errorf("%d attempts, %v", n, err)
		}
	})
	synctest.Test(t, func(t *testing.T) { // the timer and the cancel at the same instant: no attempt
		n := 0
		_, err := Do(deadAt{t.Context(), time.Now().Add(time.Second)}, retrying().call(), failing(&n, Unsent(errBroken)))
		wantGaveUp(t, err, ReasonCanceled, 1)
	})
	synctest.Test(t, func(t *testing.T) { // during a wait: at once, and both errors are found
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(500*time.Millisecond, func() { cancel(reason) })
		n := 0
		began := time.Now()
		_, err := Do(ctx, retrying().call(), failing(&n, Unsent(errBroken)))
		wantGaveUp(t, err, ReasonCanceled, 1)
		if time.Since(began) != 500*time.Millisecond || !errors.Is(err, context.Canceled) || !errors.Is(err, reason) || !errors.Is(err, errBroken) {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
	synctest.Test(t, func(t *testing.T) { // during the wait before a hook: the hook does not run
		ctx := With(t.Context(), &Options{Reread: func(context.Context, string, error) error {
			t.Error("a hook on a dead context")
			return nil
		}})
		n := 0
		_, err := Do(deadAt{ctx, time.Now().Add(time.Second)}, retrying(asGRPC).call(), failing(&n, Status(10, nil)))
		wantGaveUp(t, err, ReasonCanceled, 1)
	})
	synctest.Test(t, func(t *testing.T) { // during a hook
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		ctx = With(ctx, &Options{Refresh: func(context.Context, string, error) error { cancel(); return nil }})
		_, err := Do(ctx, retrying(asHTTP).call(), failing(&n, Status(401, nil)))
		wantGaveUp(t, err, ReasonCanceled, 1)
	})
	synctest.Test(t, func(t *testing.T) { // a success that arrives is returned
		ctx, cancel := context.WithCancel(t.Context())
		got, err := Do(ctx, retrying().call(), func(context.Context, Attempt) (int, error) {
			cancel()
			return 42, nil
		})
		if got != 42 || err != nil {
			t.Errorf("%d, %v, want the success", got, err)
		}
	})
	synctest.Test(t, func(t *testing.T) { // the answer is known: it is said, not the cancel
		ctx, cancel := context.WithCancel(t.Context())
		_, err := Do(ctx, retrying(asHTTP).call(), func(context.Context, Attempt) (int, error) {
			cancel()
			return 0, Status(404, errBroken)
		})
		wantGaveUp(t, err, ReasonRejected, 1)
	})
}

// deadAt is a context that has ended at an instant and whose Done comes too late: what
// a select sees that finds the timer ready first.
type deadAt struct {
	context.Context
	at time.Time
}

func (d deadAt) Done() <-chan struct{} { return nil }

func (d deadAt) Err() error {
	if time.Now().Before(d.at) {
		return nil
	}
	return context.Canceled
}

// Point 6: an attempt's timeout is not the caller's cancel.
func TestPoint06AttemptTimeoutIsRetried(t *testing.T) {
	limited := func(s *spec) { s.AttemptTimeout = 2 * time.Second }
	for name, wait := range map[string]func(context.Context) error{
		"the context's error": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"wrapped":             func(ctx context.Context) error { <-ctx.Done(); return fmt.Errorf("read: %w", ctx.Err()) },
		"canceled":            func(ctx context.Context) error { <-ctx.Done(); return context.Canceled },
		"its own words":       func(ctx context.Context) error { <-ctx.Done(); return errors.New("query interrupted") },
	} {
		synctest.Test(t, func(t *testing.T) {
			n := 0
			_, err := Do(t.Context(), retrying(limited).call(), func(ctx context.Context, a Attempt) (int, error) {
				n++
				return 0, wait(ctx)
			})
			e := wantGaveUp(t, err, ReasonExhausted, 4)
			if e.Condition != "timeout" || !e.Timeout() || !e.MaybeApplied {
				t.Errorf("%s: %+v", name, e)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) { // the caller's end is not retried, however it looks
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		n := 0
		_, err := Do(ctx, retrying(limited).call(), func(ctx context.Context, a Attempt) (int, error) {
			n++
			<-ctx.Done()
			return 0, ctx.Err()
		})
		e := wantGaveUp(t, err, ReasonDeadline, 1)
		if !errors.Is(err, context.DeadlineExceeded) || !e.MaybeApplied {
			t.Errorf("%+v", e)
		}
	})
	synctest.Test(t, func(t *testing.T) { // somebody else's canceled context is no reason to repeat
		_, err := Do(t.Context(), retrying(limited).call(), func(context.Context, Attempt) (int, error) {
			return 0, context.Canceled
		})
		wantGaveUp(t, err, ReasonRejected, 1)
	})
	synctest.Test(t, func(t *testing.T) { // what the app says counts more than that time was up
		_, err := Do(t.Context(), retrying(asHTTP, limited).call(), func(ctx context.Context, _ Attempt) (int, error) {
			<-ctx.Done()
			return 0, Status(404, nil)
		})
		wantGaveUp(t, err, ReasonRejected, 1)
	})
	synctest.Test(t, func(t *testing.T) { // gRPC's own word for it, which is the server's too
		n := 0
		c := retrying(asGRPC, limited)
		err := Run(t.Context(), c.call(), func(ctx context.Context, a Attempt) error {
			if n++; n == 1 {
				<-ctx.Done()
			}
			return Status(4, errBroken)
		})
		if e := wantGaveUp(t, err, ReasonRejected, 2); e.Condition != "DEADLINE_EXCEEDED" {
			t.Errorf("%+v", e)
		}
	})
	synctest.Test(t, func(t *testing.T) { // the timer is released when the attempt panics
		func() {
			defer func() { recover() }()
			Do(t.Context(), retrying(limited).call(), func(ctx context.Context, _ Attempt) (int, error) {
				context.AfterFunc(ctx, func() {})
				panic("attempt")
			})
		}()
	})
}
