package bounds

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen/engine"
)

// shop is POST /v1/orders/{id}/cancel of the first journey: three keyed
// attempts, 5s each, within 30s, full jitter from 200ms.
func shop() engine.Spec {
	return engine.Spec{
		Set: "shop", Name: "cancel-order", Pattern: "POST api.shop.example/v1/orders/{id}/cancel",
		Effect: engine.Effect(ir.NonIdempotent), KeySource: engine.KeySource(ir.KeyFromFields), KeyFields: 1,
		Attempts: 3, AttemptTimeout: 5 * time.Second, Within: 30 * time.Second,
		Base: 200 * time.Millisecond, Factor: 2, Cap: 5 * time.Second,
	}
}

func TestTheFirstJourneyIsComputed(t *testing.T) {
	s := shop()
	b := Of(&s)
	var got string
	for _, a := range b.Attempts {
		got += fmt.Sprintf("%d %v %v %v\n", a.Number, a.AtOnce.Average, a.Silent.Average, a.Wait.Longest)
	}
	got += fmt.Sprintf("ends by %v %v %v\nat most %d requests", b.AtOnce.End.Average, b.Silent.End.Average, b.PushedBack, b.Requests)
	want := `1 0s 0s 0s
2 100ms 5.1s 200ms
3 300ms 10.3s 400ms
ends by 300ms 15.3s 35s
at most 3 requests`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The study of brief overloads that the thresholds quote: waits of 3 and of 5
// retries from 200ms.
func TestOutlasted(t *testing.T) {
	for attempts, want := range map[int]time.Duration{4: 700 * time.Millisecond, 6: 3100 * time.Millisecond} {
		s := shop()
		s.Attempts, s.Cap = attempts, 20*time.Second
		if got := Of(&s).Outlasted; got != want {
			t.Errorf("%d attempts outlast %v, want %v", attempts, got, want)
		}
	}
}

func TestSameSecond(t *testing.T) {
	for _, c := range []struct {
		jitter ir.Jitter
		cap    time.Duration
		want   float64
	}{
		{ir.FullJitter, 5 * time.Second, 0.2},
		{ir.FullJitter, 2 * time.Second, 0.5},
		{ir.EqualJitter, 10 * time.Second, 0.2},
		{ir.NoJitter, 10 * time.Second, 1},
		{ir.FullJitter, 100 * time.Millisecond, 1},
	} {
		s := shop()
		s.Jitter, s.Base, s.Cap = engine.Jitter(c.jitter), c.cap, c.cap
		if got := Of(&s).SameSecond; math.Abs(got-c.want) > 0.001 {
			t.Errorf("%v below %v: %v of a cohort in the same second, want %v", c.jitter, c.cap, got, c.want)
		}
	}
}

// Waits of half a minute leave two or three requests in any minute, wherever it
// begins; the first minute is not always the busiest.
func TestBusiestMinute(t *testing.T) {
	for _, c := range []struct {
		base, cap time.Duration
		factor    float64
		want      int
	}{
		{200 * time.Millisecond, time.Second, 2, 10},
		{60 * time.Second, 60 * time.Second, 1, 2},
		{120 * time.Second, 120 * time.Second, 1, 1},
		{40 * time.Second, 40 * time.Second, 1, 3},
	} {
		s := shop()
		s.Attempts, s.Within, s.Base, s.Cap, s.Factor = 10, time.Hour, c.base, c.cap, c.factor
		if got := Of(&s).FirstMinute; got != c.want {
			t.Errorf("waits from %v to %v: %d requests in a minute, want %d", c.base, c.cap, got, c.want)
		}
	}
}

func TestGrants(t *testing.T) {
	s := shop()
	s.Timing, s.Attempts = byScheduler, 30
	s.MinBackoff, s.MaxBackoff, s.MaxGap = 10*time.Second, 5*time.Hour, 6*time.Hour
	s.Within, s.Extend, s.ExtendAtMost = 24*time.Hour, true, 24*time.Hour
	b := Of(&s)
	if b.Grants != 9 {
		t.Errorf("%d grants in 48h at one every 6h, want 9", b.Grants)
	}
	if got := b.Attempts[2].Wait; got != (Span{20 * time.Second, 6 * time.Hour}) {
		t.Errorf("second wait %v, want 20s by the platform and 6h at the longest", got)
	}
}

// An operation that the engine does not repeat after an ambiguous failure is
// still repeated after the others.
func TestRequests(t *testing.T) {
	for _, c := range []struct {
		why  string
		edit func(*engine.Spec)
		want int
	}{
		{"keyed", func(*engine.Spec) {}, 3},
		{"no key: only after failures that are not ambiguous", func(s *engine.Spec) { s.KeySource = 0 }, 3},
		{"one attempt", func(s *engine.Spec) { s.Attempts = 1 }, 1},
		{"nothing is retried", func(s *engine.Spec) {
			for _, on := range []string{"refused", "unsent", "connection", "timeout", "4xx", "5xx", "429", "408", "502", "503", "504", "401"} {
				s.Outcomes = append(s.Outcomes, engine.OutcomeRule{On: on, Then: engine.Terminal})
			}
		}, 1},
		{"waits without jitter that do not fit", func(s *engine.Spec) {
			s.Jitter, s.Base, s.Cap = engine.Jitter(ir.NoJitter), 20*time.Second, 20*time.Second
		}, 2},
	} {
		s := shop()
		c.edit(&s)
		if got := Of(&s).Requests; got != c.want {
			t.Errorf("%s: %d requests, want %d", c.why, got, c.want)
		}
	}
}

func TestPushedBack(t *testing.T) {
	for mode, want := range map[ir.RetryAfterMode]time.Duration{
		ir.Override: 35 * time.Second,
		ir.Stop:     10*time.Second + 600*time.Millisecond + 2*time.Second + 5*time.Second,
		ir.Clamp:    10*time.Second + 600*time.Millisecond + 2*time.Second + 5*time.Second,
		ir.Ignore:   0,
	} {
		s := shop()
		s.RetryAfter, s.RetryAfterMax = engine.RetryAfterMode(mode), time.Second
		if got := Of(&s).PushedBack; got != want {
			t.Errorf("%v: ends by %v, want %v", mode, got, want)
		}
	}
}

func specs(t *rapid.T) engine.Spec {
	d := func(name string) time.Duration {
		return time.Duration(rapid.OneOf(rapid.Int64Range(1, int64(time.Hour)), rapid.Int64Range(1, math.MaxInt64)).Draw(t, name))
	}
	s := engine.Spec{
		Name: "x", Pattern: "GET /x", Kind: engine.Kind(rapid.IntRange(0, 2).Draw(t, "kind")),
		Effect:   engine.Effect(rapid.IntRange(0, 2).Draw(t, "effect")),
		Attempts: rapid.IntRange(1, 100).Draw(t, "attempts"), Within: d("within"),
		Timing: engine.Timing(rapid.IntRange(0, 2).Draw(t, "timing")),
		Base:   d("base"), Factor: rapid.Float64Range(1, 100).Draw(t, "factor"),
		Jitter:     engine.Jitter(rapid.IntRange(0, 3).Draw(t, "jitter")),
		RetryAfter: engine.RetryAfterMode(rapid.IntRange(0, 3).Draw(t, "mode")), RetryAfterMax: d("max"),
	}
	s.Cap = s.Base + (time.Duration(math.MaxInt64)-s.Base)/time.Duration(rapid.Int64Range(1, 1<<40).Draw(t, "cap"))
	if rapid.Bool().Draw(t, "timeout") {
		s.AttemptTimeout = d("attemptTimeout")
	}
	if s.Timing != 0 && rapid.Bool().Draw(t, "extend") {
		s.Extend, s.ExtendAtMost, s.StartJitter = true, d("extendAtMost"), d("startJitter")
	}
	if s.Timing == byScheduler {
		s.MinBackoff, s.MaxBackoff, s.MaxGap = d("minBackoff"), d("maxBackoff"), d("maxGap")
	}
	return s
}

// Nothing wraps, the longest is never below the average, later attempts never
// start earlier, and no count exceeds what the policy grants.
func TestBoundsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := specs(t)
		b := Of(&s)
		if len(b.Attempts) != s.Attempts || b.Requests < 1 || b.Requests > s.Attempts || b.FirstMinute < 1 || b.FirstMinute > s.Attempts {
			t.Fatalf("%d attempts, %d requests, %d in a minute of %d granted", len(b.Attempts), b.Requests, b.FirstMinute, s.Attempts)
		}
		prev := Attempt{}
		for _, a := range b.Attempts {
			for _, x := range []struct{ now, before Span }{{a.AtOnce, prev.AtOnce}, {a.Silent, prev.Silent}} {
				if x.now.Average < x.before.Average || x.now.Longest < x.before.Longest || x.now.Longest < x.now.Average-1 || x.now.Average < 0 {
					t.Fatalf("attempt %d starts at %v after %v", a.Number, x.now, x.before)
				}
			}
			if a.Wait.Average < 0 || a.Wait.Longest < a.Wait.Average-1 || a.SameSecond < 0 || a.SameSecond > 1 {
				t.Fatalf("attempt %d waits %v, share %v", a.Number, a.Wait, a.SameSecond)
			}
			if s.Timing != byScheduler && a.Wait.Longest > s.Cap {
				t.Fatalf("attempt %d waits %v above the cap %v", a.Number, a.Wait.Longest, s.Cap)
			}
			prev = a
		}
		for _, c := range []Course{b.AtOnce, b.Silent} {
			if c.FitAverage < c.FitLongest || c.FitAverage > s.Attempts || c.End.Average < 0 || c.End.Longest < 0 {
				t.Fatalf("course %+v", c)
			}
		}
		if s.AttemptTimeout > 0 && b.Silent.FitAverage > b.AtOnce.FitAverage {
			t.Fatalf("more attempts fit when none is answered: %+v %+v", b.AtOnce, b.Silent)
		}
		if b.PushedBack < 0 || b.PushedBack > Add(b.LastStart, s.AttemptTimeout) || b.Outlasted < 0 || b.Worst() < 0 {
			t.Fatalf("pushed back to %v, outlasts %v", b.PushedBack, b.Outlasted)
		}
	})
}

// One more attempt, or a later deadline, never takes a request away.
func TestMoreIsNotLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := specs(t)
		s.Attempts = min(s.Attempts, 99)
		before := Of(&s)
		more := s
		more.Attempts++
		more.Within = Add(more.Within, time.Minute)
		after := Of(&more)
		if after.Requests < before.Requests || after.AtOnce.FitAverage < before.AtOnce.FitAverage || after.Outlasted < before.Outlasted || after.Grants < before.Grants {
			t.Fatalf("%+v, then %+v", before, after)
		}
	})
}

func TestAddAndTimesSaturate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := time.Duration(rapid.Int64Min(0).Draw(t, "a")), time.Duration(rapid.Int64Min(0).Draw(t, "b"))
		if sum := Add(a, b); sum < a || sum < b {
			t.Fatalf("Add(%d, %d) = %d", a, b, sum)
		}
		n := rapid.IntRange(0, math.MaxInt).Draw(t, "n")
		if p := Times(a, n); p < 0 || n > 0 && p < a {
			t.Fatalf("Times(%d, %d) = %d", a, n, p)
		}
	})
}

func TestRound(t *testing.T) {
	for in, want := range map[time.Duration]time.Duration{
		1234567 * time.Microsecond:     1200 * time.Millisecond,
		130*time.Second + 499999999:    130 * time.Second,
		20499 * time.Microsecond:       20 * time.Millisecond,
		1234 * time.Microsecond:        1230 * time.Microsecond,
		time.Duration(math.MaxInt64):   time.Duration(math.MaxInt64),
		700*time.Millisecond + 1:       700 * time.Millisecond,
		5:                              5,
		4*time.Hour + 400*1000*1000:    4 * time.Hour,
		time.Minute - time.Millisecond: time.Minute,
	} {
		if got := Round(in); got != want {
			t.Errorf("Round(%v) = %v, want %v", in, got, want)
		}
	}
}
