//go:build go1.25

package engine

import (
	"context"
	"errors"
	"io"
	"reflect"
	"testing"
	"testing/synctest"
	"time"
)

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

func TestDisableTriesOnce(t *testing.T) {
	n := 0
	heard := &recorder{}
	ctx := With(t.Context(), &Options{Observer: heard, Disable: func(class string) bool { return class == "work" }})
	_, err := Do(ctx, retrying().call(), failing(&n, Unsent(errBroken)))
	if e := wantGaveUp(t, err, ReasonExhausted, 1); e.Limit != LimitDisabled || !reflect.DeepEqual(heard.limits(), []Limit{LimitDisabled}) {
		t.Errorf("%+v, heard %v", e, heard.limits())
	}
}
