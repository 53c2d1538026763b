//go:build go1.25

package engine

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"testing/synctest"
)

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

func (f foreignGaveUp) Error() string { return string(f) }

func (f foreignGaveUp) RetryReason() string { return string(f) }
