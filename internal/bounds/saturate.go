package bounds

import (
	"math"
	"time"
)

const forever = time.Duration(math.MaxInt64)

// Add adds durations that are not negative and stays at the longest there is.
func Add(a, b time.Duration) time.Duration {
	if a > forever-b {
		return forever
	}
	return a + b
}

// Times multiplies a duration that is not negative by n and stays at the
// longest there is.
func Times(d time.Duration, n int) time.Duration {
	if d <= 0 || n <= 0 {
		return 0
	}
	if int64(d) > math.MaxInt64/int64(n) {
		return forever
	}
	return d * time.Duration(n)
}

// Round makes a computed duration readable: whole seconds from a minute on,
// tenths of one from a second on, whole milliseconds from ten on.
func Round(d time.Duration) time.Duration {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second)
	case d >= time.Second:
		return d.Round(100 * time.Millisecond)
	case d >= 10*time.Millisecond:
		return d.Round(time.Millisecond)
	case d >= 10*time.Microsecond:
		return d.Round(10 * time.Microsecond)
	}
	return d
}
