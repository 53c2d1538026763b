package engine

import (
	"math"
	"testing"
	"time"
)

// Point 1: arithmetic saturates, and jitter is still alive at the cap.
func TestPoint01ArithmeticSaturates(t *testing.T) {
	for _, base := range []time.Duration{1, time.Millisecond, time.Second, 24 * time.Hour, math.MaxInt64} {
		for _, ceil := range []time.Duration{1, time.Second, time.Hour, math.MaxInt64} {
			if ceil < base {
				continue
			}
			for _, factor := range []float64{1, 1.0001, 1.5, 2, 10, math.MaxFloat64, math.Inf(1)} {
				for _, n := range []int{math.MinInt, -1, 0, 1, 2, 35, 64, 310, 1000, math.MaxInt32, math.MaxInt} {
					checkWaits(t, base, factor, ceil, n)
				}
			}
		}
	}
}

func checkWaits(t *testing.T, base time.Duration, factor float64, ceil time.Duration, n int) {
	t.Helper()
	c := ceiling(base, factor, ceil, n)
	if c < min(base, ceil) || c > ceil {
		t.Fatalf("ceiling(%v, %v, %v, %d) = %v", base, factor, ceil, n, c)
	}
	w := curve{base: base, cap: ceil, ceilings: []time.Duration{c}}
	for _, draw := range []float64{math.Inf(-1), -1, 0, math.SmallestNonzeroFloat64, 0.5, 1 - 1e-16, 1, 2, math.Inf(1), math.NaN()} {
		for _, last := range []time.Duration{math.MinInt64, 0, base, ceil, math.MaxInt64} {
			for j := jitterFull; j <= jitterNone; j++ {
				got := w.wait(j, n, last, draw)
				least := time.Duration(1)
				switch j {
				case jitterEqual:
					least = max(1, c/2)
				case jitterDecorrelated:
					least = base
				case jitterNone:
					least = c
				}
				if got < least || got > ceil {
					t.Fatalf("base %v factor %v cap %v: wait(%d, n %d, last %v, draw %v) = %v, want %v to %v",
						base, factor, ceil, j, n, last, draw, got, least, ceil)
				}
			}
		}
	}
}

func TestPoint01JitterIsAliveAtTheCap(t *testing.T) {
	w := newCurve(time.Second, 2, 10*time.Second, 100)
	for _, j := range []jitter{jitterFull, jitterEqual, jitterDecorrelated} {
		low := w.wait(j, 90, 10*time.Second, 0.1)
		high := w.wait(j, 90, 10*time.Second, 0.9)
		if high-low < 3*time.Second {
			t.Errorf("jitter %d at the cap spans %v to %v: a fleet would come back together", j, low, high)
		}
	}
}

// Point 2: the ceiling is capped before the draw, so the draws at the cap are
// uniform below it, with no spike on it.
func TestPoint02CapThenJitter(t *testing.T) {
	w := newCurve(6*time.Second, 2, 10*time.Second, 10)
	const draws = 1000
	atCap := 0
	for i := range draws {
		if got := w.wait(jitterFull, 3, 0, float64(i)/draws); got == 10*time.Second {
			atCap++
		}
	}
	if atCap > 1 {
		t.Errorf("%d of %d draws are the cap itself", atCap, draws)
	}
	if got := w.wait(jitterFull, 3, 0, 0.5); got != 5*time.Second {
		t.Errorf("the middle draw below a cap of 10s is %v, want 5s", got)
	}
}

func TestCurveIsTheCeiling(t *testing.T) {
	for _, factor := range []float64{1, 1.3, 2, 7} {
		w := newCurve(time.Second, factor, 5*time.Minute, 100)
		for n := 1; n <= 120; n++ {
			if got, want := w.at(n), ceiling(time.Second, factor, 5*time.Minute, n); n < 100 && got != want {
				t.Fatalf("factor %v: at(%d) = %v, want %v", factor, n, got, want)
			}
		}
	}
}

func TestDecorrelatedGrowsFromTheLastWait(t *testing.T) {
	w := newCurve(time.Second, 2, 20*time.Second, 10)
	for _, row := range []struct {
		last time.Duration
		draw float64
		want time.Duration
	}{
		{0, 0, time.Second}, {0, 1, 3 * time.Second}, {3 * time.Second, 0, time.Second},
		{3 * time.Second, 1, 9 * time.Second}, {19 * time.Second, 1, 20 * time.Second}, {19 * time.Second, 0.5, 10500 * time.Millisecond},
	} {
		if got := w.wait(jitterDecorrelated, 2, row.last, row.draw); got != row.want {
			t.Errorf("after %v, draw %v: %v, want %v", row.last, row.draw, got, row.want)
		}
	}
}

func TestLaterSaturates(t *testing.T) {
	for _, row := range []struct {
		at   int64
		d    time.Duration
		want int64
	}{
		{1, 2, 3}, {math.MaxInt64, 1, math.MaxInt64}, {math.MaxInt64 - 1, math.MaxInt64, math.MaxInt64},
		{math.MinInt64, -1, math.MinInt64}, {-5, math.MaxInt64, math.MaxInt64 - 5},
	} {
		if got := later(row.at, row.d); got != row.want {
			t.Errorf("later(%d, %d) = %d, want %d", row.at, row.d, got, row.want)
		}
	}
}

func FuzzArithmetic(f *testing.F) {
	f.Add(int64(time.Second), 2.0, int64(time.Minute), 3)
	f.Add(int64(1), 1e300, int64(math.MaxInt64), math.MaxInt)
	f.Fuzz(func(t *testing.T, base int64, factor float64, ceil int64, n int) {
		if base <= 0 || ceil < base || !(factor >= 1) {
			t.Skip("no policy has such waits")
		}
		checkWaits(t, time.Duration(base), factor, time.Duration(ceil), n)
	})
}
