package engine

import (
	"slices"
	"strings"
	"time"
)

// The files that begin with tools are not emitted. They export what the compiler,
// the linter, the simulator and the generator ask of the engine, so that what is
// emitted keeps few exported names.

// Spec is a class as the engine runs it.
type Spec = spec

// OutcomeRule, OutcomeLimit and BudgetSpec are the parts of a Spec.
type (
	OutcomeRule  = outcomeRule
	OutcomeLimit = outcomeLimit
	BudgetSpec   = budgetSpec
)

// The enums of a Spec, in the order of their constants: the same order and
// words as the enums of package ir.
type (
	Kind            = kind
	Effect          = effect
	Timing          = timing
	Jitter          = jitter
	KeySource       = keySource
	KeySent         = keySent
	RetryAfterMode  = retryAfterMode
	Outcome         = outcome
	WhenConstrained = whenConstrained
)

// The constants of the enums.
const (
	KindHTTP = kindHTTP
	KindGRPC = kindGRPC
	KindTask = kindTask

	EffectSafe          = effectSafe
	EffectIdempotent    = effectIdempotent
	EffectNonIdempotent = effectNonIdempotent

	TimingInline    = timingInline
	TimingQueue     = timingQueue
	TimingScheduler = timingScheduler

	JitterFull         = jitterFull
	JitterEqual        = jitterEqual
	JitterDecorrelated = jitterDecorrelated
	JitterNone         = jitterNone

	KeyNone       = keyNone
	KeyFromCaller = keyFromCaller
	KeyFromFields = keyFromFields
	KeyRandom     = keyRandom

	SentInHeader = sentInHeader
	SentByApp    = sentByApp

	RetryAfterOverride = retryAfterOverride
	RetryAfterStop     = retryAfterStop
	RetryAfterClamp    = retryAfterClamp
	RetryAfterIgnore   = retryAfterIgnore

	Success  = success
	Retry    = retryable
	Terminal = terminal
	Refresh  = refresh
	Reread   = reread

	RunConstrained   = runConstrained
	DeferConstrained = deferConstrained
	DropConstrained  = dropConstrained
)

// Wait is the wait that the engine makes after attempt n (from 1) that ended in on
// ("": nothing that the policy singles out). last is the wait before it, for
// decorrelated jitter. draw is uniform in [0, 1]: 0.5 gives the average, 1 the
// ceiling. A class with timing scheduler waits for nothing of its own.
func Wait(s *Spec, n int, on string, last time.Duration, draw float64) time.Duration {
	if s.Timing == timingScheduler {
		return 0
	}
	base, ceil := s.Base, s.Cap
	if l := s.perOutcome(on); l != nil && (l.Base > 0 || l.Cap > 0) {
		base, ceil = s.perOutcomeWaits(*l)
	}
	one := curve{base: base, cap: ceil, ceilings: []time.Duration{ceiling(base, s.Factor, ceil, n)}}
	return one.wait(s.Jitter, n, last, draw)
}

// perOutcome returns the limit that is nearest to on, or nil.
func (s *spec) perOutcome(on string) *outcomeLimit {
	if on == "" || len(s.PerOutcome) == 0 {
		return nil
	}
	first, last, ok := conditionRange(s.Conditions, on)
	if !ok {
		return nil
	}
	var nearest *outcomeLimit
	width := 1 << 16
	for i := range s.PerOutcome {
		f, l, ok := conditionRange(s.Conditions, s.PerOutcome[i].On)
		if ok && f <= first && last <= l && int(l-f) < width {
			nearest, width = &s.PerOutcome[i], int(l-f)
		}
	}
	return nearest
}

// EffectiveOutcome is what an attempt that ended in on means, after the
// defaults, the most specific rule first. maybeApplied: an attempt before it may
// have been applied. For a class of codes ("5xx") it is what the class's own rule or the
// default of its first code says.
func EffectiveOutcome(s *Spec, on string, maybeApplied bool) Outcome {
	first, last, ok := conditionRange(s.Conditions, on)
	if !ok {
		return terminal
	}
	c := class{spec: s, rules: compileRules(s, s.Outcomes), afterAmbig: compileRules(s, s.AfterAmbiguous)}
	if first != last {
		wider := func(r rule) bool { return r.first > first || r.last < last }
		c.rules = slices.DeleteFunc(c.rules, wider)
		c.afterAmbig = slices.DeleteFunc(c.afterAmbig, wider)
	}
	return c.outcome(first, maybeApplied, false)
}

// KnownConditions lists the codes and phases that mean something for a kind, in
// the order of the language reference: what an outcome key can be beside a class
// of codes and the class's own conditions.
func KnownConditions(k Kind) []string {
	var all []string
	if k != kindGRPC {
		for c := condition(100); c <= 599; c++ {
			all = append(all, c.text(nil))
		}
	}
	if k != kindHTTP {
		all = append(all, grpcNames[:]...)
	}
	return append(all, phaseNames[conditionUnsent:conditionOffline]...)
}

// ValidCondition reports whether on can be an outcome key of a kind: a status
// ("503") or a class of them ("5xx") of http, a code ("UNAVAILABLE") of grpc,
// either of task, whose app may name both, and a phase ("timeout") of all. A
// class's own conditions are not looked at.
func ValidCondition(k Kind, on string) bool {
	first, _, ok := conditionRange(nil, on)
	switch {
	case !ok:
		return false
	case first.isHTTP():
		return k != kindGRPC
	case first.isGRPC():
		return k != kindHTTP
	}
	return true
}

// Reserved reports whether on is a word of the engine's own for how an attempt
// ends: a phase, "offline", "crash". A class's condition cannot be called that.
func Reserved(on string) bool { return on != "" && slices.Contains(phaseNames[:], on) }

// Ambiguous reports whether the server may have applied an attempt that failed in
// on. A condition of the app's own is ambiguous, for nobody says that it is not.
func Ambiguous(k Kind, on string) bool {
	first, last, ok := conditionRange(nil, on)
	if !ok {
		return true
	}
	for c := first; c <= last; c++ {
		if c.ambiguous() {
			return true
		}
	}
	return false
}

// MaxAttempts is how many attempts an operation makes when each ends in on, hooks
// installed and time enough: 1 where on ends it.
func MaxAttempts(s *Spec, on string) int {
	first, _, ok := conditionRange(s.Conditions, on)
	if !ok {
		return min(1, s.Attempts)
	}
	r := NewClass(s)
	unhurried := *s
	unhurried.Within = 1 << 62
	r.c.spec = &unhurried
	st := r.c.begin(0)
	now := int64(0)
	for {
		if v := r.c.start(&st, now, false); v.Next != nextStart {
			return int(st.Attempts)
		}
		v := r.c.after(&st, ending{On: first, CanRefresh: true, CanReread: true}, now, 0)
		if v.Next == nextEnd {
			return int(st.Attempts)
		}
		now = v.At
	}
}

// MethodEffect is what repeating a request of method does: RFC 9110, section 9.2,
// and QUERY of RFC 10008. It reports false for a method that neither knows.
func MethodEffect(method string) (Effect, bool) {
	switch method {
	case "GET", "HEAD", "OPTIONS", "TRACE", "QUERY":
		return effectSafe, true
	case "PUT", "DELETE":
		return effectIdempotent, true
	case "POST", "PATCH", "CONNECT":
		return effectNonIdempotent, true
	}
	return effectNonIdempotent, false
}

// DeriveKey is the key of an operation whose class has source fields. keyName is
// the class's first name.
func DeriveKey(keyName string, values ...string) string { return deriveKey(keyName, values...) }

// SharedBudget reports whether two classes draw on one retry budget.
func SharedBudget(a, b *Spec) bool { return a.Budget.Name != "" && a.Budget.Name == b.Budget.Name }

// isGRPCName reports whether s may be a part of a gRPC method's name.
func isGRPCName(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if !isName(part) {
			return false
		}
	}
	return s != ""
}
