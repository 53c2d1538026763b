package engine_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retryc/retryc/gen/engine"
	"github.com/retryc/retryc/internal/golden"
)

func charge(change ...func(*engine.Spec)) *engine.Spec {
	s := &engine.Spec{
		Set: "payments", Name: "charge", KeyName: "charge", Kind: engine.KindHTTP, Pattern: "POST api.payments.example/v1/charges",
		Effect: engine.EffectNonIdempotent, KeySource: engine.KeyFromFields, KeyFields: 1, KeyHeader: "Idempotency-Key",
		Attempts: 4, AttemptTimeout: 10 * time.Second, Within: 2 * time.Minute,
		Base: 200 * time.Millisecond, Factor: 2, Cap: 20 * time.Second,
	}
	for _, c := range change {
		c(s)
	}
	return s
}

// The waits of each jitter, as a table: least, average and most after each
// attempt. A change of these is a change of every policy's load.
func TestGoldenDelays(t *testing.T) {
	var out bytes.Buffer
	for _, row := range []struct {
		name   string
		jitter engine.Jitter
		factor float64
	}{
		{"full", engine.JitterFull, 2}, {"equal", engine.JitterEqual, 2}, {"decorrelated", engine.JitterDecorrelated, 2},
		{"none", engine.JitterNone, 2}, {"none, factor 1.5", engine.JitterNone, 1.5}, {"full, factor 1", engine.JitterFull, 1},
	} {
		s := charge(func(s *engine.Spec) { s.Jitter, s.Factor = row.jitter, row.factor })
		fmt.Fprintf(&out, "base 200ms, cap 20s, %s\n%7s %10s %10s %10s\n", row.name, "attempt", "least", "average", "most")
		last := time.Duration(0)
		for n := 1; n <= 10; n++ {
			average := engine.Wait(s, n, "", last, 0.5)
			fmt.Fprintf(&out, "%7d %10v %10v %10v\n", n, engine.Wait(s, n, "", last, 0), average, engine.Wait(s, n, "", last, 1))
			last = average
		}
		fmt.Fprintln(&out)
	}
	golden.Compare(t, "testdata/delays.golden", out.Bytes())
}

// "" is nothing that a policy singles out, whatever the policy singles out.
func TestWaitAfterNothingSpecial(t *testing.T) {
	s := charge(func(s *engine.Spec) {
		s.Conditions = []string{""}
		s.PerOutcome = []engine.OutcomeLimit{{On: "", Base: time.Hour, Cap: time.Hour}, {On: "503", Base: time.Minute, Cap: time.Minute}}
	})
	if got := engine.Wait(s, 1, "", 0, 1); got != s.Base {
		t.Errorf("waits %v, want the %v of backoff", got, s.Base)
	}
	if got := engine.Wait(s, 1, "503", 0, 1); got != time.Minute {
		t.Errorf("after 503: %v", got)
	}
}

func TestReserved(t *testing.T) {
	for word, want := range map[string]bool{"timeout": true, "error": true, "offline": true, "crash": true, "": false, "slow_down": false, "503": false} {
		if engine.Reserved(word) != want {
			t.Errorf("%q: %v", word, !want)
		}
	}
}

func BenchmarkWait(b *testing.B) {
	s := charge(func(s *engine.Spec) {
		s.PerOutcome = []engine.OutcomeLimit{{On: "5xx", Attempts: 3}, {On: "503", Attempts: 2}, {On: "429", Base: time.Second}}
	})
	for _, on := range []string{"", "503"} {
		b.Run("after "+on, func(b *testing.B) {
			for b.Loop() {
				engine.Wait(s, 3, on, 0, 0.5)
			}
		})
	}
}

// What each condition means where a policy says nothing.
func TestGoldenOutcomes(t *testing.T) {
	var out bytes.Buffer
	names := []string{"success", "retry", "terminal", "refresh", "reread"}
	for k, kind := range []string{"http", "grpc", "task"} {
		s := charge(func(s *engine.Spec) { s.Kind = engine.Kind(k) })
		fmt.Fprintf(&out, "%s\n", kind)
		known := engine.KnownConditions(engine.Kind(k))
		meaning := func(i int) string {
			then := engine.EffectiveOutcome(s, known[i], false)
			if then != engine.Success && engine.Ambiguous(engine.Kind(k), known[i]) {
				return names[then] + ", may have been applied"
			}
			return names[then]
		}
		for i := 0; i < len(known); {
			first := i
			for i++; i < len(known) && meaning(i) == meaning(first) && known[i][0] <= '9' == (known[first][0] <= '9'); i++ {
			}
			list := strings.Join(known[first:i], " ")
			if i-first > 5 && known[first][0] <= '9' {
				list = known[first] + " to " + known[i-1]
			}
			fmt.Fprintf(&out, "  %s: %s\n", list, meaning(first))
		}
		fmt.Fprintln(&out)
	}
	golden.Compare(t, "testdata/outcomes.golden", out.Bytes())
}

func TestEffectiveOutcome(t *testing.T) {
	s := charge(func(s *engine.Spec) {
		s.Outcomes = []engine.OutcomeRule{{On: "5xx", Then: engine.Retry}, {On: "501", Then: engine.Terminal}, {On: "slow_down", Then: engine.Retry}}
		s.AfterAmbiguous = []engine.OutcomeRule{{On: "409", Then: engine.Success}}
		s.Conditions = []string{"slow_down", "gone"}
	})
	for _, row := range []struct {
		on      string
		applied bool
		want    engine.Outcome
	}{
		{"500", false, engine.Retry}, {"501", false, engine.Terminal}, {"5xx", false, engine.Retry}, {"4xx", false, engine.Terminal},
		{"slow_down", false, engine.Retry}, {"gone", false, engine.Terminal}, {"nothing", false, engine.Terminal},
		{"409", false, engine.Terminal}, {"409", true, engine.Success}, {"timeout", true, engine.Retry},
	} {
		if got := engine.EffectiveOutcome(s, row.on, row.applied); got != row.want {
			t.Errorf("%s (applied %v): %d, want %d", row.on, row.applied, got, row.want)
		}
	}
}

func TestValidCondition(t *testing.T) {
	for _, row := range []struct {
		on               string
		http, grpc, task bool
	}{
		{"503", true, false, true}, {"5xx", true, false, true}, {"100", true, false, true}, {"599", true, false, true},
		{"600", false, false, false}, {"6xx", false, false, false}, {"0xx", false, false, false}, {"5x", false, false, false}, {"+50", false, false, false},
		{"UNAVAILABLE", false, true, true}, {"unavailable", false, false, false}, {"timeout", true, true, true}, {"error", true, true, true},
		{"offline", false, false, false}, {"crash", false, false, false}, {"", false, false, false},
	} {
		got := [3]bool{engine.ValidCondition(engine.KindHTTP, row.on), engine.ValidCondition(engine.KindGRPC, row.on), engine.ValidCondition(engine.KindTask, row.on)}
		if want := [3]bool{row.http, row.grpc, row.task}; got != want {
			t.Errorf("%q: http, grpc, task %v, want %v", row.on, got, want)
		}
	}
	for k := engine.KindHTTP; k <= engine.KindTask; k++ {
		for _, on := range engine.KnownConditions(k) {
			if !engine.ValidCondition(k, on) {
				t.Errorf("%q is known and not valid", on)
			}
		}
	}
	if known := engine.KnownConditions(engine.KindGRPC); len(known) != 22 || !slices.Contains(known, "DATA_LOSS") {
		t.Errorf("%q", known)
	}
}

func TestMaxAttempts(t *testing.T) {
	unkeyed := func(s *engine.Spec) { s.KeySource = engine.KeyNone }
	for _, row := range []struct {
		spec *engine.Spec
		on   string
		want int
	}{
		{charge(), "503", 4}, {charge(), "404", 1}, {charge(), "401", 2}, {charge(), "timeout", 4},
		{charge(unkeyed), "503", 1}, {charge(unkeyed), "unsent", 4}, {charge(unkeyed), "429", 4},
		{charge(unkeyed, func(s *engine.Spec) { s.Tolerate = true }), "503", 4},
		{charge(func(s *engine.Spec) { s.PerOutcome = []engine.OutcomeLimit{{On: "503", Attempts: 2}} }), "503", 2},
		{charge(func(s *engine.Spec) { s.PerOutcome = []engine.OutcomeLimit{{On: "503", Attempts: 2}} }), "502", 4},
		{charge(func(s *engine.Spec) { s.Outcomes = []engine.OutcomeRule{{On: "409", Then: engine.Reread}} }), "409", 4},
		{charge(func(s *engine.Spec) { s.Within = time.Nanosecond }), "503", 4},
		{charge(func(s *engine.Spec) { s.Timing, s.Base, s.Cap = engine.TimingScheduler, 0, 0 }), "503", 4},
		{charge(), "nothing", 1}, {charge(func(s *engine.Spec) { s.Attempts = 1 }), "503", 1}, {charge(), "200", 1},
	} {
		if got := engine.MaxAttempts(row.spec, row.on); got != row.want {
			t.Errorf("%s: %d attempts, want %d", row.on, got, row.want)
		}
	}
}

func TestWaitPerOutcome(t *testing.T) {
	s := charge(func(s *engine.Spec) {
		s.PerOutcome = []engine.OutcomeLimit{{On: "4xx", Base: time.Second}, {On: "429", Base: 30 * time.Second}, {On: "503", Cap: 100 * time.Millisecond}}
	})
	for on, want := range map[string]time.Duration{"": 200 * time.Millisecond, "408": time.Second, "429": 30 * time.Second, "503": 100 * time.Millisecond} {
		if got := engine.Wait(s, 1, on, 0, 1); got != want {
			t.Errorf("after %q at most %v, want %v", on, got, want)
		}
	}
	s.Timing = engine.TimingScheduler
	if got := engine.Wait(s, 1, "", 0, 1); got != 0 {
		t.Errorf("under a scheduler %v", got)
	}
}

func TestMethodEffect(t *testing.T) {
	for method, want := range map[string]engine.Effect{
		"GET": engine.EffectSafe, "HEAD": engine.EffectSafe, "OPTIONS": engine.EffectSafe, "TRACE": engine.EffectSafe, "QUERY": engine.EffectSafe,
		"PUT": engine.EffectIdempotent, "DELETE": engine.EffectIdempotent, "POST": engine.EffectNonIdempotent, "PATCH": engine.EffectNonIdempotent,
	} {
		if got, ok := engine.MethodEffect(method); got != want || !ok {
			t.Errorf("%s: %d, %v", method, got, ok)
		}
	}
	if _, ok := engine.MethodEffect("PURGE"); ok {
		t.Error("PURGE is known")
	}
}

func TestRunningClassSharesBudgets(t *testing.T) {
	shared := engine.BudgetSpec{Name: "api", Ratio: 0.1}
	all := engine.NewClasses([]engine.Spec{{Attempts: 2, Budget: shared}, {Attempts: 2, Budget: shared}, {Attempts: 2}})
	for range 10 {
		if !all[0].Take("", 1) {
			t.Fatal("a full budget refuses")
		}
	}
	if all[1].Take("", 1) || !all[2].Take("", 1) || all[2].HasBudget() || !all[1].HasBudget() {
		t.Error("budgets are not shared by name")
	}
	all[1].Deposit("", 1)
	all[1].GiveBack("", 1)
	if !all[0].Take("", 1) {
		t.Error("what one class gives back the other cannot take")
	}
}
