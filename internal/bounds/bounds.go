// Package bounds computes what a class can cost and how long it can take, from
// the engine's own schedule. The linter, the diff, `show` and the generated doc
// comments take their numbers from here, so that they cannot differ from each
// other or from what runs.
//
// Nothing here overflows: durations stay at the longest there is.
package bounds

import (
	"time"

	"github.com/retryc/retryc/gen/engine"
)

// Bounds is what follows from a class's schedule. Times count from the moment
// the operation was accepted.
type Bounds struct {
	// Attempts holds one entry for each attempt that the policy grants, the
	// first included, whether or not it fits before the deadline.
	Attempts []Attempt

	// Requests is the largest number of requests that one operation can make,
	// whatever its attempts end in.
	Requests int

	// AtOnce is how it goes when the server fails at once, Silent when it never
	// answers. Without an attempt timeout Silent is the zero Course: an attempt
	// may then take for ever.
	AtOnce, Silent Course

	// PushedBack is the latest end when the server asks for delays: they may
	// stretch to the deadline, and the last attempt may then take its timeout.
	// 0 where no delay is read or none can follow.
	PushedBack time.Duration

	// LastStart is the latest start that the deadline allows, deferral included.
	LastStart time.Duration

	// Grants is how many attempts fit when the scheduler grants one every
	// maxGap; 0 unless timing is scheduler.
	Grants int

	// Outlasted is the longest outage that the operation survives on average,
	// from its first attempt on, when each failure is immediate.
	Outlasted time.Duration

	// FirstMinute is the largest number of requests that one operation makes in
	// any 60 seconds of an outage, on average, when each failure is immediate.
	FirstMinute int

	// SameSecond is the share (0 to 1) of the clients that failed together and
	// are back within the same second before the last attempt; 0 where there
	// is no second one.
	SameSecond float64
}

// Attempt is the schedule of one attempt.
type Attempt struct {
	Number         int // from 1
	Wait           Span
	AtOnce, Silent Span    // its start, for the two servers
	SameSecond     float64 // as Bounds.SameSecond, for the wait before this attempt
}

// Span is one quantity with the draws at their average and at their longest.
type Span struct {
	Average, Longest time.Duration
}

// Course is one way that an operation can go, to its end.
type Course struct {
	// Fit counts the attempts that start before the deadline, with average
	// waits and with the longest ones.
	FitAverage, FitLongest int
	// End is when the last of them has ended.
	End Span
}

// Of computes the bounds of a class. It never panics for a spec that the
// compiler accepts.
func Of(s *engine.Spec) Bounds {
	b := Bounds{LastStart: Add(s.Within, s.ExtendAtMost)}
	b.Attempts = schedule(s)
	b.AtOnce = course(s.Within, b.Attempts, 0, func(a Attempt) Span { return a.AtOnce })
	if s.AttemptTimeout > 0 {
		b.Silent = course(s.Within, b.Attempts, s.AttemptTimeout, func(a Attempt) Span { return a.Silent })
	}
	b.Requests = requests(s)
	b.PushedBack = pushedBack(s, &b)
	if s.Timing == byScheduler {
		b.Grants = grants(s)
	}
	if n := b.AtOnce.FitAverage; n > 0 {
		b.Outlasted = b.Attempts[n-1].AtOnce.Average - b.Attempts[0].AtOnce.Average
	}
	b.FirstMinute = busiestMinute(b.Attempts[:b.AtOnce.FitAverage])
	if n := len(b.Attempts); n > 1 {
		b.SameSecond = b.Attempts[n-1].SameSecond
	}
	return b
}

// Worst is the latest end of all courses that end for certain: with the longest
// waits, and with a server's delays where they are obeyed.
func (b *Bounds) Worst() time.Duration {
	return max(b.AtOnce.End.Longest, b.Silent.End.Longest, b.PushedBack)
}

// course counts the attempts that start in time. The engine looks at the
// deadline before it waits, so an operation ends with its last attempt.
func course(within time.Duration, attempts []Attempt, takes time.Duration, start func(Attempt) Span) Course {
	var c Course
	for i, a := range attempts {
		at := start(a)
		// The first attempt starts whatever its jitter: it is what was asked for.
		if i == 0 || at.Average <= within {
			c.FitAverage, c.End.Average = i+1, Add(at.Average, takes)
		}
		if i == 0 || at.Longest <= within {
			c.FitLongest, c.End.Longest = i+1, Add(at.Longest, takes)
		}
	}
	return c
}

// pushedBack is the latest end under a server that asks for delays.
func pushedBack(s *engine.Spec, b *Bounds) time.Duration {
	if s.Attempts < 2 {
		return 0
	}
	switch s.RetryAfter {
	case ignore:
		return 0
	case stop, clamp:
		// Each wait grows by max at most.
		end := b.Attempts[len(b.Attempts)-1].Silent.Longest
		end = min(b.LastStart, Add(end, Times(s.RetryAfterMax, s.Attempts-1)))
		return Add(end, s.AttemptTimeout)
	}
	return Add(b.LastStart, s.AttemptTimeout)
}

// grants is one attempt, and one more for each whole gap before the last start.
func grants(s *engine.Spec) int {
	if s.MaxGap <= 0 {
		return s.Attempts
	}
	return int(min(int64(s.Attempts), 1+int64(Add(s.Within, s.ExtendAtMost)/s.MaxGap)))
}

func busiestMinute(attempts []Attempt) int {
	most := 0
	for first, last := 0, 0; last < len(attempts); last++ {
		for attempts[last].AtOnce.Average-attempts[first].AtOnce.Average >= time.Minute {
			first++
		}
		most = max(most, last-first+1)
	}
	return most
}
