//go:build go1.25

package engine

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/url"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestDoReturnsTheFirstSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := retrying()
		began := time.Now()
		got, err := Do(t.Context(), c.call(), func(_ context.Context, a Attempt) (string, error) {
			if a.Number < 3 {
				return "", Unsent(errBroken)
			}
			if !a.Retry() || a.Remaining() != 1 || a.Max != 4 || !a.Deadline().Equal(began.Add(time.Minute)) {
				t.Errorf("attempt 3 is told %+v", a)
			}
			return "done", nil
		})
		if got != "done" || err != nil || time.Since(began) != 3*time.Second {
			t.Errorf("%q, %v after %v, want done after 3s", got, err, time.Since(began))
		}
	})
}

func TestDoReturnsWhatTheLastAttemptReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		got, err := Do(t.Context(), retrying().call(), failing(&n, Unsent(errBroken)))
		e := wantGaveUp(t, err, ReasonExhausted, 4)
		if got != 4 || !errors.Is(err, errBroken) || e.Condition != "unsent" || e.MaybeApplied || e.Elapsed != 7*time.Second || e.Class != "work" {
			t.Errorf("%d, %+v", got, e)
		}
	})
}

func TestDoRefusesACallWithoutAnIdentity(t *testing.T) {
	n := 0
	if _, err := Do(t.Context(), Call{}, failing(&n, nil)); err == nil || n != 0 {
		t.Errorf("a zero Call: %v, %d attempts", err, n)
	}
	c := retrying(func(s *spec) { s.KeySource = keyFromFields })
	_, err := Do(t.Context(), c.callFields("", ""), failing(&n, nil))
	wantGaveUp(t, err, ReasonPrecondition, 0)
	_, err = Do(t.Context(), c.callKey(""), failing(&n, nil))
	wantGaveUp(t, err, ReasonPrecondition, 0)
	if n != 0 {
		t.Errorf("%d attempts without a key", n)
	}
	if _, err = Do(t.Context(), c.callFields("", "b"), failing(&n, nil)); err != nil {
		t.Errorf("one empty field of two: %v", err)
	}
}

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

// Point 7: attempts are counted when they start, and nothing reports a retry that
// never ran.
func TestPoint07CountsWhatRan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard, counters := &recorder{}, &Counters{}
		ctx, cancel := context.WithCancel(With(t.Context(), &Options{Observer: Observers(heard, counters)}))
		time.AfterFunc(1500*time.Millisecond, cancel)
		n := 0
		_, err := Do(ctx, retrying().call(), failing(&n, Unsent(errBroken)))
		wantGaveUp(t, err, ReasonCanceled, 2)
		if n != 2 || heard.count(AttemptStarted) != 2 || heard.count(AttemptDone) != 2 || heard.count(GaveUpCall) != 1 {
			t.Errorf("%d attempts ran, heard %+v", n, heard.events)
		}
		if got := counters.Class("work"); got.Attempts != 2 || got.Retries != 1 || got.GaveUp[ReasonCanceled] != 1 || got.Endings["unsent"] != 2 {
			t.Errorf("counted %+v", got)
		}
	})
	synctest.Test(t, func(t *testing.T) { // no retry is scheduled after the last attempt
		heard := &recorder{}
		n := 0
		Do(With(t.Context(), &Options{Observer: heard}), retrying().call(), failing(&n, Unsent(errBroken)))
		if heard.count(RetryScheduled) != 3 || heard.count(AttemptStarted) != 4 {
			t.Errorf("heard %+v", heard.events)
		}
	})
}

// Point 8: layers know each other.
func TestPoint08LayersKnowEachOther(t *testing.T) {
	inner := func(n *int, c *class) func(context.Context, Attempt) (int, error) {
		return func(ctx context.Context, _ Attempt) (int, error) {
			return Do(ctx, c.call(), failing(n, Unsent(errBroken)))
		}
	}
	for _, row := range []struct {
		name         string
		outer, inner *class
		want         int
	}{
		{"two layers of 4", retrying(), retrying(), 4},
		{"declared", retrying(), retrying(func(s *spec) { s.NestedRetry = true }), 16},
		{"below one attempt", retrying(func(s *spec) { s.Attempts = 1 }), retrying(), 4},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := 0
			Do(t.Context(), row.outer.call(), inner(&n, row.inner))
			if n != row.want {
				t.Errorf("%s: %d attempts, want %d", row.name, n, row.want)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) { // recursion is another call
		c := retrying()
		n := 0
		Do(t.Context(), c.call(), inner(&n, c))
		if n != 4 {
			t.Errorf("recursion: %d attempts, want 4", n)
		}
	})
	synctest.Test(t, func(t *testing.T) { // a layer between that runs once hides nothing
		n := 0
		Do(t.Context(), retrying().call(), func(ctx context.Context, _ Attempt) (int, error) {
			return Do(ctx, retrying(func(s *spec) { s.Attempts = 1 }).call(), inner(&n, retrying()))
		})
		if n != 4 {
			t.Errorf("three layers: %d attempts, want 4", n)
		}
	})
	synctest.Test(t, func(t *testing.T) { // options in between hide nothing either
		n := 0
		heard := &recorder{}
		Do(t.Context(), retrying().call(), func(ctx context.Context, a Attempt) (int, error) {
			return inner(&n, retrying())(With(ctx, &Options{Observer: heard}), a)
		})
		if n != 4 || !reflect.DeepEqual(heard.limits(), []Limit{LimitNested, LimitNested, LimitNested, LimitNested}) {
			t.Errorf("%d attempts, heard %v", n, heard.limits())
		}
	})
	synctest.Test(t, func(t *testing.T) { // a layer of another generated package
		n := 0
		ctx := foreign{t.Context(), true}
		_, err := Do(ctx, retrying().call(), failing(&n, Unsent(errBroken)))
		if e := wantGaveUp(t, err, ReasonExhausted, 1); e.Limit != LimitNested {
			t.Errorf("%+v", e)
		}
		heard := &recorder{}
		_, err = Do(foreign{With(t.Context(), &Options{Observer: heard}), true}, retrying().call(), failing(&n, Unsent(errBroken)))
		if wantGaveUp(t, err, ReasonExhausted, 1); len(heard.events) == 0 {
			t.Error("options above another package's layer are not found")
		}
		_, err = Do(foreign{t.Context(), false}, retrying().call(), failing(&n, Unsent(errBroken)))
		wantGaveUp(t, err, ReasonExhausted, 4)
	})
	for _, reason := range []Reason{ReasonAmbiguous, ReasonRejected, ReasonPrecondition, ReasonCanceled} {
		for _, err := range []error{&GaveUp{Reason: reason, Err: Unsent(nil)}, foreignGaveUp(reason)} {
			synctest.Test(t, func(t *testing.T) {
				n := 0
				_, err := Do(t.Context(), retrying().call(), failing(&n, fmt.Errorf("inner: %w", err)))
				wantGaveUp(t, err, ReasonRejected, 1)
			})
		}
	}
	for _, reason := range []Reason{ReasonExhausted, ReasonDeadline, ReasonPushBack, ReasonThrottled} {
		for _, err := range []error{&GaveUp{Reason: reason, Err: Status(503, nil)}, foreignGaveUp(reason)} {
			synctest.Test(t, func(t *testing.T) {
				n := 0
				_, err := Do(t.Context(), retrying().call(), failing(&n, err))
				wantGaveUp(t, err, ReasonExhausted, 4)
			})
		}
	}
}

// foreign is the scope of another generated package.
type foreign struct {
	context.Context
	repeats bool
}

func (f foreign) RetrycLayer() (bool, context.Context) { return f.repeats, f.Context }
func (f foreign) Value(key any) any {
	if _, ok := key.(struct{ RetrycScope struct{} }); ok {
		return f
	}
	return f.Context.Value(key)
}

type foreignGaveUp Reason

func (f foreignGaveUp) Error() string       { return string(f) }
func (f foreignGaveUp) RetryReason() string { return string(f) }

// Point 10: certificate and other deterministic failures are not retried.
func TestPoint10DeterministicFailures(t *testing.T) {
	for name, err := range map[string]error{
		"unknown authority": &url.Error{Op: "Get", URL: "https://x", Err: x509.UnknownAuthorityError{}},
		"host name":         fmt.Errorf("tls: %w", x509.HostnameError{Certificate: &x509.Certificate{}, Host: "x"}),
		"alert":             &net.OpError{Op: "remote error", Err: errors.New("tls: bad certificate")},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := 0
			c := retrying(func(s *spec) {
				s.Outcomes = []outcomeRule{{"unsent", retryable}, {"connection", retryable}, {"error", retryable}}
			})
			_, got := Do(t.Context(), c.call(), failing(&n, err))
			if e := wantGaveUp(t, got, ReasonRejected, 1); n != 1 || !errors.Is(got, err) {
				t.Errorf("%s: %+v", name, e)
			}
		})
	}
}

func TestPhases(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	for _, row := range []struct {
		err  error
		want string
	}{
		{refused, "unsent"},
		{&url.Error{Op: "Get", URL: "http://x", Err: refused}, "unsent"},
		{&net.DNSError{Err: "no such host", Name: "x", IsNotFound: true}, "unsent"},
		{&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, "unsent"},
		{&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ENETUNREACH)}, "offline"},
		{syscall.EHOSTUNREACH, "offline"},
		{&net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, "connection"},
		{&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, "timeout"},
		{os.NewSyscallError("write", syscall.EPIPE), "connection"},
		{io.ErrUnexpectedEOF, "connection"},
		{fmt.Errorf("body: %w", io.EOF), "connection"},
		{context.DeadlineExceeded, "timeout"},
		{errors.Join(errBroken, io.ErrUnexpectedEOF), "connection"},
		{errBroken, "error"},
		{Unsent(io.EOF), "unsent"},
		{fmt.Errorf("wrapped: %w", Refused(io.EOF)), "refused"},
		{RetryAfter(Unsent(nil), time.Now()), "unsent"},
		{RetryAfter(Unsent(nil), time.Time{}), "unsent"},
		{Condition("slow_down", nil), "slow_down"},
		{Condition("undeclared", nil), "error"},
		{Status(14, nil), "UNAVAILABLE"},
		{Status(503, errBroken), "503"},
		{Status(999, nil), "error"},
		{streamErr{7}, "refused"},
		{fmt.Errorf("h2: %w", streamErr{2}), "connection"},
	} {
		r := run{ctx: t.Context(), class: retrying(func(s *spec) { s.Conditions = []string{"other", "slow_down"} })}
		if got := r.judge(row.err).On.text(r.class.spec); got != row.want {
			t.Errorf("%v is %q, want %q", row.err, got, row.want)
		}
	}
}

// streamErr converts itself as net/http's HTTP/2 stream errors do.
type streamErr struct{ code uint32 }

func (e streamErr) Error() string { return "stream error" }
func (e streamErr) As(target any) bool {
	v := reflect.ValueOf(target).Elem()
	if v.Kind() != reflect.Struct || v.NumField() != 3 || v.Type().Field(1).Name != "Code" {
		return false
	}
	v.Field(1).SetUint(uint64(e.code))
	return true
}

// Point 12: classes are safe for concurrent use, and so is one Call.
func TestPoint12ConcurrentUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := retrying(func(s *spec) {
			s.Jitter, s.Budget, s.KeySource = jitterFull, budgetSpec{Ratio: 1, Floor: 100}, keyFromFields
		})
		call := c.callFields("order")
		ctx := With(t.Context(), &Options{Observer: &Counters{}})
		before := *c.spec
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				_, err := Do(ctx, call, func(_ context.Context, a Attempt) (int, error) {
					if a.Number < 3 {
						return 0, Unsent(errBroken)
					}
					return a.Number, nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if !reflect.DeepEqual(before, *c.spec) {
			t.Error("a call changed the spec")
		}
	})
}

// Point 13: real time in a bubble, one timer a call that no other bubble meets, and
// chance that can be set.
func TestPoint13TimeAndChance(t *testing.T) {
	c := retrying(func(s *spec) { s.Jitter = jitterFull })
	for range 3 { // a timer kept beyond a bubble would end the process here
		synctest.Test(t, func(t *testing.T) {
			n := 0
			began := time.Now()
			ctx := With(t.Context(), &Options{Random: func() float64 { return 0.25 }})
			Do(ctx, c.call(), failing(&n, Unsent(errBroken)))
			if got, want := time.Since(began), 7*time.Second/4; got != want {
				t.Errorf("a quarter of 1s, 2s and 4s took %v, want %v", got, want)
			}
		})
	}
	n := 0
	quick := retrying(func(s *spec) { s.Base, s.Cap = time.Microsecond, time.Microsecond })
	Do(t.Context(), quick.call(), failing(&n, Unsent(errBroken)))
	if n != 4 {
		t.Errorf("%d attempts outside of a bubble", n)
	}
	before := runtime.NumGoroutine()
	Do(t.Context(), quick.call(), failing(&n, Unsent(errBroken)))
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines before a call, %d after", before, after)
	}
}

// Point 14: what is heard, and that nothing is said unasked.
func TestPoint14Observation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard := &recorder{}
		n := 0
		Do(With(t.Context(), &Options{Observer: heard}), retrying(asHTTP).call(), func(context.Context, Attempt) (int, error) {
			if n++; n == 2 {
				return 0, Status(404, errBroken)
			}
			return 0, Status(503, errBroken)
		})
		var got []string
		for _, e := range heard.events {
			got = append(got, fmt.Sprintf("%v %d %s %v %s", e.Kind, e.Attempt, e.Condition, e.Wait, e.Reason))
			if e.Set != "test" || e.Class != "work" {
				t.Errorf("event of %s.%s", e.Set, e.Class)
			}
		}
		want := []string{
			"attempt started 1  0s ", "attempt done 1 503 0s ", "retry scheduled 1 503 1s ",
			"attempt started 2  0s ", "attempt done 2 404 0s ", "gave up 2 404 0s rejected",
		}
		if !reflect.DeepEqual(strings.Join(got, "\n"), strings.Join(want, "\n")) {
			t.Errorf("heard\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

func TestHooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refreshed := 0
		ctx := With(t.Context(), &Options{Refresh: func(_ context.Context, class string, last error) error {
			refreshed++
			if class != "work" || last.Error() != "status 401" {
				t.Errorf("the hook hears %q, %v", class, last)
			}
			return nil
		}})
		got, err := Do(ctx, retrying(asHTTP).call(), func(_ context.Context, a Attempt) (int, error) {
			if refreshed == 0 {
				return 0, Status(401, nil)
			}
			return a.Number, nil
		})
		if got != 2 || err != nil || refreshed != 1 {
			t.Errorf("%d, %v after %d refreshes", got, err, refreshed)
		}
		n := 0
		_, err = Do(ctx, retrying(asHTTP).call(), failing(&n, Status(401, nil)))
		wantGaveUp(t, err, ReasonRejected, 2)
	})
	synctest.Test(t, func(t *testing.T) {
		n := 0
		ctx := With(t.Context(), &Options{Reread: func(context.Context, string, error) error { return io.ErrNoProgress }})
		_, err := Do(ctx, retrying(asGRPC).call(), failing(&n, Status(10, errBroken)))
		wantGaveUp(t, err, ReasonPrecondition, 1)
		if !errors.Is(err, io.ErrNoProgress) || !errors.Is(err, errBroken) {
			t.Errorf("%v", err)
		}
		_, err = Do(t.Context(), retrying(asGRPC).call(), failing(&n, Status(10, errBroken)))
		wantGaveUp(t, err, ReasonRejected, 1)
	})
	synctest.Test(t, func(t *testing.T) { // a hook that takes too long for the deadline
		n := 0
		ctx := With(t.Context(), &Options{Refresh: func(context.Context, string, error) error { time.Sleep(2 * time.Minute); return nil }})
		_, err := Do(ctx, retrying(asHTTP).call(), failing(&n, Status(401, nil)))
		wantGaveUp(t, err, ReasonDeadline, 1)
	})
}

func TestOfflineWaitsForTheNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx := With(t.Context(), &Options{Online: func(ctx context.Context) error {
			select {
			case <-time.After(20 * time.Second):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}})
		n := 0
		_, err := Do(ctx, retrying().call(), func(_ context.Context, a Attempt) (int, error) {
			if n++; n == 1 {
				return 0, Offline(nil)
			}
			if a.Number != 1 {
				t.Errorf("attempt %d, want the first again", a.Number)
			}
			return 0, nil
		})
		if err != nil || time.Since(began) != 21*time.Second {
			t.Errorf("%v after %v, want 20s and the wait", err, time.Since(began))
		}
		began = time.Now()
		_, err = Do(ctx, retrying().call(), failing(&n, Offline(nil)))
		wantGaveUp(t, err, ReasonDeadline, 3)
		if time.Since(began) > time.Minute {
			t.Errorf("offline for %v", time.Since(began))
		}
	})
	synctest.Test(t, func(t *testing.T) { // without a source it counts as unsent
		n := 0
		_, err := Do(t.Context(), retrying().call(), failing(&n, Offline(nil)))
		if e := wantGaveUp(t, err, ReasonExhausted, 4); e.Condition != "unsent" {
			t.Errorf("%+v", e)
		}
	})
}

func TestRunIsDoWithoutAResult(t *testing.T) {
	n := 0
	run := func() error {
		return Run(context.Background(), retryingOnce, func(context.Context, Attempt) error { n++; return nil })
	}
	if allocs := testing.AllocsPerRun(100, func() { run() }); run() != nil || n == 0 || allocs != 0 && !raceEnabled {
		t.Errorf("%d attempts, %v allocations", n, allocs)
	}
}

var retryingOnce = retrying().call()

func TestDisableTriesOnce(t *testing.T) {
	n := 0
	heard := &recorder{}
	ctx := With(t.Context(), &Options{Observer: heard, Disable: func(class string) bool { return class == "work" }})
	_, err := Do(ctx, retrying().call(), failing(&n, Unsent(errBroken)))
	if e := wantGaveUp(t, err, ReasonExhausted, 1); e.Limit != LimitDisabled || !reflect.DeepEqual(heard.limits(), []Limit{LimitDisabled}) {
		t.Errorf("%+v, heard %v", e, heard.limits())
	}
}

func TestSuccessByPolicy(t *testing.T) {
	c := retrying(asHTTP, func(s *spec) { s.Outcomes = []outcomeRule{{"404", success}} })
	got, err := Do(t.Context(), c.call(), func(context.Context, Attempt) (int, error) { return 7, Status(404, errBroken) })
	if got != 7 || err != nil {
		t.Errorf("%d, %v", got, err)
	}
	c = retrying(asHTTP, func(s *spec) { s.Outcomes = []outcomeRule{{"404", success}}; s.Budget = budgetSpec{Ratio: 0.1} })
	if _, err := Do(t.Context(), c.call(), func(context.Context, Attempt) (int, error) { return 7, Status(404, errBroken) }); err != nil {
		t.Errorf("with a budget: %v", err)
	}
}

func TestServerDelayIsObeyedBeyondTheCap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, err := Do(t.Context(), retrying().call(), func(_ context.Context, a Attempt) (int, error) {
			if a.Number == 1 {
				return 0, RetryAfter(Unsent(nil), began.Add(30*time.Second))
			}
			return 0, nil
		})
		if err != nil || time.Since(began) != 31*time.Second {
			t.Errorf("%v after %v, want the server's 30s and a wait", err, time.Since(began))
		}
	})
}

func TestErrorsHoldNoQuery(t *testing.T) {
	u := &url.Error{Op: "Get", URL: "https://api.example/v1?token=hunter2", Err: errBroken}
	for _, err := range []error{u, fmt.Errorf("fetch: %w", u), Unsent(u), Unsent(fmt.Errorf("fetch: %w", u))} {
		n := 0
		_, got := Do(t.Context(), retrying(func(s *spec) { s.Attempts = 1 }).call(), failing(&n, err))
		if text := got.Error(); strings.Contains(text, "hunter2") || !strings.Contains(text, "https://api.example/v1") {
			t.Errorf("%s", text)
		}
	}
}

func TestGaveUpReads(t *testing.T) {
	e := &GaveUp{
		Class: "charge", Reason: ReasonExhausted, Attempts: 4, Elapsed: 12345678 * time.Microsecond,
		Condition: "503", MaybeApplied: true, Err: errBroken, NotBefore: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
	}
	if got, want := e.Error(), "charge: exhausted after 4 attempts in 12.36s, may have been applied, not before 2026-03-01T12:00:00Z: broken"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestNeverInTheFuture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the longest policy there can be
		c := retrying(func(s *spec) { s.Within, s.Base, s.Cap, s.Factor = math.MaxInt64, math.MaxInt64, math.MaxInt64, 10 })
		n := 0
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		_, err := Do(ctx, c.call(), failing(&n, Unsent(nil)))
		wantGaveUp(t, err, ReasonDeadline, 1)
	})
}
