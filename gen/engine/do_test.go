//go:build go1.25

package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"reflect"
	"runtime"
	"strings"
	"sync"
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
	in := func(u string) *url.Error { return &url.Error{Op: "Get", URL: u, Err: errBroken} }
	u := in("https://api.example/v1?token=hunter2")
	other := in("https://api.example/v1?token=hunter2-and-hunter3")
	for _, err := range []error{
		u, fmt.Errorf("fetch: %w", u), Unsent(u), Unsent(fmt.Errorf("fetch: %w", u)),
		errors.Join(errBroken, u), fmt.Errorf("%w after %w", errBroken, u), Unsent(errors.Join(u, other)), errors.Join(other, fmt.Errorf("%w, %w", u, u)),
		in("https://hunter1:hunter2@api.example/v1"), in("https://hunter1@api.example/v1#hunter2"),
		in("https://api.example/v1?quoted=\"hunter2\"&line=\n"),
		&url.Error{Op: "Post", URL: u.URL, Err: errors.Join(in("https://api.example/v1?again=hunter3"), errBroken)},
		&GaveUp{Class: "inner", Reason: ReasonExhausted, Err: errors.Join(errBroken, u)},
	} {
		n := 0
		_, got := Do(t.Context(), retrying(func(s *spec) { s.Attempts = 1 }).call(), failing(&n, err))
		if text := got.Error(); strings.Contains(text, "hunter") || !strings.Contains(text, "https://api.example/v1") {
			t.Errorf("%s", text)
		}
	}
}

// A nil *GaveUp in an error is nobody's end of a call.
func TestANilGaveUpIsAnUnknownError(t *testing.T) {
	var none *GaveUp
	for _, err := range []error{none, fmt.Errorf("inner: %w", none), errors.Join(errBroken, none), foreignGaveUp("")} {
		n := 0
		_, got := Do(t.Context(), retrying().call(), failing(&n, err))
		if e := wantGaveUp(t, got, ReasonRejected, 1); e.Condition != "error" || e.Error() == "" || errors.Is(got, context.Canceled) || e.Err != err {
			t.Errorf("%+v", e)
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
