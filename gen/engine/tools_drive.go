package engine

import (
	"net/http"
	"time"
)

// State, Ending, Verdict and their parts are what a driver and the decision say
// to each other.
type (
	State    = state
	Ending   = ending
	Verdict  = verdict
	Next     = next
	Hook     = hook
	WaitsFor = waitsFor
)

// The constants of Next, Hook and WaitsFor.
const (
	NextStart   = nextStart
	NextWait    = nextWait
	NextSuspend = nextSuspend
	NextEnd     = nextEnd

	HookNone    = hookNone
	HookRefresh = hookRefresh
	HookReread  = hookReread

	WaitsForNothing     = waitsForNothing
	WaitsForNetwork     = waitsForNetwork
	WaitsForCredentials = waitsForCredentials
	WaitsForState       = waitsForState
	WaitsForConstraint  = waitsForConstraint
)

// RunningClass is a class made ready for a driver: the linter, the simulator.
// Instants are nanoseconds on the driver's clock, draws are uniform in [0, 1].
// State goes in and comes out; nothing else is remembered but the budget.
type RunningClass struct{ c *class }

// NewClass makes one class ready.
func NewClass(s *Spec) *RunningClass {
	return &RunningClass{&makeClasses([]spec{*s})[0]}
}

// NewClasses makes several ready. They share the budgets that have a name.
func NewClasses(specs []Spec) []*RunningClass {
	classes := makeClasses(specs)
	running := make([]*RunningClass, len(classes))
	for i := range classes {
		running[i] = &RunningClass{&classes[i]}
	}
	return running
}

// Spec returns the class's spec, which must not be changed.
func (r *RunningClass) Spec() *Spec { return r.c.spec }

// Call makes a call of the class: of its fields, of a caller's key, or of nothing,
// as the source of its key wants.
func (r *RunningClass) Call(values ...string) Call {
	switch {
	case r.c.spec.KeySource == keyFromFields:
		return r.c.callFields(values...)
	case r.c.spec.KeySource == keyFromCaller && len(values) > 0:
		return r.c.callKey(Key(values[0]))
	}
	return r.c.call()
}

// NewTransportOf is NewTransport for the classes of specs.
func NewTransportOf(specs []Spec, base http.RoundTripper, options ...*Options) http.RoundTripper {
	return newTransport(newRoutes(makeClasses(specs)), base, options)
}

// Begin is the state of a call made at now.
func (r *RunningClass) Begin(now int64) State { return r.c.begin(now) }

// Admit is the state of a row accepted at now.
func (r *RunningClass) Admit(now int64, draw float64) State { return r.c.admit(now, draw) }

// Start decides whether an attempt starts at now; with NextStart it is counted.
func (r *RunningClass) Start(s State, now int64, constrained bool) (State, Verdict) {
	v := r.c.start(&s, now, constrained)
	return s, v
}

// After decides what follows an attempt that ended in e.
func (r *RunningClass) After(s State, e Ending, now int64, draw float64) (State, Verdict) {
	v := r.c.after(&s, e, now, draw)
	return s, v
}

// Restored makes a call that waited for the network due again.
func (r *RunningClass) Restored(s State, now int64, draw float64) (State, Verdict) {
	v := r.c.restored(&s, now, draw)
	return s, v
}

// Wake makes a row that waited for an event due again.
func (r *RunningClass) Wake(s State, now int64, draw float64) State {
	r.c.wake(&s, now, draw)
	return s
}

// Release gives back an attempt that was counted and not started; false: it counts
// after all, for five were given back.
func (r *RunningClass) Release(s State) (State, bool) {
	ok := r.c.release(&s)
	return s, ok
}

// Ending is what an attempt ended in that was answered with, or failed in, on: a
// status, a code, a phase, a condition of the class, "offline", "crash", or ""
// for success without a code. It reports false for a word that the class cannot end
// in. Hooks are taken to be installed.
func (r *RunningClass) Ending(on string) (Ending, bool) {
	e := Ending{CanRefresh: true, CanReread: true}
	switch on {
	case "":
		return e, true
	case phaseNames[conditionOffline]:
		e.On = conditionOffline
		return e, true
	case phaseNames[conditionCrash]:
		e.On = conditionCrash
		return e, true
	}
	first, last, ok := conditionRange(r.c.spec.Conditions, on)
	if !ok || first != last {
		return e, false
	}
	e.On = first
	return e, true
}

// ConditionText is the word for what the last attempt of s ended in.
func (r *RunningClass) ConditionText(s State) string { return s.Condition.text(r.c.spec) }

// EffectiveDeadline is the instant at which attempts stop to start, deferral so
// far included.
func EffectiveDeadline(s State) int64 { return s.effectiveDeadline() }

// HasBudget reports whether retries of the class are bounded by a budget.
func (r *RunningClass) HasBudget() bool { return r.c.budget != nil }

// Deposit, Take and GiveBack drive the class's retry budget: on a first attempt,
// before the wait for a retry (false: refused), and after a retry that a working
// server answered. host matters for budgets per host.
func (r *RunningClass) Deposit(host string, now int64) {
	if r.c.budget != nil {
		r.c.budget.deposit(host, now)
	}
}

// Take is described at Deposit.
func (r *RunningClass) Take(host string, now int64) bool {
	return r.c.budget == nil || r.c.budget.take(host, now)
}

// GiveBack is described at Deposit.
func (r *RunningClass) GiveBack(host string, now int64) {
	if r.c.budget != nil {
		r.c.budget.giveBack(host, now)
	}
}

// Answered reports whether an attempt that ended in e shows a server that works.
func Answered(e Ending) bool { return e.On.answered() }

// Duration turns a span of a driver's clock into a duration.
func Duration(from, to int64) time.Duration { return time.Duration(to - from) }
