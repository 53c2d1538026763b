package compiler

import (
	"math"
	"strconv"
	"strings"
	"time"
)

var durationUnits = []struct {
	name string
	size time.Duration
}{
	{"ns", time.Nanosecond}, {"us", time.Microsecond}, {"µs", time.Microsecond}, {"μs", time.Microsecond},
	{"ms", time.Millisecond}, {"s", time.Second}, {"m", time.Minute}, {"h", time.Hour}, {"d", 24 * time.Hour},
}

// unitWords are spellings of units that people write, and what the language
// calls them. Weeks and longer are days times a number.
var unitWords = map[string]struct {
	unit  string
	times int64
}{
	"sec": {"s", 1}, "secs": {"s", 1}, "second": {"s", 1}, "seconds": {"s", 1}, "S": {"s", 1},
	"min": {"m", 1}, "mins": {"m", 1}, "minute": {"m", 1}, "minutes": {"m", 1}, "M": {"m", 1},
	"hr": {"h", 1}, "hrs": {"h", 1}, "hour": {"h", 1}, "hours": {"h", 1}, "H": {"h", 1},
	"day": {"d", 1}, "days": {"d", 1}, "D": {"d", 1},
	"w": {"d", 7}, "week": {"d", 7}, "weeks": {"d", 7},
	"msec": {"ms", 1}, "msecs": {"ms", 1}, "millis": {"ms", 1}, "millisecond": {"ms", 1}, "milliseconds": {"ms", 1}, "MS": {"ms", 1},
}

// parseDuration reads a Go duration, or one with whole days. Otherwise it says
// why not, and what would be right where that can be told.
func parseDuration(s string) (d time.Duration, reason, right string) {
	if s == "" {
		return 0, "it is empty", ""
	}
	if strings.ContainsAny(s, " \t") {
		right = strings.Join(strings.Fields(s), "")
		if _, reason, better := parseDuration(right); reason != "" {
			right = better
		}
		return 0, "no space between number and unit", right
	}
	if s[0] == '-' || s[0] == '+' {
		if _, reason, _ := parseDuration(s[1:]); reason == "" {
			right = s[1:]
		}
		return 0, "no sign before the number", right
	}
	var total float64
	var exact int64
	lastUnit := ""
	for rest := s; rest != ""; {
		i := 0
		for i < len(rest) && (rest[i] >= '0' && rest[i] <= '9' || rest[i] == '.') {
			i++
		}
		number := rest[:i]
		j := i
		for j < len(rest) && !(rest[j] >= '0' && rest[j] <= '9' || rest[j] == '.') {
			j++
		}
		unit := rest[i:j]
		if number == "" {
			return 0, "it has to be a number with a unit", ""
		}
		value, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return 0, strconv.Quote(number) + " is not a number", ""
		}
		if unit == "" {
			head := s[:len(s)-len(rest)]
			if head == "" {
				return 0, "it has no unit", number + "s"
			}
			return 0, "the " + number + " at its end has no unit", head + number + smaller(lastUnit)
		}
		size := unitSize(unit)
		if size == 0 {
			if w, ok := unitWords[unit]; ok {
				fixed := number
				if w.times > 1 {
					if n, err := strconv.ParseInt(number, 10, 32); err == nil {
						fixed = strconv.FormatInt(n*w.times, 10)
					}
				}
				right = s[:len(s)-len(rest)] + fixed + w.unit + rest[j:]
				if _, reason, better := parseDuration(right); reason != "" {
					right = better
				}
			}
			return 0, "there is no unit " + strconv.Quote(unit) + "; one of ns, us, ms, s, m, h, d", right
		}
		if unit == "d" && strings.Contains(number, ".") {
			if h := value * 24; h == math.Trunc(h) && h < 1e6 {
				right = s[:len(s)-len(rest)] + strconv.FormatFloat(h, 'f', -1, 64) + "h" + rest[j:]
			}
			return 0, "days are whole numbers", right
		}
		total += value * float64(size)
		if total > math.MaxInt64/2 {
			return 0, "it is longer than 146 years", ""
		}
		if n, err := strconv.ParseInt(number, 10, 64); err == nil {
			exact += n * int64(size)
		} else if part, err := time.ParseDuration(number + unit); err == nil {
			exact += int64(part)
		} else {
			return 0, strconv.Quote(number) + " is not a number", ""
		}
		lastUnit = unit
		rest = rest[j:]
	}
	return time.Duration(exact), "", ""
}

// smaller is the unit that a number without one means after another: "5m30".
func smaller(unit string) string {
	switch unit {
	case "d":
		return "h"
	case "h":
		return "m"
	case "m":
		return "s"
	}
	return "ms"
}

func unitSize(unit string) time.Duration {
	for _, u := range durationUnits {
		if u.name == unit {
			return u.size
		}
	}
	return 0
}

var sizeUnits = []struct {
	name string
	size int64
}{{"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}}

// parseSize reads "8MiB"; otherwise it says why not, and what would be right.
func parseSize(s string) (n int64, reason, right string) {
	i := 0
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.') {
		i++
	}
	number, unit := s[:i], s[i:]
	value, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, "it has to be a number with a unit: B, KiB, MiB or GiB", ""
	}
	if unit == "" {
		return 0, "it has no unit; one of B, KiB, MiB, GiB", number + "B"
	}
	bare := strings.TrimSpace(unit)
	for _, u := range sizeUnits {
		if u.name == unit {
			bytes := value * float64(u.size)
			switch {
			case bytes > 1<<60:
				return 0, "it is more than an exbibyte", ""
			case bytes != math.Trunc(bytes):
				return 0, "it is no whole number of bytes", ""
			case bytes == 0:
				return 0, "it has to be more than 0", ""
			}
			return int64(bytes), "", ""
		}
	}
	for _, u := range sizeUnits {
		if u.name == bare {
			return 0, "no space between number and unit", number + u.name
		}
		if strings.EqualFold(bare, u.name) || strings.EqualFold(bare, u.name[:1]) || strings.EqualFold(bare, u.name[:1]+"B") {
			return 0, "there is no unit " + strconv.Quote(bare) + "; one of B, KiB, MiB, GiB", number + u.name
		}
	}
	return 0, "there is no unit " + strconv.Quote(bare) + "; one of B, KiB, MiB, GiB", ""
}
