package engine

import (
	"context"
	"time"
)

// class is a spec made ready: what every call of it shares. It is immutable but
// for its retry budget.
type class struct {
	spec       *spec
	rules      []rule // of spec.Outcomes, the most specific first
	afterAmbig []rule // of spec.AfterAmbiguous
	limits     []limit
	waits      curve
	budget     *budget
	plain      bool // a first attempt needs no timeout and no budget
	harmful    bool // a duplicate does harm, and only a key prevents it
	keyless    bool // no operation has a key

	// background is the scope of an attempt under context.Background without a
	// key, made once, so that such a call allocates nothing.
	background scope
}

// declared holds the classes of this package, for what finds a class by itself.
var declared []class

// newClasses makes the classes of the package.
func newClasses(specs []spec) []class {
	declared = makeClasses(specs)
	return declared
}

func makeClasses(specs []spec) []class {
	classes := make([]class, len(specs))
	shared := map[string]*budget{}
	for i := range specs {
		s := &specs[i]
		c := &classes[i]
		c.spec = s
		c.rules = compileRules(s, s.Outcomes)
		c.afterAmbig = compileRules(s, s.AfterAmbiguous)
		c.limits = compileLimits(s)
		c.waits = newCurve(s.Base, s.Factor, s.Cap, s.Attempts)
		c.harmful = s.Effect == effectNonIdempotent && !s.Tolerate
		c.keyless = s.KeySource == keyNone
		c.background = scope{Context: context.Background(), class: c, under: true, repeats: s.Attempts > 1}
		b := s.Budget
		c.plain = s.AttemptTimeout == 0 && s.Attempts > 0 && s.Within > 0 && b.Ratio == 0 && b.Floor == 0
		if b.Ratio == 0 && b.Floor == 0 {
			continue
		}
		if b.Name == "" {
			c.budget = newBudget(b)
			continue
		}
		if shared[b.Name] == nil {
			shared[b.Name] = newBudget(b)
		}
		c.budget = shared[b.Name]
	}
	return classes
}

// Class describes one operation class of this package.
type Class struct {
	Set       string        // the policy set, "payments"
	Name      string        // "charge"
	Operation string        // "POST api.payments.example/v1/charges", or the method or description
	Attempts  int           // the most attempts of one call, the first included
	Within    time.Duration // no attempt starts later than this after the call began
	Durable   bool          // deferred work, kept as a row
	Keyed     bool          // every attempt of a call carries the same idempotency key
}

func classInfos(classes []class) []Class {
	infos := make([]Class, len(classes))
	for i := range classes {
		s := classes[i].spec
		infos[i] = Class{
			Set: s.Set, Name: s.Name, Operation: s.Pattern,
			Attempts: s.Attempts, Within: s.Within,
			Durable: s.Timing != timingInline, Keyed: s.KeySource != keyNone,
		}
	}
	return infos
}
