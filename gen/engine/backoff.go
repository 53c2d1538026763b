package engine

import (
	"math"
	"time"
)

// curve holds the ceilings of the waits after attempt 1, 2, … up to the first
// that reaches the cap; the last holds for all that follow.
type curve struct {
	base, cap time.Duration
	ceilings  []time.Duration
}

func newCurve(base time.Duration, factor float64, ceil time.Duration, attempts int) curve {
	w := curve{base: base, cap: ceil}
	if base <= 0 {
		return w
	}
	for n := 1; n < attempts; n++ {
		c := ceiling(base, factor, ceil, n)
		w.ceilings = append(w.ceilings, c)
		if c >= ceil || factor <= 1 {
			break
		}
	}
	return w
}

func (w *curve) at(n int) time.Duration {
	if len(w.ceilings) == 0 {
		return min(w.base, w.cap)
	}
	return w.ceilings[max(1, min(n, len(w.ceilings)))-1]
}

// ceiling is min(cap, base·factor^(n-1)), without overflow for any n.
func ceiling(base time.Duration, factor float64, ceil time.Duration, n int) time.Duration {
	if base <= 0 || ceil <= 0 {
		return 0
	}
	if factor < 1 || math.IsNaN(factor) {
		factor = 1
	}
	c := float64(base) * math.Pow(factor, float64(max(n, 1)-1))
	if c < float64(ceil) {
		return time.Duration(c)
	}
	return ceil
}

// wait draws the wait after attempt n: the ceiling is capped first, then the
// draw is made below it, so that a cap makes no spike. draw is uniform in [0, 1];
// last is the wait before, which decorrelated jitter grows from.
//
//	full          U(0, c]
//	equal         U[c/2, c]
//	decorrelated  U[base, min(cap, 3·last)], where last begins as base
//	none          c
//
// The names are those of Marc Brooker, "Exponential Backoff And Jitter", 2015.
func (w *curve) wait(j jitter, n int, last time.Duration, draw float64) time.Duration {
	c := w.at(n)
	if c <= 0 {
		return 0
	}
	if !(draw >= 0) { // NaN too
		draw = 0
	} else if draw > 1 {
		draw = 1
	}
	least := time.Duration(0)
	switch j {
	case jitterEqual:
		least = c / 2
	case jitterDecorrelated:
		least = min(w.base, w.cap)
		c = w.cap
		if last = max(last, least); last < w.cap/3 {
			c = 3 * last
		}
	case jitterNone:
		return c
	}
	above := draw * float64(c-least)
	if above >= float64(c-least) {
		return c
	}
	return max(1, least+time.Duration(above))
}

// later is t+d without overflow.
func later(t int64, d time.Duration) int64 {
	sum := t + int64(d)
	switch {
	case d > 0 && sum < t:
		return math.MaxInt64
	case d < 0 && sum > t:
		return math.MinInt64
	}
	return sum
}
