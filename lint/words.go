package lint

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/bounds"
)

// How numbers read in messages, and how values read in CUE.

// dur words a computed duration; what the author wrote is worded exactly, by
// ir.FormatDuration.
func dur(d time.Duration) string { return ir.FormatDuration(bounds.Round(d)) }

// count words a number of things: "1 request", "3 requests". Where the plural
// is more than an s it follows.
func count(n int, words ...string) string {
	word := words[0]
	switch {
	case n == 1:
	case len(words) > 1:
		word = words[1]
	default:
		word += "s"
	}
	return strconv.Itoa(n) + " " + word
}

// label writes a key as CUE has it.
func label(key string) string {
	if key == "" || strings.ContainsAny(key, "- .") || key[0] >= '0' && key[0] <= '9' {
		return strconv.Quote(key)
	}
	return key
}

// quoted writes the elements of a CUE list of strings.
func quoted(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strconv.Quote(s)
	}
	return strings.Join(out, ", ")
}

func percent(ratio float64) string { return strconv.FormatFloat(100*ratio, 'g', 4, 64) }

func size(bytes int64, n int) string {
	return fmt.Sprintf("%.0f MiB", float64(bytes)*float64(n)/(1<<20))
}

// steps are the durations that people write.
var steps = []time.Duration{
	time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 20 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 20 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// neat is the largest such duration up to d, or the smallest of all.
func neat(d time.Duration) time.Duration {
	for i := len(steps) - 1; i >= 0; i-- {
		if steps[i] <= d {
			return steps[i]
		}
	}
	return steps[0]
}

// neatUp is a round duration not below d: the next second, minute or hour, with
// a tenth to spare.
func neatUp(d time.Duration) time.Duration {
	d = bounds.Add(d, d/10)
	switch {
	case d < 10*time.Second:
		return ceil(d, time.Second)
	case d < 5*time.Minute:
		return ceil(d, 10*time.Second)
	case d < 2*time.Hour:
		return ceil(d, time.Minute)
	}
	return ceil(d, time.Hour)
}

// ceil rounds up to a multiple of unit.
func ceil(d, unit time.Duration) time.Duration {
	if d%unit == 0 {
		return d
	}
	return bounds.Add(d-d%unit, unit)
}

// averageWaits is the sum of all waits of an operation that fails at once each
// time, on average; longestWaits with the longest draws.
func (f *Facts) averageWaits() time.Duration {
	at := f.Bounds.Attempts
	return at[len(at)-1].AtOnce.Average - at[0].AtOnce.Average
}

func (f *Facts) longestWaits() time.Duration {
	at := f.Bounds.Attempts
	return at[len(at)-1].AtOnce.Longest - at[0].AtOnce.Longest
}

// spent words how long futile requests go on, where the engine times them.
func (f *Facts) spent() string {
	if !f.waits() {
		return ""
	}
	return " within " + dur(f.longestWaits())
}
