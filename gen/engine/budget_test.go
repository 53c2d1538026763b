//go:build go1.25

package engine

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// Point 9: a retry budget bounds retries to a share of the load.
func TestPoint09Budget(t *testing.T) {
	budgeted := func(s *spec) { s.Budget = budgetSpec{Ratio: 0.2} }
	synctest.Test(t, func(t *testing.T) { // in an outage: what was saved, then the share
		c := retrying(budgeted)
		attempts := 0
		for range 1000 {
			Do(t.Context(), c.call(), failing(&attempts, Unsent(nil)))
		}
		if retries := attempts - 1000; retries < 200 || retries > 211 {
			t.Errorf("1000 calls made %d retries, want 200 and the 10 saved", retries)
		}
	})
	synctest.Test(t, func(t *testing.T) { // asked before the wait, and the last outcome is kept
		c := retrying(budgeted)
		c.budget.own.tokens = 0
		n := 0
		began := time.Now()
		_, err := Do(t.Context(), c.call(), failing(&n, Unsent(errBroken)))
		e := wantGaveUp(t, err, ReasonThrottled, 1)
		if time.Since(began) != 0 || e.Condition != "unsent" || e.Err == nil {
			t.Errorf("after %v: %+v", time.Since(began), e)
		}
	})
	for _, row := range []struct {
		answer error
		left   float64
	}{{nil, 10}, {Status(404, nil), 10}, {Status(503, nil), 8}, {Status(429, nil), 8}, {Unsent(nil), 8}} {
		synctest.Test(t, func(t *testing.T) { // a working server's answer to a retry gives it back
			c := retrying(asHTTP, budgeted, func(s *spec) { s.Attempts, s.Budget.Ratio = 3, 0.0001 })
			Do(t.Context(), c.call(), func(_ context.Context, a Attempt) (int, error) {
				if a.Number == 1 {
					return 0, Status(503, nil)
				}
				return 0, row.answer
			})
			if got := c.budget.own.tokens; got < row.left-0.01 || got > row.left+0.01 {
				t.Errorf("%v leaves %v tokens, want %v", row.answer, got, row.left)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) { // waiting for the network is no retry
		c := retrying(budgeted)
		c.budget.own.tokens = 0
		ctx := With(t.Context(), &Options{Online: func(context.Context) error { return nil }})
		n := 0
		if err := Run(ctx, c.call(), func(context.Context, Attempt) error {
			if n++; n == 1 {
				return Offline(nil)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
	t.Run("floor", func(t *testing.T) {
		b := newBudget(budgetSpec{Floor: 2})
		now := int64(1e18)
		taken := 0
		for b.take("", now) {
			taken++
		}
		if taken != 20 {
			t.Errorf("a full budget gives %d, want 10 times the floor", taken)
		}
		for range 10 {
			now += int64(time.Second)
			for b.take("", now) {
				taken++
			}
		}
		if taken != 40 {
			t.Errorf("10s give %d, want 2 a second", taken-20)
		}
		b.take("", now-int64(time.Hour)) // a clock that went back credits nothing
		if b.take("", now) {
			t.Error("a clock that went back is a source of retries")
		}
	})
	t.Run("floor, on a clock that begins at 0", func(t *testing.T) {
		b := newBudget(budgetSpec{Floor: 1})
		for b.take("", 0) {
		}
		if !b.take("", int64(time.Second)) || b.take("", int64(time.Second)) {
			t.Error("the first second is not credited")
		}
	})
	t.Run("per host", func(t *testing.T) {
		b := newBudget(budgetSpec{Ratio: 0.1, PerHost: true})
		for b.take("a.example", 1) {
		}
		if !b.take("b.example", 1) || b.take("a.example", 1) {
			t.Error("hosts are not apart")
		}
		for i := range 5000 {
			b.deposit(fmt.Sprint(i, ".example"), 1)
		}
		if len(b.hosts) > maxHosts {
			t.Errorf("%d hosts are kept", len(b.hosts))
		}
	})
	t.Run("shared", func(t *testing.T) {
		s := spec{Budget: budgetSpec{Name: "api", Ratio: 0.1}}
		other := spec{Budget: budgetSpec{Name: "other", Ratio: 0.1}}
		classes := makeClasses([]spec{s, s, other, {}, {Budget: budgetSpec{Ratio: 0.1}}})
		if classes[0].budget != classes[1].budget || classes[0].budget == classes[2].budget || classes[3].budget != nil || classes[4].budget == nil {
			t.Error("budgets are not joined by name")
		}
	})
}
