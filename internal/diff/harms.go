package diff

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen/engine"
	"github.com/retryc/retryc/internal/bounds"
)

// moved is where a quantity goes: a move of one part in a hundred or less is none.
func moved(before, after float64) Direction {
	switch {
	case after > before*1.01:
		return Up
	case after < before*0.99:
		return Down
	}
	return Same
}

func movedTime(before, after time.Duration) Direction {
	return moved(float64(before), float64(after))
}

// harm collects the quantities of one harm. If one rises and another falls, the
// harm is up, and both are shown.
type harm struct {
	up, down, unknown bool
	texts             []string
}

func (h *harm) add(d Direction, format string, args ...any) {
	switch d {
	case Up:
		h.up = true
	case Down:
		h.down = true
	case Unknown:
		h.unknown = true
	default:
		return
	}
	h.texts = append(h.texts, fmt.Sprintf(format, args...))
}

// result is the harm with its numbers; same says why nothing moved.
func (h *harm) result(same string) Harm {
	text := strings.Join(h.texts, "; ")
	switch {
	case h.up:
		return Harm{Up, text}
	case h.down:
		return Harm{Down, text}
	case h.unknown:
		return Harm{Unknown, text}
	}
	return Harm{Same, same}
}

func opposite(d Direction) Direction {
	switch d {
	case Up:
		return Down
	case Down:
		return Up
	}
	return d
}

// compare reads the four harms off the class before and after.
func compare(b, a *measure) Harms {
	return Harms{load(b, a), duplicates(b, a), lostWork(b, a), waiting(b, a)}
}

func load(b, a *measure) Harm {
	var h harm
	h.add(moved(float64(b.requests), float64(a.requests)), "at most %d -> %d requests an operation", b.requests, a.requests)
	h.add(moved(float64(b.b.FirstMinute), float64(a.b.FirstMinute)), "in the first minute of an outage %d -> %d", b.b.FirstMinute, a.b.FirstMinute)
	if b.class.AttemptTimeout > 0 && a.class.AttemptTimeout > 0 {
		d := moved(float64(b.b.Silent.FitAverage), float64(a.b.Silent.FitAverage))
		h.add(d, "attempts that fit when nothing answers: %d -> %d", b.b.Silent.FitAverage, a.b.Silent.FitAverage)
	}
	// More than twice the share, or less than half: small moves of a share are noise.
	switch x, y := b.b.SameSecond, a.b.SameSecond; {
	case x > 0 && y > 2*x:
		h.add(Up, "%s", cohort(x, y))
	case y > 0 && x > 2*y:
		h.add(Down, "%s", cohort(x, y))
	}
	if (b.class.RetryBudget != nil) != (a.class.RetryBudget != nil) || b.fleet != a.fleet {
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
	if x, y := b.pushBackLoad(), a.pushBackLoad(); x != y {
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
		h.add(opposite(movedTime(n.waits, m.waits)), "waits between attempts that end in %s: %s -> %s on average", on, short(n.waits), short(m.waits))
	}
	if d := outcomeLoad(b, a); d != Same && len(h.texts) == 0 {
		h.add(d, "%s", strings.Join(retriedChange(b, a), "; "))
	}
	return h.result(fmt.Sprintf("at most %d %s an operation", a.requests, plural(a.requests, "request")))
}

// constrained ranks what a constraint lets through.
var constrained = map[ir.WhenConstrained]int{ir.DropConstrained: 1, ir.DeferConstrained: 1, ir.RunConstrained: 2}

func cohort(x, y float64) string {
	return fmt.Sprintf("of clients that failed together, back in the same second before the last attempt: %s -> %s", percent(x), percent(y))
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

func pushBackText(c *ir.Class) string {
	switch c.RetryAfter.Mode {
	case ir.Stop:
		return "stop beyond " + ir.FormatDuration(c.RetryAfter.Max)
	case ir.Clamp:
		return "clamped to " + ir.FormatDuration(c.RetryAfter.Max)
	}
	return c.RetryAfter.Mode.String()
}

func duplicates(b, a *measure) Harm {
	var h harm
	if b.step != a.step {
		h.add(moved(float64(b.step), float64(a.step)), "%s -> %s", b.stepText(), a.stepText())
	}
	for _, once := range newKeys(b.class, a.class) {
		h.add(Up, "once: operations under way at the deploy %s", once)
	}
	if b.class.Idempotency.Source != ir.NoKey && a.class.Idempotency.Source != ir.NoKey && b.class.Idempotency.Sent != a.class.Idempotency.Sent {
		if a.class.Idempotency.Sent == ir.ByApp {
			h.add(Up, "the key is no longer sent until the app sends it")
		} else {
			h.add(Unknown, "the key may be sent twice while the app sends it too")
		}
	}
	return h.result(a.stepText())
}

func (m *measure) stepText() string {
	c := m.class
	text := steps[m.step]
	switch m.step {
	case stepOnce:
		switch {
		case c.Attempts < 2:
			return "one attempt"
		case c.Effect != ir.NonIdempotent:
			return c.Effect.String()
		case !m.repeatsAmbiguous():
			return "repeated only after failures that did nothing"
		}
	case stepKeyed, stepForgotten:
		kept := "kept for an unknown time"
		if c.Idempotency.KeptFor > 0 {
			kept = "kept " + ir.FormatDuration(c.Idempotency.KeptFor)
		}
		what := "keyed by " + strings.Join(c.Idempotency.Fields, ", ")
		switch c.Idempotency.Source {
		case ir.KeyFromCaller:
			what = "keyed by the caller"
		case ir.RandomKey:
			return "a random key: a restart makes another"
		}
		return fmt.Sprintf("%s; %s, attempts end after %s", what, kept, ir.FormatDuration(m.b.LastStart))
	}
	return text
}

func lostWork(b, a *measure) Harm {
	var h harm
	h.add(opposite(movedTime(b.b.Outlasted, a.b.Outlasted)), "outlasts an outage of %s -> %s on average", short(b.b.Outlasted), short(a.b.Outlasted))
	if x, y := b.patience(), a.patience(); x != y {
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
	if gone, come := setDiff(b.ends, a.ends); len(gone)+len(come) > 0 {
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
	// Clamped and ignored: it outlasts what its own waits outlast.
	return m.b.Outlasted
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

func waiting(b, a *measure) Harm {
	var h harm
	when := [3]string{"the first attempt succeeds", "the second succeeds", "all fail"}
	for i := range when {
		x, y := b.waits[i], a.waits[i]
		if d := movedTime(x.Average, y.Average); d != Same {
			h.add(d, "when %s: %s -> %s on average", when[i], short(x.Average), short(y.Average))
		}
		if d := movedTime(x.Longest, y.Longest); d != Same {
			h.add(d, "when %s: %s -> %s at the longest", when[i], short(x.Longest), short(y.Longest))
		}
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
	if x, y := b.patience(), a.patience(); x != y && b.class.RetryAfter.Mode != a.class.RetryAfter.Mode && len(h.texts) == 0 {
		h.add(movedTime(x, y), "a server that asks for a delay holds it for at most %s -> %s", short(x), short(y))
	}
	return h.result(fmt.Sprintf("ends after %s on average when all fail, as before", short(a.waits[2].Average)))
}

func constraintDelay(c *ir.Class) int {
	if c.WhenConstrained == ir.DeferConstrained {
		return 1
	}
	return 0
}

func setDiff(before, after map[string]bool) (gone, come []string) {
	for on := range before {
		if !after[on] {
			gone = append(gone, on)
		}
	}
	for on := range after {
		if !before[on] {
			come = append(come, on)
		}
	}
	sort.Strings(gone)
	sort.Strings(come)
	return gone, come
}

func countMove(come, gone []string) Direction {
	if len(come) > 0 {
		return Up
	}
	if len(gone) > 0 {
		return Down
	}
	return Same
}

func movedNames(come, gone []string) string {
	var parts []string
	if len(come) > 0 {
		parts = append(parts, "now "+fold(come))
	}
	if len(gone) > 0 {
		parts = append(parts, "no longer "+fold(gone))
	}
	return strings.Join(parts, ", ")
}

// fold names a few codes, and counts many.
func fold(codes []string) string {
	if len(codes) > 9 {
		return fmt.Sprintf("%s … %s (%d of them)", codes[0], codes[len(codes)-1], len(codes))
	}
	return strings.Join(codes, " ")
}

func boolMove(before, after bool) Direction {
	switch {
	case !before && after:
		return Up
	case before && !after:
		return Down
	}
	return Same
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func short(d time.Duration) string { return ir.FormatDuration(bounds.Round(d)) }

// outcomeLoad is where the load goes when answers that ended the operation are
// retried, or the other way round, and nothing else moves.
func outcomeLoad(b, a *measure) Direction {
	if b.class.Attempts < 2 && a.class.Attempts < 2 {
		return Same
	}
	up, down := false, false
	x, y := outcomes(&b.spec, false), outcomes(&a.spec, false)
	for on, before := range x {
		after, ok := y[on]
		if !ok || before == after {
			continue
		}
		switch r, s := sends[before], sends[after]; {
		case s > r:
			up = true
		case s < r:
			down = true
		}
	}
	switch {
	case up:
		return Up
	case down:
		return Down
	}
	return Same
}

// sends ranks outcomes by the requests that follow them.
var sends = map[engine.Outcome]int{engine.Success: 0, engine.Terminal: 0, engine.Refresh: 1, engine.Reread: 2, engine.Retry: 2}

// course is how an operation goes whose every attempt ends in the same.
type course struct {
	attempts     int
	waits, total time.Duration // on average: one wait, and all of them
}

func (m *measure) after(on string) course {
	p := course{attempts: engine.MaxAttempts(&m.spec, on)}
	var last time.Duration
	for n := 1; n < p.attempts; n++ {
		last = engine.Wait(&m.spec, n, on, last, 0.5)
		if next := bounds.Add(p.total, last); next <= m.class.Deadline.Within {
			p.total = next
			continue
		}
		p.attempts = n
	}
	if p.attempts > 1 {
		p.waits = p.total / time.Duration(p.attempts-1)
	}
	return p
}

// limited lists what perOutcome speaks of on either side.
func limited(b, a *measure) []string {
	seen := map[string]bool{}
	var all []string
	for _, s := range []*engine.Spec{&b.spec, &a.spec} {
		for _, l := range s.PerOutcome {
			if !seen[l.On] {
				seen[l.On] = true
				all = append(all, l.On)
			}
		}
	}
	sort.Strings(all)
	return all
}

func retriedChange(b, a *measure) []string {
	var texts []string
	x, y := outcomes(&b.spec, false), outcomes(&a.spec, false)
	var more, less []string
	for on, before := range x {
		after, ok := y[on]
		switch {
		case !ok || sends[before] == sends[after]:
		case sends[after] > sends[before]:
			more = append(more, on)
		default:
			less = append(less, on)
		}
	}
	sort.Strings(more)
	sort.Strings(less)
	if len(more) > 0 {
		texts = append(texts, "followed by another request: now "+fold(more))
	}
	if len(less) > 0 {
		texts = append(texts, "followed by another request: no longer "+fold(less))
	}
	return texts
}
