package engine

import (
	"testing"
	"time"
)

func TestStartChangesNothingWhenEarly(t *testing.T) {
	c := retrying()
	s := c.begin(0)
	s.NotBefore = 10
	before := s
	for range 40000 {
		if v := c.start(&s, 5, true); v.Next != nextWait || v.At != 10 {
			t.Fatalf("early: %+v", v)
		}
	}
	if s != before {
		t.Errorf("early calls changed the state: %+v", s)
	}
}

func TestOfflineIsRefundedFiveTimes(t *testing.T) {
	c := retrying()
	s := c.begin(0)
	for i := range 5 {
		c.start(&s, s.NotBefore, false)
		if v := c.after(&s, ending{On: conditionOffline}, s.NotBefore, 0.5); v.Next != nextSuspend || s.Attempts != 0 || s.WaitsFor != waitsForNetwork {
			t.Fatalf("offline %d: %+v %+v", i+1, v, s)
		}
		if v := c.restored(&s, s.NotBefore, 0.5); v.Next != nextWait {
			t.Fatalf("back online: %+v", v)
		}
	}
	c.start(&s, s.NotBefore, false)
	if v := c.after(&s, ending{On: conditionOffline}, s.NotBefore, 0.5); s.Attempts != 1 || s.Condition != conditionUnsent || v.Next == nextSuspend {
		t.Errorf("offline a sixth time: %+v %+v, want it to count as unsent", v, s)
	}
	counts := retrying(func(s *spec) { s.OfflineCounts = true })
	s = counts.begin(0)
	counts.start(&s, 0, false)
	if v := counts.after(&s, ending{On: conditionOffline}, 0, 0.5); v.Next != nextWait || s.Attempts != 1 {
		t.Errorf("offline where it counts: %+v", v)
	}
}

func TestLoweredAttemptsEndWhatHasUsedThem(t *testing.T) {
	c := retrying(func(s *spec) { s.Attempts = 2 })
	s := c.begin(0)
	s.Max, s.Attempts = 6, 3
	if v := c.start(&s, 0, false); v.Reason != ReasonExhausted || s.Attempts != 3 {
		t.Errorf("%+v, want exhausted", v)
	}
}

func TestDeferralMovesTheDeadline(t *testing.T) {
	hour := int64(time.Hour)
	for _, row := range []struct {
		name   string
		extend bool
		picked int64
		next   next
	}{
		{"expire", false, 2 * hour, nextEnd},
		{"extend", true, 2 * hour, nextStart},
		{"extend, to the last", true, 72*hour + hour/2, nextStart},
		{"extend, beyond", true, 74 * hour, nextEnd},
	} {
		c := retrying(func(s *spec) {
			s.Timing, s.Within, s.Extend = timingScheduler, time.Hour, row.extend
			if row.extend {
				s.ExtendAtMost = 72 * time.Hour
			}
		})
		s := c.begin(0)
		if v := c.start(&s, row.picked, false); v.Next != row.next {
			t.Errorf("%s: %+v, want %v", row.name, v, row.next)
		}
	}
}

func TestConstraint(t *testing.T) {
	c := retrying(func(s *spec) { s.WhenConstrained, s.Timing = dropConstrained, timingQueue })
	s := c.begin(0)
	if v := c.start(&s, 0, true); v.Next != nextSuspend || s.WaitsFor != waitsForConstraint || s.Attempts != 0 {
		t.Errorf("a first attempt under a constraint: %+v, want it deferred", v)
	}
	c.start(&s, 0, false)
	c.after(&s, on(c, "timeout"), 0, 0.5)
	if v := c.start(&s, s.NotBefore, true); v.Reason != ReasonDropped {
		t.Errorf("a repetition under a constraint: %+v, want dropped", v)
	}
}

func TestSchedulerWaitsForNothingOfItsOwn(t *testing.T) {
	c := retrying(func(s *spec) { s.Timing, s.Base, s.Cap, s.StartJitter = timingScheduler, 0, 0, 10*time.Minute })
	s := c.begin(0)
	c.start(&s, 0, false)
	if v := c.after(&s, on(c, "timeout"), 5, 0.5); v.Next != nextWait || v.At != 5 {
		t.Errorf("%+v, want to be due at once", v)
	}
	c = retrying(func(s *spec) { s.Timing, s.Within, s.StartJitter = timingScheduler, 24*time.Hour, 10*time.Minute })
	s = c.begin(0)
	c.start(&s, 0, false)
	e := on(c, "timeout")
	e.Asked, e.Instant = true, int64(time.Hour)
	if v := c.after(&s, e, 5, 0.5); v.At != int64(time.Hour+5*time.Minute) {
		t.Errorf("push-back under a scheduler: due at %v, want 1h and half of startJitter", time.Duration(v.At))
	}
}
