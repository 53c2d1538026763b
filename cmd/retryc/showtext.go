package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen/engine"
	"github.com/retryc/retryc/internal/bounds"
)

func place(s ir.Span) string { return s.File + ":" + strconv.Itoa(s.Start.Line) }

func short(d time.Duration) string { return ir.FormatDuration(bounds.Round(d)) }

// text prints a class in columns.
func (s *shownClass) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", s.Class, s.Doc)
	rows := append([]shownValue{{s.Operation, "", s.At}}, s.Values...)
	name, value := 0, 0
	for _, v := range rows[1:] {
		name = max(name, utf8.RuneCountInString(v.Name))
		if n := utf8.RuneCountInString(v.Value); n <= 48 {
			value = max(value, n)
		}
	}
	for i, v := range rows {
		left := v.Name
		if i > 0 {
			left = pad(v.Name, name) + "  " + v.Value
		}
		if v.From == "" {
			fmt.Fprintf(&b, "  %s\n", left)
			continue
		}
		fmt.Fprintf(&b, "  %s  %s\n", pad(left, name+2+value), v.From)
	}
	s.timeline(&b)
	requests := "requests"
	if s.Requests == 1 {
		requests = "request"
	}
	fmt.Fprintf(&b, "  at most %d %s an operation\n", s.Requests, requests)
	return b.String()
}

func (s *shownClass) timeline(b *strings.Builder) {
	row := func(cells ...string) {
		widths := [...]int{8, 20, 22, 25}
		for i, c := range cells {
			if i > 0 {
				b.WriteString("  ")
			} else {
				b.WriteString("  ")
			}
			b.WriteString(strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(c))) + c)
		}
		b.WriteString("\n")
	}
	wait := "longest wait before it"
	if s.scheduled {
		wait = "longest gap before it"
	}
	row("attempt", "server fails at once", "server never answers", wait)
	for _, t := range s.Timeline {
		number := strconv.Itoa(t.Attempt)
		if t.Late {
			number += " late"
		}
		row(number, t.AtOnce, orDash(t.Silent), orDash(t.Longest))
	}
	last := ""
	if s.Ends.PushedBack != "" {
		last = s.Ends.PushedBack + " when it asks for delays"
	}
	row("ends by", s.Ends.AtOnce, orDash(s.Ends.Silent), last)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

// values lists what the policy says, each with where it comes from.
func values(c *ir.Class, spec *engine.Spec) []shownValue {
	var out []shownValue
	add := func(name, value, from string) { out = append(out, shownValue{name, value, from}) }
	field := func(path, value string) { add(path, value, origin(c, path)) }

	if c.Written("effect") || c.Op.Kind != ir.HTTP {
		field("effect", c.Effect.String())
	} else {
		add("effect", c.Effect.String(), "from the method (RFC 9110)")
	}
	if c.Effect == ir.NonIdempotent && c.Written("duplicates") {
		field("duplicates", c.Duplicates.String())
	}
	if len(c.Aliases) > 0 {
		field("aliases", strings.Join(c.Aliases, ", "))
	}
	if c.Owner != "" {
		field("owner", c.Owner)
	}
	field("attempts", strconv.Itoa(c.Attempts))
	if c.AttemptTimeout > 0 {
		field("attemptTimeout", ir.FormatDuration(c.AttemptTimeout))
	} else {
		add("attemptTimeout", "none", "default")
	}
	deadline := "no start later than " + ir.FormatDuration(c.Deadline.Within) + ", " + c.Deadline.Mode.String()
	if c.Deadline.Mode == ir.Extend {
		deadline += " by at most " + ir.FormatDuration(c.Deadline.ExtendAtMost)
	}
	add("deadline", deadline, origins(c, "deadline", "mode"))
	if c.Timing != ir.Inline {
		field("timing", c.Timing.String())
	}
	if c.Timing == ir.ByScheduler {
		s := c.Scheduler
		add("scheduler", fmt.Sprintf("%s, backs off %s to %s, a grant every %s at least", s.Profile, ir.FormatDuration(s.MinBackoff), ir.FormatDuration(s.MaxBackoff), ir.FormatDuration(s.MaxGap)),
			origins(c, "scheduler", "profile", "minBackoff", "maxBackoff"))
	}
	if c.StartJitter > 0 {
		field("startJitter", ir.FormatDuration(c.StartJitter))
	}
	if c.Backoff.Base > 0 {
		add("backoff", fmt.Sprintf("%s jitter, base %s, factor %s, cap %s", c.Backoff.Jitter, ir.FormatDuration(c.Backoff.Base),
			strconv.FormatFloat(c.Backoff.Factor, 'g', -1, 64), ir.FormatDuration(c.Backoff.Cap)), origins(c, "backoff", "factor", "jitter"))
	}
	key, from := keyText(c), origins(c, "idempotency")
	if c.Idempotency.Source == ir.NoKey {
		from = origin(c, "idempotency.source")
	} else if c.Idempotency.Sent == ir.InHeader {
		from = origins(c, "idempotency", "header")
	}
	add("key", key, from)
	field("retryAfter", retryAfterText(c))
	if b := c.RetryBudget; b != nil {
		text := fmt.Sprintf("retries add at most %s%% to the load, %s a second always allowed", strconv.FormatFloat(b.Ratio*100, 'g', 4, 64), strconv.FormatFloat(b.Floor, 'g', -1, 64))
		if b.Name != "" {
			text = b.Name + ": " + text
		}
		field("retryBudget", text)
	}
	for _, p := range c.PerOutcome {
		field("perOutcome."+p.On, perOutcomeText(p))
	}
	for _, f := range []struct{ path, value string }{
		{"nested", c.Nested.String()}, {"audience", c.Audience.String()},
		{"whenOffline", c.WhenOffline.String()}, {"whenConstrained", c.WhenConstrained.String()},
	} {
		if c.Written(f.path) {
			field(f.path, f.value)
		}
	}
	if c.PayloadMax > 0 {
		field("payload.max", ir.FormatSize(c.PayloadMax))
	}
	for i, call := range c.Calls {
		field("calls."+strconv.Itoa(i), callText(call))
	}
	from = ""
	if c.Written("outcome") {
		from = place(c.Label("outcome")) + " and defaults"
	}
	add("outcomes", outcomesText(spec, false), from)
	if len(c.OutcomeAfterAmbiguous) > 0 {
		var parts []string
		for _, r := range c.OutcomeAfterAmbiguous {
			parts = append(parts, r.On+" "+r.Then.String())
		}
		add("once ambiguous", strings.Join(parts, " · "), place(c.Label("outcomeAfterAmbiguous")))
	}
	return out
}

// origin says where a field comes from.
func origin(c *ir.Class, path string) string {
	if !c.Written(path) {
		if path == "retryAfter" {
			return "default"
		}
		return "default"
	}
	from := place(c.Span(path))
	for _, r := range c.Related(path) {
		from += ", through " + place(r)
		break
	}
	return from
}

// origins says where a struct comes from, and which of its parts are defaults.
func origins(c *ir.Class, path string, parts ...string) string {
	if !c.Written(path) {
		return "default"
	}
	from := place(c.Label(path))
	var defaults []string
	for _, p := range parts {
		if !c.Written(path + "." + p) {
			defaults = append(defaults, p)
		}
	}
	switch n := len(defaults); n {
	case 0:
		return from
	case 1:
		return from + ", " + defaults[0] + " is the default"
	default:
		return from + ", " + strings.Join(defaults[:n-1], ", ") + " and " + defaults[n-1] + " are defaults"
	}
}

func keyText(c *ir.Class) string {
	k := c.Idempotency
	var text string
	switch k.Source {
	case ir.NoKey:
		return "none"
	case ir.KeyFromFields:
		text = "from " + strings.Join(k.Fields, ", ")
	case ir.KeyFromCaller:
		text = "from the caller"
	case ir.RandomKey:
		text = "random, one a call"
	}
	if k.Sent == ir.ByApp {
		text += ", sent by the app"
	} else if k.Header != "" {
		text += ", sent as " + k.Header
	}
	if k.Quote {
		text += " in quotes"
	}
	if k.KeptFor > 0 {
		text += ", kept " + ir.FormatDuration(k.KeptFor)
	}
	return text
}

func retryAfterText(c *ir.Class) string {
	switch c.RetryAfter.Mode {
	case ir.Stop:
		return "stop: over " + ir.FormatDuration(c.RetryAfter.Max) + " ends it"
	case ir.Clamp:
		return "clamp: cut to " + ir.FormatDuration(c.RetryAfter.Max)
	case ir.Ignore:
		return "ignore: not read"
	}
	return "override: obeyed up to the deadline"
}

func perOutcomeText(p ir.PerOutcome) string {
	var parts []string
	if p.Attempts > 0 {
		parts = append(parts, "attempts "+strconv.Itoa(p.Attempts))
	}
	if p.Base > 0 {
		parts = append(parts, "base "+ir.FormatDuration(p.Base))
	}
	if p.Cap > 0 {
		parts = append(parts, "cap "+ir.FormatDuration(p.Cap))
	}
	return strings.Join(parts, ", ")
}

func callText(c ir.Call) string {
	switch {
	case c.Class == "":
		return fmt.Sprintf("%s, which attempts %d times", c.Name, c.Attempts)
	case c.Remote:
		return c.Class + ", in another process"
	}
	return c.Class
}

// outcomesText sums up what ends an attempt in what: whole classes of codes
// where all of one mean the same, single codes otherwise.
func outcomesText(spec *engine.Spec, ambiguous bool) string {
	names := []string{"success", "retry", "refresh", "reread"}
	order := []engine.Outcome{engine.Success, engine.Retry, engine.Refresh, engine.Reread}
	all := append(engine.KnownConditions(spec.Kind), spec.Conditions...)
	for len(all) > 0 && all[0][0] == '1' { // interim answers are the client's business
		all = all[1:]
	}
	var parts []string
	for i, want := range order {
		var codes, words []string
		for j := 0; j < len(all); j++ {
			on := all[j]
			if len(on) == 3 && on[1:] == "00" {
				whole := true
				for k := j; k < j+100 && whole; k++ {
					whole = engine.EffectiveOutcome(spec, all[k], ambiguous) == want
				}
				if whole {
					codes = append(codes, on[:1]+"xx")
					j += 99
					continue
				}
			}
			if engine.EffectiveOutcome(spec, on, ambiguous) != want {
				continue
			}
			if on[0] >= '0' && on[0] <= '9' {
				codes = append(codes, on)
			} else {
				words = append(words, on)
			}
		}
		text := strings.Join(codes, " ")
		if len(words) > 0 {
			if text != "" {
				text += ", "
			}
			text += strings.Join(words, ", ")
		}
		if text != "" {
			parts = append(parts, names[i]+" "+text)
		}
	}
	return strings.Join(append(parts, "the rest ends"), " · ")
}
