package diff

import (
	"strings"
	"time"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/bounds"
)

func lostWork(b, a *measure) Harm {
	var h harm
	h.add(opposite(movedTime(b.b.Outlasted, a.b.Outlasted)), "outlasts an outage of %s -> %s on average", short(b.b.Outlasted), short(a.b.Outlasted))
	if from, to := b.class.RetryAfter.Mode, a.class.RetryAfter.Mode; from != to && b.pushBackLoad() > 0 && a.pushBackLoad() > 0 {
		h.add(pushBackMoves[from][to].lost, "a server that asks for a delay: %s -> %s", pushBackText(b.class), pushBackText(a.class))
	} else if x, y := b.patience(), a.patience(); x != y {
		h.add(opposite(movedTime(x, y)), "waits for a server that asks for at most %s -> %s", short(x), short(y))
	}
	if x, y := b.class.Deadline.ExtendAtMost, a.class.Deadline.ExtendAtMost; x != y {
		h.add(opposite(movedTime(x, y)), "survives a deferral of %s -> %s", short(x), short(y))
	}
	if b.b.Grants != a.b.Grants && b.b.Grants > 0 && a.b.Grants > 0 {
		h.add(opposite(moved(float64(b.b.Grants), float64(a.b.Grants))), "attempts that the planned grants allow: %d -> %d", b.b.Grants, a.b.Grants)
	}
	if x, y := b.neverStarts(), a.neverStarts(); x != y {
		if y {
			h.add(Up, "may never start: it expires after %s, and a grant may be %s away", ir.FormatDuration(a.class.Deadline.Within), ir.FormatDuration(a.class.Scheduler.MaxGap))
		} else {
			h.add(Down, "a grant comes before it expires")
		}
	}
	if b.class.AttemptTimeout > 0 && a.class.AttemptTimeout > 0 {
		d := opposite(moved(float64(b.b.Silent.FitAverage), float64(a.b.Silent.FitAverage)))
		h.add(d, "attempts that fit when nothing answers: %d -> %d", b.b.Silent.FitAverage, a.b.Silent.FitAverage)
	}
	if gone, come := setDiff(b.endsAlike(a), a.endsAlike(b)); len(gone)+len(come) > 0 {
		h.add(countMove(come, gone), "ends at once: %s", movedNames(come, gone))
	}
	if gone, come := setDiff(b.hidden, a.hidden); len(gone)+len(come) > 0 {
		h.add(countMove(come, gone), "failures counted as success: %s", movedNames(come, gone))
	}
	for _, on := range limited(b, a) {
		n, m := b.after(on), a.after(on)
		h.add(opposite(movedTime(n.total, m.total)), "outlasts answers of %s for %s -> %s on average", on, short(n.total), short(m.total))
	}
	if x, y := b.once(), a.once(); x != y {
		h.add(boolMove(x, y), "an ambiguous failure ends it: %s -> %s", yes(x), yes(y))
	}
	if x, y := b.class.WhenConstrained == ir.DropConstrained, a.class.WhenConstrained == ir.DropConstrained; x != y {
		h.add(boolMove(x, y), "a constraint drops it: %s -> %s", yes(x), yes(y))
	}
	if x, y := throttling(b.class), throttling(a.class); x != y {
		h.add(moved(float64(x), float64(y)), "the retry budget can end it: %s -> %s", budgetText(b.class), budgetText(a.class))
	} else if x, y := b.class.RetryBudget, a.class.RetryBudget; x != nil && y != nil && a.class.Timing == ir.Inline {
		h.add(opposite(moved(x.Ratio, y.Ratio)), "the retry budget can end it: ratio %s -> %s", number(x.Ratio), number(y.Ratio))
		h.add(opposite(moved(x.Floor, y.Floor)), "the retry budget can end it: floor %s -> %s a second", number(x.Floor), number(y.Floor))
	}
	if d := offline(b, a); d != Same {
		h.add(d, "being offline costs attempts: %s -> %s", yes(b.class.WhenOffline == ir.CountOffline), yes(a.class.WhenOffline == ir.CountOffline))
	}
	if b.class.Timing != a.class.Timing {
		switch {
		case b.class.Timing == ir.Inline:
			h.add(Down, "survives a restart")
		case a.class.Timing == ir.Inline:
			h.add(Up, "rows under way are stranded: nobody leases them; drain first")
		}
	}
	if x, y := b.class.PayloadMax, a.class.PayloadMax; x != y && x > 0 && y > 0 {
		h.add(opposite(moved(float64(x), float64(y))), "refused above %s -> %s", ir.FormatSize(x), ir.FormatSize(y))
	}
	if removed := missing(b.class.Idempotency.Fields, a.class.Idempotency.Fields); len(removed) > 0 && a.class.Idempotency.Source == ir.KeyFromFields && !renamed(b.class.Idempotency.Fields, a.class.Idempotency.Fields) {
		h.add(Up, "operations that differ in %s alone become one", strings.Join(removed, ", "))
	}
	return h.result("outlasts an outage of " + short(a.b.Outlasted) + " on average, as before")
}

// patience is the longest delay of a server that the operation waits for.
func (m *measure) patience() time.Duration {
	if m.pushBackLoad() == 0 {
		return 0
	}
	switch m.class.RetryAfter.Mode {
	case ir.Override:
		return m.class.Deadline.Within
	case ir.Stop:
		return min(m.class.RetryAfter.Max, m.class.Deadline.Within)
	}
	return 0 // clamped and ignored delays are not waited for
}

func (m *measure) neverStarts() bool {
	c := m.class
	return c.Timing == ir.ByScheduler && c.Deadline.Mode == ir.Expire && bounds.Add(c.Scheduler.MaxGap, c.StartJitter) >= c.Deadline.Within
}

// once reports whether the engine refuses to repeat the operation after an
// ambiguous failure.
func (m *measure) once() bool {
	c := m.class
	return c.Attempts > 1 && c.Effect == ir.NonIdempotent && c.Idempotency.Source == ir.NoKey && c.Duplicates == ir.Refused
}

// throttling ranks what a budget does to an operation: inline it can end it.
func throttling(c *ir.Class) int {
	if c.RetryBudget == nil || c.Timing != ir.Inline || c.Attempts < 2 {
		return 0
	}
	return 1
}

func budgetText(c *ir.Class) string {
	if c.RetryBudget == nil {
		return "none"
	}
	return "ratio " + number(c.RetryBudget.Ratio)
}
