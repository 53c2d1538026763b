package engine_test

import (
	"math"
	"testing"
	"time"

	"github.com/retryc/retryc/gen/engine"
	"pgregory.net/rapid"
)

// anySpec draws a spec that validates.
func anySpec(t *rapid.T) *engine.Spec {
	duration := func(name string, least, most time.Duration) time.Duration {
		return time.Duration(rapid.Int64Range(int64(least), int64(most)).Draw(t, name))
	}
	s := &engine.Spec{
		Set: "test", Name: "work", KeyName: "work", Pattern: "work",
		Kind:     rapid.SampledFrom([]engine.Kind{engine.KindHTTP, engine.KindGRPC, engine.KindTask}).Draw(t, "kind"),
		Effect:   rapid.SampledFrom([]engine.Effect{engine.EffectSafe, engine.EffectIdempotent, engine.EffectNonIdempotent}).Draw(t, "effect"),
		Timing:   rapid.SampledFrom([]engine.Timing{engine.TimingInline, engine.TimingQueue, engine.TimingScheduler}).Draw(t, "timing"),
		Attempts: rapid.IntRange(1, 100).Draw(t, "attempts"),
		Within:   duration("within", 1, 1000*time.Hour),
		Factor:   rapid.Float64Range(1, 10).Draw(t, "factor"),
		Jitter:   rapid.SampledFrom([]engine.Jitter{engine.JitterFull, engine.JitterEqual, engine.JitterDecorrelated, engine.JitterNone}).Draw(t, "jitter"),
		Tolerate: rapid.Bool().Draw(t, "tolerate"),
		Outcomes: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) engine.OutcomeRule {
			return engine.OutcomeRule{
				On:   rapid.SampledFrom(words).Draw(t, "on"),
				Then: engine.Outcome(rapid.IntRange(0, 4).Draw(t, "then")),
			}
		}), 0, 4).Draw(t, "outcomes"),
		RetryAfter:    engine.RetryAfterMode(rapid.IntRange(0, 3).Draw(t, "retryAfter")),
		RetryAfterMax: duration("retryAfterMax", 0, 100*time.Hour),
		OfflineCounts: rapid.Bool().Draw(t, "offlineCounts"),
		WhenConstrained: rapid.SampledFrom([]engine.WhenConstrained{
			engine.RunConstrained, engine.DeferConstrained, engine.DropConstrained,
		}).Draw(t, "whenConstrained"),
	}
	s.Base = duration("base", 1, time.Hour)
	s.Cap = duration("cap", s.Base, 1000*time.Hour)
	if s.Timing != engine.TimingInline {
		s.KeySource = engine.KeyFromFields
		s.StartJitter = duration("startJitter", 0, time.Hour)
		if s.Extend = rapid.Bool().Draw(t, "extend"); s.Extend {
			s.ExtendAtMost = duration("extendAtMost", 1, 1000*time.Hour)
		}
	}
	return s
}

var words = []string{"timeout", "unsent", "refused", "connection", "error", "503", "5xx", "4xx", "404", "401", "429", "UNAVAILABLE", "ABORTED", "UNAUTHENTICATED"}

// Whatever happens to an operation, in whatever order, these hold.
func TestHistories(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := anySpec(t)
		c := engine.NewClass(spec)
		draw := func(name string) float64 { return rapid.Float64Range(0, 1).Draw(t, name) }
		now := rapid.Int64Range(0, 1<<60).Draw(t, "admitted")
		s := c.Admit(now, draw("admit"))
		started, refunds := 0, int16(0)
		for step := 0; ; step++ {
			if step > 10_000 {
				t.Fatal("it never ends")
			}
			before := s
			var v engine.Verdict
			constrained := rapid.Bool().Draw(t, "constrained")
			s, v = c.Start(s, now, constrained)
			switch v.Next {
			case engine.NextWait:
				if s != before {
					t.Fatalf("a call that came early changed %+v to %+v", before, s)
				}
				if v.At <= now {
					t.Fatalf("told at %d to wait until %d", now, v.At)
				}
				now = v.At
				continue
			case engine.NextEnd:
				if s.Attempts != before.Attempts || v.Reason == "" {
					t.Fatalf("ended %q with %+v", v.Reason, s)
				}
				return
			case engine.NextSuspend:
				if v.At > engine.EffectiveDeadline(s)+int64(spec.ExtendAtMost) {
					t.Fatalf("suspended until %d", v.At)
				}
				now += rapid.Int64Range(1, int64(100*time.Hour)).Draw(t, "constraint")
				continue
			}
			started++
			switch {
			case now < before.NotBefore:
				t.Fatal("started before it was due")
			case s.Attempts != before.Attempts+1 || int(s.Attempts) > spec.Attempts:
				t.Fatalf("attempt %d of %d", s.Attempts, spec.Attempts)
			case !spec.Extend && now >= s.Deadline:
				t.Fatal("started at the deadline or later")
			case now-s.Deadline >= int64(spec.ExtendAtMost) && now >= s.Deadline:
				t.Fatal("started later than any deferral allows")
			}
			now += rapid.Int64Range(0, int64(time.Hour)).Draw(t, "took")
			e, _ := c.Ending(rapid.SampledFrom([]string{"", "offline", "crash", "timeout", "unsent", "error", "503", "404", "401", "429", "UNAVAILABLE", "ABORTED"}).Draw(t, "ending"))
			e.CanRefresh, e.CanReread = rapid.Bool().Draw(t, "refresh"), rapid.Bool().Draw(t, "reread")
			e.Signals = spec.Timing != engine.TimingInline
			if e.Asked = rapid.Bool().Draw(t, "asked"); e.Asked {
				e.Instant = rapid.OneOf(rapid.Int64(), rapid.Int64Range(now, now+int64(time.Hour))).Draw(t, "instant")
			}
			before = s
			s, v = c.After(s, e, now, draw("after"))
			refunds = checkAfter(t, spec, before, s, v, e, now, refunds)
			if v.Next == engine.NextEnd {
				if started > spec.Attempts+int(s.Refunds) {
					t.Fatalf("%d started of %d, %d given back", started, spec.Attempts, s.Refunds)
				}
				return
			}
			if v.Next == engine.NextSuspend {
				now += rapid.Int64Range(0, int64(100*time.Hour)).Draw(t, "event")
				if spec.Timing != engine.TimingInline {
					s = c.Wake(s, now, draw("wake"))
				} else if s, v = c.Restored(s, now, draw("restored")); v.Next == engine.NextEnd {
					return
				}
			}
			if rapid.Bool().Draw(t, "late") { // the platform comes when it comes
				now = max(now, s.NotBefore) + rapid.Int64Range(0, int64(100*time.Hour)).Draw(t, "late by")
			}
		}
	})
}

func checkAfter(t *rapid.T, spec *engine.Spec, before, s engine.State, v engine.Verdict, e engine.Ending, now int64, refunds int16) int16 {
	switch {
	case before.MaybeApplied && !s.MaybeApplied:
		t.Fatal("what may have been applied was forgotten")
	case s.Refunds > 5 || s.Refunds < refunds:
		t.Fatalf("%d refunds", s.Refunds)
	case s.Attempts != before.Attempts && s.Attempts+int32(s.Refunds-before.Refunds) != before.Attempts:
		t.Fatalf("attempts %d to %d", before.Attempts, s.Attempts)
	case s.Deferred != before.Deferred:
		t.Fatal("an attempt is no deferral")
	}
	if v.Next == engine.NextWait {
		switch {
		case v.At < now || v.At < before.NotBefore || s.NotBefore != v.At:
			t.Fatalf("at %d told to wait until %d", now, v.At)
		case v.At >= engine.EffectiveDeadline(s):
			t.Fatal("a wait that cannot end in time")
		case s.Attempts >= int32(spec.Attempts):
			t.Fatal("a wait without an attempt behind it")
		case e.Asked && spec.RetryAfter == engine.RetryAfterOverride && v.At < e.Instant:
			t.Fatalf("due at %d, the server asked for %d", v.At, e.Instant)
		case spec.Effect == engine.EffectNonIdempotent && spec.KeySource == engine.KeyNone && !spec.Tolerate && s.MaybeApplied:
			t.Fatal("repeated although it may have been applied")
		case spec.Effect == engine.EffectSafe && s.MaybeApplied:
			t.Fatal("a safe operation applies nothing")
		}
	}
	if v.Next == engine.NextEnd && v.Reason == engine.ReasonExhausted && s.Attempts < int32(spec.Attempts) {
		t.Fatalf("exhausted after %d of %d", s.Attempts, spec.Attempts)
	}
	return s.Refunds
}

// Waits stay between what jitter allows and the cap, for any number.
func TestWaits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySpec(t)
		s.Timing = engine.TimingInline
		n := rapid.OneOf(rapid.IntRange(1, 100), rapid.IntRange(math.MinInt, math.MaxInt)).Draw(t, "n")
		last := time.Duration(rapid.Int64().Draw(t, "last"))
		low := engine.Wait(s, n, "", last, 0)
		mid := engine.Wait(s, n, "", last, rapid.Float64Range(0, 1).Draw(t, "draw"))
		high := engine.Wait(s, n, "", last, 1)
		if low <= 0 || low > mid || mid > high || high > s.Cap {
			t.Fatalf("waits %v, %v, %v with a cap of %v", low, mid, high, s.Cap)
		}
		if s.Jitter == engine.JitterEqual && low < high/2 {
			t.Fatalf("equal jitter gives %v below %v", low, high)
		}
		if next := engine.Wait(s, max(n, 1), "", last, 1); s.Jitter != engine.JitterDecorrelated && n < math.MaxInt && next > engine.Wait(s, max(n, 1)+1, "", last, 1) {
			t.Fatal("the ceiling falls")
		}
	})
}

// What Wait says is what the decision does.
func TestWaitIsTheDecision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySpec(t)
		s.Timing, s.Outcomes, s.Within = engine.TimingInline, nil, 1<<62
		s.Effect = engine.EffectIdempotent
		s.PerOutcome = []engine.OutcomeLimit{{On: "timeout", Base: s.Base * 2}}
		c := engine.NewClass(s)
		st := c.Begin(0)
		now, last := int64(0), time.Duration(0)
		for n := 1; n < s.Attempts; n++ {
			word := rapid.SampledFrom([]string{"timeout", "unsent"}).Draw(t, "word")
			draw := rapid.Float64Range(0, 1).Draw(t, "draw")
			e, _ := c.Ending(word)
			var v engine.Verdict
			st, _ = c.Start(st, now, false)
			st, v = c.After(st, e, now, draw)
			if v.Next == engine.NextEnd {
				return
			}
			if want := engine.Wait(s, n, word, last, draw); v.At-now != int64(want) {
				t.Fatalf("attempt %d: the decision waits %v, Wait says %v", n, time.Duration(v.At-now), want)
			}
			last = time.Duration(v.At - now)
			now = v.At
		}
	})
}

// Keys of different operations differ, and say nothing of their fields.
func TestKeysDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(rapid.String(), 1, 4).Draw(t, "a")
		b := rapid.SliceOfN(rapid.String(), 1, 4).Draw(t, "b")
		same := len(a) == len(b)
		for i := range min(len(a), len(b)) {
			same = same && a[i] == b[i]
		}
		if (engine.DeriveKey("x", a...) == engine.DeriveKey("x", b...)) != same {
			t.Fatalf("%q and %q", a, b)
		}
	})
}
