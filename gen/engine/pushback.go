package engine

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// pushBackHeaders are the fields in which servers ask for a delay, the finer
// first: two of Azure's and one of AWS's carry milliseconds, Retry-After (RFC 9110,
// section 10.2.3) seconds or a date.
var pushBackHeaders = [...]struct {
	name string
	unit time.Duration
}{
	{"Retry-After-Ms", time.Millisecond},
	{"X-Ms-Retry-After-Ms", time.Millisecond},
	{"X-Amz-Retry-After", time.Millisecond},
	{"Retry-After", time.Second},
}

// pushBackFrom reads when a server wants to be asked again. Dates are corrected by
// the server's own clock where the answer tells it. What cannot be read is passed
// over, not obeyed as zero; the same field twice cannot be read.
func pushBackFrom(h http.Header, now time.Time) (instant time.Time, ok bool) {
	for _, field := range pushBackHeaders {
		values := h[field.name]
		if len(values) != 1 {
			continue
		}
		text := strings.Trim(values[0], " \t")
		if delay, ok := parseDelay(text, field.unit); ok {
			return now.Add(delay), true
		}
		if field.unit != time.Second {
			continue
		}
		at, ok := parseDate(text)
		if !ok {
			continue
		}
		if sent, ok := parseDate(h.Get("Date")); ok {
			return now.Add(at.Sub(sent)), true
		}
		return at, true
	}
	return time.Time{}, false
}

// parseDelay reads digits, and nothing else, as a number of units.
func parseDelay(text string, unit time.Duration) (time.Duration, bool) {
	if text == "" {
		return 0, false
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n > math.MaxInt64/int64(unit) {
		return math.MaxInt64, true
	}
	return time.Duration(n) * unit, true
}

// parseDate reads the three forms of an HTTP date. All of them are in GMT; one of
// them has room for another zone, which cannot be trusted.
func parseDate(text string) (time.Time, bool) {
	t, err := http.ParseTime(text)
	if err != nil || strings.Contains(text, ",") && !strings.HasSuffix(text, " GMT") {
		return time.Time{}, false
	}
	return t, true
}
