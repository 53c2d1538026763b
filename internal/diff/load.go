package diff

import (
	"fmt"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen/engine"
)

func load(b, a *measure) Harm {
	var h harm
	h.add(moved(float64(b.requests), float64(a.requests)), "at most %d -> %d requests an operation", b.requests, a.requests)
	h.add(moved(float64(b.b.FirstMinute), float64(a.b.FirstMinute)), "in the first minute of an outage %d -> %d", b.b.FirstMinute, a.b.FirstMinute)
	if b.once() != a.once() {
		n, m := b.after(lostAnswer), a.after(lostAnswer)
		h.add(moved(float64(n.attempts), float64(m.attempts)), "requests when answers are lost or fail: at most %d -> %d", n.attempts, m.attempts)
	}
	if b.class.AttemptTimeout > 0 && a.class.AttemptTimeout > 0 {
		d := moved(float64(b.b.Silent.FitAverage), float64(a.b.Silent.FitAverage))
		h.add(d, "attempts that fit when nothing answers: %d -> %d", b.b.Silent.FitAverage, a.b.Silent.FitAverage)
	}
	// More than twice the share, or less than half: small moves of a share are noise.
	switch x, y, n := sameSecond(b, a); {
	case x > 0 && y > 2.02*x:
		h.add(Up, "%s", cohort(n, x, y))
	case y > 0 && x > 2.02*y:
		h.add(Down, "%s", cohort(n, x, y))
	}
	if b.class.RetryBudget != nil || a.class.RetryBudget != nil {
		h.add(moved(b.fleet, a.fleet), "the load of a fleet in a long outage: %s -> %s times", number(b.fleet), number(a.fleet))
	}
	if x, y := b.class.RetryBudget, a.class.RetryBudget; x != nil && y != nil {
		h.add(moved(x.Floor, y.Floor), "retries always allowed: %s -> %s a second", number(x.Floor), number(y.Floor))
		if x.PerHost != y.PerHost {
			h.add(Unknown, "the share depends on who else draws on the budget")
		}
	}
	if x, y := constrained[b.class.WhenConstrained], constrained[a.class.WhenConstrained]; x != y {
		h.add(moved(float64(x), float64(y)), "attempts under a constraint: %s -> %s", b.class.WhenConstrained, a.class.WhenConstrained)
	}
	if d := offline(b, a); d != Same {
		h.add(d, "attempts that cannot arrive while offline: %s -> %s", b.class.WhenOffline, a.class.WhenOffline)
	}
	if x, y := b.pushBackLoad(), a.pushBackLoad(); x > 0 && y > 0 && x != y {
		h.add(moved(float64(x), float64(y)), "a server that asks for a delay: %s -> %s", pushBackText(b.class), pushBackText(a.class))
	} else if b.class.RetryAfter.Mode == ir.Clamp && a.class.RetryAfter.Mode == ir.Clamp && x > 0 {
		d := opposite(movedTime(b.class.RetryAfter.Max, a.class.RetryAfter.Max))
		h.add(d, "a server that asks for a delay: %s -> %s", pushBackText(b.class), pushBackText(a.class))
	}
	if x, y := int64(b.class.Attempts)*b.class.PayloadMax, int64(a.class.Attempts)*a.class.PayloadMax; x > 0 && y > 0 && x != y && b.class.PayloadMax != a.class.PayloadMax {
		h.add(Unknown, "at most %s -> %s over all attempts", ir.FormatSize(x), ir.FormatSize(y))
	}
	for _, on := range limited(b, a) {
		n, m := b.after(on), a.after(on)
		h.add(moved(float64(n.attempts), float64(m.attempts)), "at most %d -> %d attempts after %s", n.attempts, m.attempts, on)
		h.add(opposite(movedTime(n.first, m.first)), "the first wait after %s: %s -> %s on average", on, short(n.first), short(m.first))
	}
	if d := outcomeLoad(b, a); d != Same && len(h.texts) == 0 {
		h.add(d, "%s", strings.Join(retriedChange(b, a), "; "))
	}
	return h.result(fmt.Sprintf("at most %d %s an operation", a.requests, plural(a.requests, "request")))
}

// constrained ranks what a constraint lets through.
var constrained = map[ir.WhenConstrained]int{ir.DropConstrained: 1, ir.DeferConstrained: 1, ir.RunConstrained: 2}

// sameSecond is the share of a cohort that is back in the same second for the last
// attempt that both policies reach: later attempts are spread more by themselves.
func sameSecond(b, a *measure) (before, after float64, attempt int) {
	n := min(b.b.AtOnce.FitAverage, a.b.AtOnce.FitAverage)
	// A platform's moments are its own: they cannot be compared with drawn ones.
	if n < 2 || (b.class.Timing == ir.ByScheduler) != (a.class.Timing == ir.ByScheduler) {
		return 0, 0, 0
	}
	return b.b.Attempts[n-1].SameSecond, a.b.Attempts[n-1].SameSecond, n
}

func cohort(attempt int, x, y float64) string {
	return fmt.Sprintf("of clients that failed together, back in the same second for attempt %d: %s -> %s", attempt, percent(x), percent(y))
}

func percent(f float64) string {
	if f > 0 && f < 0.01 {
		return "under 1%"
	}
	return fmt.Sprintf("%.0f%%", f*100)
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

func offline(b, a *measure) Direction {
	switch {
	case b.class.WhenOffline == a.class.WhenOffline || a.class.Attempts < 2:
		return Same
	case a.class.WhenOffline == ir.CountOffline:
		return Up
	}
	return Down
}

// pushBackLoad ranks how much a server gets that asks for a delay: none is read
// where nothing is repeated; a stopped operation sends nothing more; an obeyed
// delay sends what the server is willing to take; a clamped one sends too early, an
// ignored one earliest.
func (m *measure) pushBackLoad() int {
	if m.class.Attempts < 2 || !m.throttleRetried() {
		return 0
	}
	return map[ir.RetryAfterMode]int{ir.Stop: 1, ir.Override: 2, ir.Clamp: 3, ir.Ignore: 4}[m.class.RetryAfter.Mode]
}

// throttleRetried reports whether an answer that can carry a delay is retried.
func (m *measure) throttleRetried() bool {
	table := outcomes(&m.spec, false)
	for _, on := range []string{"429", "503", "RESOURCE_EXHAUSTED", "UNAVAILABLE"} {
		if then, ok := table[on]; ok && then == engine.Retry {
			return true
		}
	}
	return m.class.Op.Kind != ir.HTTP // gRPC push-back, and facts of a task's app
}

// pushBackMoves is where lost work and waiting go when a server's delay means
// something else. A stopped operation ends at once; an obeyed one waits; a clamped one
// asks again and may spend its attempts before the server is willing, which depends
// on the delay; an ignored one spends them soonest.
var pushBackMoves = map[ir.RetryAfterMode]map[ir.RetryAfterMode]struct{ lost, waiting Direction }{
	ir.Override: {ir.Stop: {Up, Down}, ir.Clamp: {Unknown, Down}, ir.Ignore: {Up, Down}},
	ir.Stop:     {ir.Override: {Down, Up}, ir.Clamp: {Down, Up}, ir.Ignore: {Unknown, Unknown}},
	ir.Clamp:    {ir.Override: {Unknown, Up}, ir.Stop: {Up, Down}, ir.Ignore: {Up, Down}},
	ir.Ignore:   {ir.Override: {Down, Up}, ir.Stop: {Unknown, Unknown}, ir.Clamp: {Down, Up}},
}

func pushBackText(c *ir.Class) string {
	switch c.RetryAfter.Mode {
	case ir.Stop:
		return "stop beyond " + ir.FormatDuration(c.RetryAfter.Max)
	case ir.Clamp:
		return "clamped to " + ir.FormatDuration(c.RetryAfter.Max)
	}
	return c.RetryAfter.Mode.String()
}
