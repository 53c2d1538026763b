package engine

import (
	"testing"
	"time"
)

func row(change ...func(*spec)) *class {
	return retrying(append([]func(*spec){func(s *spec) {
		s.Timing, s.KeySource, s.AttemptTimeout, s.Within = timingQueue, keyFromFields, time.Minute, time.Hour
		s.StartJitter = 10 * time.Minute
	}}, change...)...)
}

func TestAdmitSpreadsTheFirstAttempt(t *testing.T) {
	c := row()
	now := int64(time.Hour)
	s := c.admit(now, 0.5)
	if s.NotBefore != now+int64(5*time.Minute) || s.Scheduled != s.NotBefore || s.Deadline != now+int64(time.Hour) || s.Max != 4 {
		t.Errorf("%+v", s)
	}
	if v := c.start(&s, now, false); v.Next != nextWait || v.At != s.NotBefore {
		t.Errorf("a start before it: %+v", v)
	}
}

func TestWakeDrawsAgainAndCountsTheWaitAsDeferral(t *testing.T) {
	c := row(func(s *spec) { s.Extend, s.ExtendAtMost = true, 72*time.Hour })
	s := c.admit(0, 0)
	c.start(&s, 0, false)
	c.after(&s, ending{On: conditionOffline}, int64(time.Minute), 0.5)
	back := int64(48 * time.Hour)
	c.wake(&s, back, 0.5)
	if s.WaitsFor != waitsForNothing || s.NotBefore != back+int64(5*time.Minute) || s.Deferred != back-int64(time.Minute) {
		t.Errorf("%+v", s)
	}
	if v := c.start(&s, s.NotBefore, false); v.Next != nextStart || s.Attempts != 1 {
		t.Errorf("after two days without a network: %+v %+v", v, s)
	}
}

func TestACrashCountsAndMayHaveBeenApplied(t *testing.T) {
	c := row(func(s *spec) { s.Attempts = 2 })
	s := c.admit(0, 0)
	c.start(&s, 0, false)
	if v := c.after(&s, ending{On: conditionCrash, Signals: true}, 5, 0.5); v.Next != nextWait || v.At != 5+int64(time.Second) || s.Crashes != 1 || !s.MaybeApplied {
		t.Errorf("%+v %+v, want backoff", v, s)
	}
	c.start(&s, s.NotBefore, false)
	if v := c.after(&s, ending{On: conditionCrash, Signals: true}, s.NotBefore, 0.5); v.Reason != ReasonExhausted || s.Crashes != 2 || s.Attempts != 2 {
		t.Errorf("%+v %+v, want exhausted", v, s)
	}
}

func TestReleaseGivesBackFive(t *testing.T) {
	c := row()
	s := c.admit(0, 0)
	for i := range 6 {
		c.start(&s, 0, false)
		if ok := c.release(&s); ok != (i < 5) {
			t.Errorf("release %d: %v", i+1, ok)
		}
	}
	if s.Attempts != 1 {
		t.Errorf("%d attempts, want the sixth to count", s.Attempts)
	}
}

func TestDurableCallsHaveTheKeysOfCalls(t *testing.T) {
	c := row()
	if c.durableFields("a").Key() != c.callFields("a").Key() || c.durableKey("k").Key() != "k" {
		t.Error("keys differ")
	}
}
