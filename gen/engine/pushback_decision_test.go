package engine

import (
	"math"
	"testing"
	"time"
)

// Point 3: push-back decides the instant, and the drawn wait is added to it.
func TestPoint03PushBackModes(t *testing.T) {
	const asked = int64(20 * time.Second)
	for _, row := range []struct {
		name   string
		change func(*spec)
		at     int64
		reason Reason
	}{
		{"override goes beyond the cap", func(s *spec) {}, asked + int64(time.Second), ""},
		{"ignore", func(s *spec) { s.RetryAfter = retryAfterIgnore }, int64(time.Second), ""},
		{"stop", func(s *spec) { s.RetryAfter, s.RetryAfterMax = retryAfterStop, 10*time.Second }, 0, ReasonPushBack},
		{"stop, within", func(s *spec) { s.RetryAfter, s.RetryAfterMax = retryAfterStop, 20*time.Second }, asked + int64(time.Second), ""},
		{"clamp", func(s *spec) { s.RetryAfter, s.RetryAfterMax = retryAfterClamp, 10*time.Second }, int64(11 * time.Second), ""},
		{"past the deadline", func(s *spec) { s.Within = 15 * time.Second }, 0, ReasonDeadline},
	} {
		c := retrying(asHTTP, row.change)
		s := c.begin(0)
		c.start(&s, 0, false)
		e := on(c, "429")
		e.Asked, e.Instant = true, asked
		v := c.after(&s, e, 0, 0.5)
		if v.Reason != row.reason || v.Next == nextWait && v.At != row.at {
			t.Errorf("%s: %+v, want %v %q", row.name, v, time.Duration(row.at), row.reason)
		}
		if want := row.name != "ignore"; s.PushedBack != want || want && s.PushBack != asked {
			t.Errorf("%s: the state keeps %v %v", row.name, s.PushedBack, time.Duration(s.PushBack))
		}
	}
	c := retrying(asHTTP)
	for _, instant := range []int64{math.MinInt64, -1, 0, math.MaxInt64} {
		s := c.begin(0)
		c.start(&s, 0, false)
		e := on(c, "429")
		e.Asked, e.Instant = true, instant
		v := c.after(&s, e, 0, 1)
		if instant <= 0 && v.At != int64(time.Second) || instant > 0 && v.Reason != ReasonDeadline {
			t.Errorf("asked for %d: %+v", instant, v)
		}
	}
	s := c.begin(0)
	c.start(&s, 0, false)
	e := on(c, "429")
	e.Stop = true
	if v := c.after(&s, e, 0, 1); v.Reason != ReasonPushBack {
		t.Errorf("a server that says stop: %+v", v)
	}
}

// Point 3, last part: a cohort told the same second does not return in it.
func TestPoint03CohortIsSpread(t *testing.T) {
	c := retrying(asHTTP, func(s *spec) { s.Jitter, s.Base = jitterFull, 10*time.Second })
	const told = int64(5 * time.Second)
	perSecond := map[int64]int{}
	for i := range 1000 {
		s := c.begin(0)
		c.start(&s, 0, false)
		e := on(c, "429")
		e.Asked, e.Instant = true, told
		v := c.after(&s, e, 0, float64(i)/1000)
		if v.At < told {
			t.Fatalf("an attempt at %v, before the %v that was asked for", time.Duration(v.At), time.Duration(told))
		}
		perSecond[v.At/int64(time.Second)]++
	}
	for second, n := range perSecond {
		if n > 200 {
			t.Errorf("%d of 1000 come in second %d", n, second)
		}
	}
}
