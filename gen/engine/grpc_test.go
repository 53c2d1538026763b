package engine

import (
	"errors"
	"testing"
	"time"
)

// Point 3, gRPC's part: its own stop rules.
func TestPoint03GRPCPushBack(t *testing.T) {
	c := retrying(asGRPC)
	judge := func(values ...string) ending {
		r := run{ctx: t.Context(), class: c, started: time.Now()}
		return r.judge(GRPCPushBack(Status(8, errBroken), values))
	}
	if e := judge("1500"); !e.Asked || e.Stop || time.Duration(e.Instant).Round(100*time.Millisecond) != 1500*time.Millisecond {
		t.Errorf("1500: %+v", e)
	}
	for _, values := range [][]string{{"-1"}, {"abc"}, {""}, {"10", "10"}, {"+5"}, {"1.5"}, {"99999999999999999999"}} {
		if e := judge(values...); !e.Stop || e.On != grpcResourceExhausted {
			t.Errorf("%q: %+v, want stop", values, e)
		}
	}
	if e := judge(); e.Asked || e.Stop {
		t.Errorf("no trailer: %+v", e)
	}
	if GRPCPushBack(nil, []string{"-1"}) != nil || !errors.Is(GRPCPushBack(errBroken, []string{"-1"}), errBroken) {
		t.Error("the error is not kept")
	}
	n := 0
	_, err := Do(t.Context(), c.call(), failing(&n, GRPCPushBack(Status(14, nil), []string{"-1"})))
	wantGaveUp(t, err, ReasonPushBack, 1)
}
