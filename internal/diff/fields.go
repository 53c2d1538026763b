package diff

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/retryc/retryc/compiler/ir"
)

// field is one value of a class that can change: how it reads, how it is copied
// from one class to another to see what it does alone, and what rows under way do
// when it changes.
type field struct {
	path  string
	value func(*ir.Class) string
	copy  func(dst, src *ir.Class)
	order func(before, after *ir.Class) int // > 0: raised; nil: no order, words are named
	rows  string
}

func duration(path, rows string, at func(*ir.Class) *time.Duration) field {
	return field{
		path: path, rows: rows,
		value: func(c *ir.Class) string {
			if d := *at(c); d != 0 {
				return ir.FormatDuration(d)
			}
			return ""
		},
		copy:  func(dst, src *ir.Class) { *at(dst) = *at(src) },
		order: func(b, a *ir.Class) int { return cmp.Compare(*at(a), *at(b)) },
	}
}

func word[T interface {
	fmt.Stringer
	comparable
}](path, rows string, at func(*ir.Class) *T) field {
	return field{
		path: path, rows: rows,
		value: func(c *ir.Class) string { return (*at(c)).String() },
		copy:  func(dst, src *ir.Class) { *at(dst) = *at(src) },
	}
}

const (
	keep     = "keep theirs"
	nextWait = "the new value, from the next wait"
	nextEnd  = "the new value, from the next outcome"
)

// fields lists every value of a class but its outcomes, which are compared code by
// code, its waivers, and what names it.
var fields = []field{
	{
		path: "operation", rows: "rows name the class, not its operation",
		value: func(c *ir.Class) string {
			// The names of wildcards mean nothing.
			return c.Op.Kind.String() + " " + strconv.Quote(wildcard.ReplaceAllString(c.Op.Text, "{$1}"))
		},
		copy: func(dst, src *ir.Class) { dst.Op = src.Op },
	},
	{
		path: "aliases", rows: "those of a name that is dropped are orphaned",
		value: func(c *ir.Class) string { return strings.Join(c.Aliases, ", ") },
		copy:  func(dst, src *ir.Class) { dst.Aliases = src.Aliases },
	},
	word("effect", "from the next failure", func(c *ir.Class) *ir.Effect { return &c.Effect }),
	word("duplicates", "from the next failure", func(c *ir.Class) *ir.Duplicates { return &c.Duplicates }),
	{
		path: "attempts", rows: "min(the row's, the new): a rise reaches new rows only",
		value: func(c *ir.Class) string { return strconv.Itoa(c.Attempts) },
		copy:  func(dst, src *ir.Class) { dst.Attempts = src.Attempts },
		order: func(b, a *ir.Class) int { return cmp.Compare(a.Attempts, b.Attempts) },
	},
	duration("attemptTimeout", "the new value, from the next lease", func(c *ir.Class) *time.Duration { return &c.AttemptTimeout }),
	duration("deadline.within", keep, func(c *ir.Class) *time.Duration { return &c.Deadline.Within }),
	word("deadline.mode", keep, func(c *ir.Class) *ir.DeadlineMode { return &c.Deadline.Mode }),
	duration("deadline.extendAtMost", keep, func(c *ir.Class) *time.Duration { return &c.Deadline.ExtendAtMost }),
	word("timing", "", func(c *ir.Class) *ir.Timing { return &c.Timing }), // by timingRows
	duration("backoff.base", nextWait, func(c *ir.Class) *time.Duration { return &c.Backoff.Base }),
	{
		path: "backoff.factor", rows: nextWait,
		value: func(c *ir.Class) string {
			if c.Backoff.Base == 0 {
				return ""
			}
			return number(c.Backoff.Factor)
		},
		copy:  func(dst, src *ir.Class) { dst.Backoff.Factor = src.Backoff.Factor },
		order: func(b, a *ir.Class) int { return cmp.Compare(a.Backoff.Factor, b.Backoff.Factor) },
	},
	duration("backoff.cap", nextWait, func(c *ir.Class) *time.Duration { return &c.Backoff.Cap }),
	{
		path: "backoff.jitter", rows: nextWait,
		value: func(c *ir.Class) string {
			if c.Backoff.Base == 0 {
				return ""
			}
			return c.Backoff.Jitter.String()
		},
		copy: func(dst, src *ir.Class) { dst.Backoff.Jitter = src.Backoff.Jitter },
	},
	{
		path: "scheduler.profile", rows: "unchanged: a fact about the platform",
		value: func(c *ir.Class) string { return c.Scheduler.Profile },
		copy:  func(dst, src *ir.Class) { dst.Scheduler.Profile = src.Scheduler.Profile },
	},
	duration("scheduler.minBackoff", "unchanged: a fact about the platform", func(c *ir.Class) *time.Duration { return &c.Scheduler.MinBackoff }),
	duration("scheduler.maxBackoff", "unchanged: a fact about the platform", func(c *ir.Class) *time.Duration { return &c.Scheduler.MaxBackoff }),
	duration("scheduler.maxGap", "unchanged: a plan, not a setting", func(c *ir.Class) *time.Duration { return &c.Scheduler.MaxGap }),
	duration("startJitter", "keep theirs until a signal wakes them", func(c *ir.Class) *time.Duration { return &c.StartJitter }),
	word("idempotency.source", "keep their key; a new admission of the same operation does not find them", func(c *ir.Class) *ir.KeySource { return &c.Idempotency.Source }),
	{
		path: "idempotency.fields", rows: "keep their key; a new admission of the same operation may not find them",
		value: func(c *ir.Class) string { return strings.Join(c.Idempotency.Fields, ", ") },
		copy:  func(dst, src *ir.Class) { dst.Idempotency.Fields = src.Idempotency.Fields },
	},
	{
		path: "idempotency.sent", rows: "keep their key",
		value: keyed(func(c *ir.Class) string { return c.Idempotency.Sent.String() }),
		copy:  func(dst, src *ir.Class) { dst.Idempotency.Sent = src.Idempotency.Sent },
	},
	{
		path: "idempotency.header", rows: "the same key, in the new header",
		value: inHeader(func(c *ir.Class) string { return http.CanonicalHeaderKey(c.Idempotency.Header) }),
		copy:  func(dst, src *ir.Class) { dst.Idempotency.Header = src.Idempotency.Header },
	},
	{
		path: "idempotency.quote", rows: "the same key, in other bytes",
		value: inHeader(func(c *ir.Class) string { return strconv.FormatBool(c.Idempotency.Quote) }),
		copy:  func(dst, src *ir.Class) { dst.Idempotency.Quote = src.Idempotency.Quote },
	},
	duration("idempotency.keptFor", "the new value, when a row is revived or purged", func(c *ir.Class) *time.Duration { return &c.Idempotency.KeptFor }),
	word("retryAfter.mode", keep, func(c *ir.Class) *ir.RetryAfterMode { return &c.RetryAfter.Mode }),
	{
		path: "retryAfter.max", rows: "the new value, from the next answer",
		value: func(c *ir.Class) string {
			if c.RetryAfter.Mode == ir.Stop || c.RetryAfter.Mode == ir.Clamp {
				return ir.FormatDuration(c.RetryAfter.Max)
			}
			return ""
		},
		copy:  func(dst, src *ir.Class) { dst.RetryAfter.Max = src.RetryAfter.Max },
		order: func(b, a *ir.Class) int { return cmp.Compare(a.RetryAfter.Max, b.RetryAfter.Max) },
	},
	{
		path: "conditions", rows: nextEnd,
		value: func(c *ir.Class) string { return strings.Join(slices.Sorted(slices.Values(c.Conditions)), ", ") },
		copy:  func(dst, src *ir.Class) { dst.Conditions = src.Conditions },
	},
	{
		path: "retryBudget", rows: "the new value, from the next retry",
		value: func(c *ir.Class) string { return budget(c.RetryBudget) },
		copy:  func(dst, src *ir.Class) { dst.RetryBudget = src.RetryBudget },
	},
	word("nested", "unchanged: a row is no outer layer", func(c *ir.Class) *ir.Nested { return &c.Nested }),
	word("audience", "unchanged", func(c *ir.Class) *ir.Audience { return &c.Audience }),
	word("whenOffline", "those that wait for the network keep waiting", func(c *ir.Class) *ir.WhenOffline { return &c.WhenOffline }),
	word("whenConstrained", "from the next grant", func(c *ir.Class) *ir.WhenConstrained { return &c.WhenConstrained }),
	{
		path: "payload.max", rows: "rows admitted under the old limit still run",
		value: func(c *ir.Class) string {
			if c.PayloadMax == 0 {
				return ""
			}
			return ir.FormatSize(c.PayloadMax)
		},
		copy:  func(dst, src *ir.Class) { dst.PayloadMax = src.PayloadMax },
		order: func(b, a *ir.Class) int { return cmp.Compare(a.PayloadMax, b.PayloadMax) },
	},
	{
		path: "calls", rows: "unchanged: it describes others",
		value: func(c *ir.Class) string { return calls(c.Calls) },
		copy:  func(dst, src *ir.Class) { dst.Calls = src.Calls },
	},
	{
		path: "owner", rows: "unchanged",
		value: func(c *ir.Class) string { return c.Owner },
		copy:  func(dst, src *ir.Class) { dst.Owner = src.Owner },
	},
	{
		path: "description", rows: "unchanged",
		value: func(c *ir.Class) string { return strings.Join(strings.Fields(c.Doc), " ") },
		copy:  func(dst, src *ir.Class) { dst.Doc = src.Doc },
	},
}

// follow lists the values that come and go with another: a limit with its mode, a
// header with its key. Such a change is one change.
var follow = map[string][]string{
	"operation": {"effect"},
	"timing": {
		"backoff.base", "backoff.factor", "backoff.cap", "backoff.jitter", "startJitter",
		"scheduler.profile", "scheduler.minBackoff", "scheduler.maxBackoff", "scheduler.maxGap",
	},
	"attempts":           {"backoff.base", "backoff.factor", "backoff.cap", "backoff.jitter"},
	"deadline.mode":      {"deadline.extendAtMost"},
	"idempotency.source": {"idempotency.fields", "idempotency.sent", "idempotency.header", "idempotency.quote", "idempotency.keptFor"},
	"idempotency.sent":   {"idempotency.header", "idempotency.quote"},
	"retryAfter.mode":    {"retryAfter.max"},
	"scheduler.profile":  {"scheduler.minBackoff", "scheduler.maxBackoff"},
}

// leader is the changed field that f only follows, or nil.
func leader(p *pair, f *field) *field {
	for i := range fields {
		l := &fields[i]
		if !slices.Contains(follow[l.path], f.path) || l.value(p.before) == l.value(p.after) {
			continue
		}
		before, after := f.value(p.before), f.value(p.after)
		// What is there on both sides changed by itself, unless nobody wrote it: a
		// platform's profile says it, or the method does.
		unwritten := (l.path == "scheduler.profile" || l.path == "operation") && !p.before.Written(f.path) && !p.after.Written(f.path)
		if before != after && (f.path == "retryAfter.max" || before == "" || after == "" || unwritten) {
			if up := leader(p, l); up != nil {
				return up
			}
			return l
		}
	}
	return nil
}

// valueWith is a value with those that follow it.
func valueWith(p *pair, f *field, c *ir.Class) string {
	text := f.value(c)
	if f.path == "attempts" || text == "" {
		return text
	}
	var parts []string
	for i := range fields {
		if g := &fields[i]; leader(p, g) == f {
			if v := g.value(c); v != "" && v != "false" {
				name := g.path[strings.LastIndex(g.path, ".")+1:]
				parts = append(parts, name+" "+v)
			}
		}
	}
	if len(parts) > 0 {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	return text
}

var wildcard = regexp.MustCompile(`\{\w*(\.\.\.)?\}`)

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// keyed is a value that means something only where there is a key.
func keyed(value func(*ir.Class) string) func(*ir.Class) string {
	return func(c *ir.Class) string {
		if c.Idempotency.Source == ir.NoKey {
			return ""
		}
		return value(c)
	}
}

func inHeader(value func(*ir.Class) string) func(*ir.Class) string {
	return func(c *ir.Class) string {
		if c.Idempotency.Source == ir.NoKey || c.Idempotency.Sent != ir.InHeader {
			return ""
		}
		return value(c)
	}
}

func budget(b *ir.Budget) string {
	if b == nil {
		return ""
	}
	per := "class"
	if b.PerHost {
		per = "host"
	}
	text := fmt.Sprintf("{ratio: %s, floor: %s, per: %q}", number(b.Ratio), number(b.Floor), per)
	if b.Name != "" {
		text = b.Name + " " + text
	}
	return text
}

func calls(list []ir.Call) string {
	var parts []string
	for _, c := range list {
		switch {
		case c.Class == "":
			parts = append(parts, fmt.Sprintf("%s(%d)", c.Name, c.Attempts))
		case c.Remote:
			parts = append(parts, c.Class+" (remote)")
		default:
			parts = append(parts, c.Class)
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// kind is the word for how a value changed: raised or lowered where it has an
// order, added or removed where one side is nothing, and else both words.
func (f *field) kind(before, after *ir.Class) string {
	b, a := f.value(before), f.value(after)
	name := kebab(f.path)
	switch {
	case f.path == "idempotency.fields" && reordered(before.Idempotency.Fields, after.Idempotency.Fields):
		return "key-fields-reordered"
	case b == "":
		return name + "-added"
	case a == "":
		return name + "-removed"
	case f.order != nil && f.order(before, after) > 0:
		return name + "-raised"
	case f.order != nil:
		return name + "-lowered"
	case ir.Words(f.path) != nil:
		return name + "-" + kebab(b) + "-to-" + kebab(a)
	}
	return name + "-changed"
}

// mirror is the kind of the opposite change.
func mirror(kind string) string {
	for _, pair := range [][2]string{{"-raised", "-lowered"}, {"-added", "-removed"}, {"-extended", "-shortened"}} {
		for i, suffix := range pair {
			if stem, ok := strings.CutSuffix(kind, suffix); ok {
				return stem + pair[1-i]
			}
		}
	}
	if i := strings.LastIndex(kind, "-to-"); i >= 0 {
		head, after := kind[:i], kind[i+len("-to-"):]
		for _, words := range enumStems {
			// "non-idempotent" ends in "idempotent": the longest word is the one.
			for _, before := range words.words {
				if stem, ok := strings.CutSuffix(head, "-"+before); ok && stem == words.stem || ok && strings.HasPrefix(stem, words.stem+"-") {
					return stem + "-" + after + "-to-" + before
				}
			}
		}
	}
	return kind
}

// enumStems are the enum fields as ids have them.
var enumStems = func() (all []struct {
	stem  string
	words []string
}) {
	for _, path := range append(ir.Paths(), "outcome", "outcomeAfterAmbiguous") {
		if words := slices.Clone(ir.Words(path)); words != nil {
			slices.SortFunc(words, func(a, b string) int { return len(b) - len(a) })
			all = append(all, struct {
				stem  string
				words []string
			}{kebab(path), words})
		}
	}
	return all
}()

func reordered(a, b []string) bool {
	if slices.Equal(a, b) || len(a) != len(b) {
		return false
	}
	x, y := slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(x, y)
}
