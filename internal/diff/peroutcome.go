package diff

import (
	"sort"
	"time"

	"github.com/retryc/retryc/gen/engine"
	"github.com/retryc/retryc/internal/bounds"
)

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

// lostAnswer is a failure after which the server may have applied the attempt.
const lostAnswer = "connection"

// course is how an operation goes whose every attempt ends in the same.
type course struct {
	attempts     int
	first, total time.Duration // on average: the first wait, and all of them
}

func (m *measure) after(on string) course {
	p := course{attempts: engine.MaxAttempts(&m.spec, on)}
	if p.attempts > 1 {
		p.first = engine.Wait(&m.spec, 1, on, 0, 0.5)
	}
	var last time.Duration
	for n := 1; n < p.attempts; n++ {
		last = engine.Wait(&m.spec, n, on, last, 0.5)
		if next := bounds.Add(p.total, last); next <= m.class.Deadline.Within {
			p.total = next
			continue
		}
		p.attempts = n
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
