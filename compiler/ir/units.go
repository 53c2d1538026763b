package ir

import (
	"strconv"
	"strings"
	"time"
)

// FormatDuration writes a duration as the language reads it, without the zero
// parts that time.Duration prints: 2m, 1h30m, 24h, 400ms. Whole days beyond
// three are written in d.
func FormatDuration(d time.Duration) string {
	if d == 0 {
		return "0s"
	}
	const day = 24 * time.Hour
	if d%day == 0 && (d > 3*day || d < -3*day) {
		return strconv.FormatInt(int64(d/day), 10) + "d"
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}

// FormatSize writes bytes as the language reads them: 8MiB, 64KiB, 1000B.
func FormatSize(n int64) string {
	for _, u := range []struct {
		name string
		size int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= u.size && n%u.size == 0 {
			return strconv.FormatInt(n/u.size, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10) + "B"
}
