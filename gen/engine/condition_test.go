package engine

import "testing"

func FuzzCondition(f *testing.F) {
	for _, s := range []string{"503", "5xx", "UNAVAILABLE", "timeout", "slow_down", "600", "05x", "", "1e2"} {
		f.Add(s)
	}
	s := &spec{Conditions: []string{"slow_down", "timeout"}}
	f.Fuzz(func(t *testing.T, on string) {
		first, last, ok := conditionRange(s.Conditions, on)
		if !ok {
			return
		}
		if first > last || first <= conditionNone {
			t.Fatalf("%q covers %d to %d", on, first, last)
		}
		if first == last && first.text(s) != on {
			t.Fatalf("%q reads as %q", on, first.text(s))
		}
	})
}

func TestTheAppsOwnNamesWin(t *testing.T) {
	first, _, ok := conditionRange([]string{"slow_down", "timeout"}, "timeout")
	if !ok || first != conditionApp+1 {
		t.Errorf("timeout is %d", first)
	}
}
