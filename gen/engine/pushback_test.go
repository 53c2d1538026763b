package engine

import (
	"math"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Point 3: one parser, which takes digits and dates and passes over the rest.
func TestPoint03Parser(t *testing.T) {
	now := time.Date(2015, 10, 21, 7, 0, 0, 0, time.UTC)
	const never = time.Duration(-1)
	for _, row := range []struct {
		fields string // "name: value" lines
		want   time.Duration
	}{
		{"Retry-After: 120", 2 * time.Minute},
		{"Retry-After:   5 ", 5 * time.Second},
		{"Retry-After: 0", 0},
		{"Retry-After: 9223372037", math.MaxInt64},
		{"Retry-After: 99999999999999999999999999", math.MaxInt64},
		{"Retry-After: 9e18", never},
		{"Retry-After: -5", never},
		{"Retry-After: +3", never},
		{"Retry-After: 1.5", never},
		{"Retry-After: ", never},
		{"Retry-After: ²", never},
		{"Retry-After: 5, 10", never},
		{"Retry-After: 0x10", never},
		{"Retry-After: soon", never},
		{"Retry-After: 5\nRetry-After: 10", never},
		{"Retry-After: Wed, 21 Oct 2015 07:28:00 GMT", 28 * time.Minute},
		{"Retry-After: Wednesday, 21-Oct-15 07:28:00 GMT", 28 * time.Minute},
		{"Retry-After: Wed Oct 21 07:28:00 2015", 28 * time.Minute},
		{"Retry-After: Wednesday, 21-Oct-15 07:28:00 EST", never},
		{"Retry-After: Wed, 21 Oct 2015 07:28:00 EST", never},
		{"Retry-After: Wed, 21 Oct 2015 06:00:00 GMT", -time.Hour},
		{"Retry-After: Wed, 21 Oct 2015 07:28:00 GMT\nDate: Wed, 21 Oct 2015 07:27:00 GMT", time.Minute},
		{"Retry-After: Wed, 21 Oct 2015 07:28:00 GMT\nDate: yesterday", 28 * time.Minute},
		{"Retry-After-Ms: 50\nRetry-After: 9", 50 * time.Millisecond},
		{"Retry-After-Ms: soon\nRetry-After: 9", 9 * time.Second},
		{"Retry-After-Ms: Wed, 21 Oct 2015 07:28:00 GMT", never},
		{"X-Ms-Retry-After-Ms: 70", 70 * time.Millisecond},
		{"X-Amz-Retry-After: 80", 80 * time.Millisecond},
		{"X-Other: 1", never},
	} {
		h := http.Header{}
		for line := range strings.SplitSeq(row.fields, "\n") {
			name, value, _ := strings.Cut(line, ": ")
			h.Add(name, value)
		}
		at, ok := pushBackFrom(h, now)
		if got := at.Sub(now); ok && got != row.want || ok != (row.want != never) {
			t.Errorf("%q: %v, %v, want %v", row.fields, got, ok, row.want)
		}
	}
}

func FuzzPushBack(f *testing.F) {
	for _, s := range []string{"5", "-1", "1.5", "Wed, 21 Oct 2015 07:28:00 GMT", "Wednesday, 21-Oct-15 07:28:00 EST", "99999999999999999999"} {
		f.Add(s, "")
	}
	f.Fuzz(func(t *testing.T, value, date string) {
		now := time.Now()
		h := http.Header{"Retry-After": {value}, "Date": {date}}
		at, ok := pushBackFrom(h, now)
		if !ok {
			return
		}
		digits := strings.Trim(strings.Trim(value, " \t"), "0123456789") == ""
		if digits && at.Before(now) {
			t.Fatalf("%q is in the past: %v", value, at)
		}
		if !digits && strings.ContainsAny(value[:1], "+-.") {
			t.Fatalf("%q was taken for a delay", value)
		}
	})
}
