package diff

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

func waiting(b, a *measure) Harm {
	var h harm
	if from, to := b.class.RetryAfter.Mode, a.class.RetryAfter.Mode; from != to && b.pushBackLoad() > 0 && a.pushBackLoad() > 0 {
		h.add(pushBackMoves[from][to].waiting, "a server that asks for a delay: %s -> %s", pushBackText(b.class), pushBackText(a.class))
		return h.result("")
	}
	when := [3]string{"the first attempt succeeds", "the second succeeds", "all fail"}
	for i := range when {
		x, y := b.waits[i], a.waits[i]
		if d := movedTime(x.Average, y.Average); d != Same {
			h.add(d, "when %s: %s -> %s on average", when[i], short(x.Average), short(y.Average))
		}
		// Without a timeout the longest is not known.
		if d := movedTime(x.Longest, y.Longest); d != Same && (b.class.AttemptTimeout == 0) == (a.class.AttemptTimeout == 0) {
			h.add(d, "when %s: %s -> %s at the longest", when[i], short(x.Longest), short(y.Longest))
		}
	}
	if b.once() != a.once() {
		n, m := b.after(lostAnswer), a.after(lostAnswer)
		h.add(movedTime(n.total, m.total), "when all answers are lost: %s -> %s on average", short(n.total), short(m.total))
	}
	for _, on := range limited(b, a) {
		n, m := b.after(on), a.after(on)
		h.add(movedTime(n.total, m.total), "when all end in %s: %s -> %s on average", on, short(n.total), short(m.total))
	}
	if (b.class.AttemptTimeout == 0) != (a.class.AttemptTimeout == 0) {
		if a.class.AttemptTimeout == 0 {
			h.add(Up, "an attempt may take for ever")
		} else {
			h.add(Down, "an attempt no longer takes for ever: %s at most", ir.FormatDuration(a.class.AttemptTimeout))
		}
	}
	if (b.class.Timing == ir.Inline) != (a.class.Timing == ir.Inline) {
		if b.class.Timing == ir.Inline {
			h.add(Up, "the caller no longer gets the result")
		} else {
			h.add(Down, "the caller gets the result")
		}
	}
	if x, y := constraintDelay(b.class), constraintDelay(a.class); x != y {
		h.add(moved(float64(x), float64(y)), "waits while a constraint holds: %s -> %s", b.class.WhenConstrained, a.class.WhenConstrained)
	}
	if d := offline(b, a); d != Same {
		h.add(opposite(d), "waits for the network: %s -> %s", yes(b.class.WhenOffline == ir.SuspendOffline), yes(a.class.WhenOffline == ir.SuspendOffline))
	}
	if x, y := b.class.RetryBudget, a.class.RetryBudget; (x == nil) != (y == nil) && a.class.Attempts > 1 {
		d := Down // inline a refusal ends the call
		if a.class.Timing != ir.Inline {
			d = Up // a row is delayed
		}
		if y == nil {
			d = opposite(d)
		}
		h.add(d, "what the retry budget refuses: %s -> %s", budgetText(b.class), budgetText(a.class))
	}
	return h.result(fmt.Sprintf("ends after %s on average when all fail, as before", short(a.waits[2].Average)))
}

func constraintDelay(c *ir.Class) int {
	if c.WhenConstrained == ir.DeferConstrained {
		return 1
	}
	return 0
}
