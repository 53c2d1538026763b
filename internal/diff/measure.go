package diff

import (
	"fmt"
	"sync"
	"time"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen"
	"github.com/retryc/retryc/gen/engine"
	"github.com/retryc/retryc/internal/bounds"
)

// measure is everything that the four harms of a class are read from. It is taken
// of the class before and after, and of the class with one change alone.
type measure struct {
	class *ir.Class
	spec  engine.Spec
	b     bounds.Bounds

	requests int             // the most that one operation makes, along calls
	fleet    float64         // load of a fleet in a long outage, as a multiple of its operations
	step     int             // of duplicates, see steps
	ends     map[string]bool // failures that end the operation at once
	hidden   map[string]bool // failures that count as success
	waits    [3]bounds.Span  // to the end: the first attempt succeeds, the second, none
}

func measured(c *ir.Class, requests func(*ir.Class) int) *measure {
	m := &measure{class: c, spec: gen.Lower(c)}
	m.b = bounds.Of(&m.spec)
	m.requests = min(m.b.Requests, m.b.AtOnce.FitAverage)
	if requests != nil {
		// What the deadline leaves no room for is never made; what a durable class
		// repeats, it repeats whatever calls it.
		fits := *c
		fits.Attempts = m.requests
		if m.requests = requests(&fits); c.Timing != ir.Inline {
			m.requests *= fits.Attempts
		}
	}
	m.fleet = float64(m.b.Requests)
	if b := c.RetryBudget; b != nil {
		m.fleet = min(m.fleet, 1+b.Ratio)
	}
	m.ends, m.hidden = m.failures()
	m.step = m.duplicates()
	m.waits = m.times()
	return m
}

// conditions lists every answer and failure that the class can meet.
func (m *measure) conditions() []string {
	all := engine.KnownConditions(m.spec.Kind)
	out := make([]string, 0, len(all)+len(m.spec.Conditions))
	for _, on := range all {
		if on[0] != '1' { // interim answers are the client's business
			out = append(out, on)
		}
	}
	return append(out, m.spec.Conditions...)
}

// failures sorts what is no success by the protocol into what ends the operation
// at once and what is counted as success.
func (m *measure) failures() (ends, hidden map[string]bool) {
	ends, hidden = map[string]bool{}, map[string]bool{}
	table := outcomes(&m.spec, false)
	for _, on := range m.conditions() {
		switch {
		case on[0] == '2' || on[0] == '3' || on == "OK":
			if table[on] != engine.Success {
				ends[on] = true // done work that is reported as failed
			}
		case table[on] == engine.Success:
			hidden[on] = true
		case table[on] == engine.Terminal:
			ends[on] = true
		}
	}
	return ends, hidden
}

// The steps of duplicates, from harmless to open.
const (
	stepOnce      = 0 // cannot be applied twice
	stepTolerated = 1 // said to be harmless
	stepKeyed     = 2 // keyed, and the key is kept for as long as attempts can come
	stepClaimed   = 3 // the declared effect is better than the method gives
	stepForgotten = 4 // keyed, lifetime unknown or too short
)

var steps = [...]string{
	"cannot be applied twice", "duplicates are said to be harmless", "keyed for as long as attempts can come",
	"claimed to be repeatable", "keyed, and the server may have forgotten the key",
}

// unknownLifetime is how long a key is taken to be kept where nobody says: every
// known server keeps one for an hour.
const unknownLifetime = time.Hour

func (m *measure) duplicates() int {
	c := m.class
	if !m.repeatsAmbiguous() {
		return stepOnce
	}
	if c.Effect != ir.NonIdempotent {
		if m.claimed() {
			return stepClaimed
		}
		return stepOnce
	}
	switch c.Idempotency.Source {
	case ir.NoKey:
		if c.Duplicates == ir.Tolerated {
			return stepTolerated
		}
		return stepOnce // the engine does not repeat it
	case ir.RandomKey:
		return stepForgotten // a restart or a second tap draws another
	}
	kept := c.Idempotency.KeptFor
	if kept == 0 {
		kept = unknownLifetime
	}
	if kept < m.b.LastStart {
		return stepForgotten
	}
	return stepKeyed
}

// claimed reports whether the policy promises more than the HTTP method does.
func (m *measure) claimed() bool {
	if m.class.Op.Kind != ir.HTTP {
		return false
	}
	p, err := engine.ParsePattern(engine.KindHTTP, m.class.Op.Text)
	if err != nil {
		return false
	}
	given, known := engine.MethodEffect(p.Method())
	return known && engine.Effect(m.class.Effect) < given
}

// repeatsAmbiguous reports whether an attempt can follow one that may have been
// applied.
func (m *measure) repeatsAmbiguous() bool {
	if m.class.Attempts < 2 {
		return false
	}
	for on, then := range outcomes(&m.spec, false) {
		if (then == engine.Retry || then == engine.Reread || then == engine.Refresh) &&
			engine.Ambiguous(m.spec.Kind, on) && engine.MaxAttempts(&m.spec, on) > 1 {
			return true
		}
	}
	return false
}

// times are the average and the longest time to the end. Without an attempt
// timeout the longest is that of a server that fails at once.
func (m *measure) times() (t [3]bounds.Span) {
	timeout := m.class.AttemptTimeout
	first := m.b.Attempts[0]
	t[0] = bounds.Span{Average: first.AtOnce.Average, Longest: bounds.Add(first.AtOnce.Longest, timeout)}
	t[1] = t[0]
	if len(m.b.Attempts) > 1 && m.b.AtOnce.FitAverage > 1 {
		second := m.b.Attempts[1]
		t[1] = bounds.Span{Average: second.AtOnce.Average, Longest: bounds.Add(second.Silent.Longest, timeout)}
	}
	t[2] = bounds.Span{Average: m.b.AtOnce.End.Average, Longest: m.b.Worst()}
	return t
}

// outcomes is what each answer and failure means, after the defaults. Many
// classes share one table, and a table has hundreds of rows: it is made once.
func outcomes(s *engine.Spec, ambiguous bool) map[string]engine.Outcome {
	key := fmt.Sprintf("%d %v %v %v %v", s.Kind, s.Outcomes, s.AfterAmbiguous, s.Conditions, ambiguous)
	if table, ok := tables.Load(key); ok {
		return table.(map[string]engine.Outcome)
	}
	all := append(engine.KnownConditions(s.Kind), s.Conditions...)
	table := make(map[string]engine.Outcome, len(all))
	for _, on := range all {
		table[on] = engine.EffectiveOutcome(s, on, ambiguous)
	}
	tables.Store(key, table)
	return table
}

var tables sync.Map
