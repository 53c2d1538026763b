package lint

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen"
	"github.com/retryc/retryc/gen/engine"
	"github.com/retryc/retryc/internal/bounds"
)

// Facts is a class with what follows from it, computed once for all rules.
type Facts struct {
	*ir.Class
	Set    *ir.Set
	Spec   engine.Spec
	Bounds bounds.Bounds
}

// SetFacts is a set with the facts of its classes.
type SetFacts struct {
	*ir.Set
	Classes []*Facts // in the set's order
	Partial bool     // some of its classes have mistakes and are not here
}

// newFacts makes the facts of a set, which fill computes.
func newFacts(set *ir.Set) *SetFacts {
	return &SetFacts{Set: set, Classes: make([]*Facts, len(set.Classes))}
}

// fill computes the facts of some of a set's classes.
func (s *SetFacts) fill(from, to int) {
	all := make([]Facts, to-from)
	for i := range all {
		f := &all[i]
		f.Class, f.Set = &s.Set.Classes[from+i], s.Set
		f.Spec = gen.Lower(f.Class)
		f.Bounds = bounds.Of(&f.Spec)
		s.Classes[from+i] = f
	}
}

func factsOf(set *ir.Set) *SetFacts {
	s := newFacts(set)
	s.fill(0, len(set.Classes))
	return s
}

// bare are the facts of a class without its set and its bounds.
func bare(c *ir.Class) *Facts { return &Facts{Class: c, Spec: gen.Lower(c)} }

// repeats reports whether there is any attempt after the first.
func (f *Facts) repeats() bool { return f.Attempts > 1 }

// keyed reports whether the operation carries an idempotency key.
func (f *Facts) keyed() bool { return f.Idempotency.Source != ir.NoKey }

// durable reports whether the work is a row that outlives its process.
func (f *Facts) durable() bool { return f.Timing != ir.Inline }

// waits reports whether the engine computes waits for the class.
func (f *Facts) waits() bool { return f.repeats() && f.Timing != ir.ByScheduler }

// end is the latest start that the deadline allows, after the operation was
// accepted.
func (f *Facts) end() time.Duration { return bounds.Add(f.Deadline.Within, f.Deadline.ExtendAtMost) }

// outcome is what a code, phase or condition means for the first failure.
func (f *Facts) outcome(on string) ir.Outcome {
	return ir.Outcome(engine.EffectiveOutcome(&f.Spec, on, false))
}

// retried reports whether a code is followed by another attempt of the same
// request.
func (f *Facts) retried(on string) bool { return f.outcome(on) == ir.Retry && f.again(on) > 0 }

// again is how many attempts the policy asks for after the first when each ends
// in on; a perOutcome can end it sooner. That the engine repeats nothing unsafe
// without a key is another rule's matter: it is asked as if there were one.
func (f *Facts) again(on string) int {
	if !f.repeats() {
		return 0
	}
	s := f.Spec
	s.Tolerate = true
	return engine.MaxAttempts(&s, on) - 1
}

// without is what a code would mean if its own outcome were not written: what a
// class of codes says, or the engine.
func (f *Facts) without(on string) ir.Outcome {
	s := f.Spec
	s.Outcomes = slices.DeleteFunc(slices.Clone(s.Outcomes), func(r engine.OutcomeRule) bool { return r.On == on })
	return ir.Outcome(engine.EffectiveOutcome(&s, on, false))
}

// ends reports whether the code of an outcome field ends the operation.
func (f *Facts) ends(field string) bool {
	return f.outcome(strings.TrimPrefix(field, "outcome.")) == ir.Terminal
}

// giveUp words how a code comes to end the operation, and offers to write so:
// its outcome is taken out where that is enough.
func (f *Facts) giveUp(on string) (help string, fix *ir.Fix) {
	if f.without(on) == ir.Terminal {
		return "remove " + label(on), f.remove("outcome."+on, "stop retrying "+on)
	}
	return fmt.Sprintf("%s: \"terminal\"", label(on)), f.replace("outcome."+on, "\"terminal\"", "end the operation on "+on)
}

// written returns the rule that the author wrote for a key.
func (f *Facts) written(on string) (ir.Outcome, bool) {
	for _, r := range f.Outcome {
		if r.On == on {
			return r.Then, true
		}
	}
	return 0, false
}

// field is the path of the written outcome rule that decides about a status:
// its own or its class's.
func (f *Facts) field(on string) string {
	if _, ok := f.written(on); !ok && len(on) == 3 {
		return "outcome." + on[:1] + "xx"
	}
	return "outcome." + on
}

// throttles lists the answers with which a server of that kind says "later".
func throttles(k ir.Kind) []string {
	switch k {
	case ir.HTTP:
		return []string{"429", "503"}
	case ir.GRPC:
		return []string{"RESOURCE_EXHAUSTED"}
	}
	return nil
}

// perKind is the one that is for HTTP or for gRPC; a task has none.
func (f *Facts) perKind(http, grpc string) string {
	switch f.Op.Kind {
	case ir.HTTP:
		return http
	case ir.GRPC:
		return grpc
	}
	return ""
}

// throttleRetried returns the first such answer that is retried.
func (f *Facts) throttleRetried() (string, bool) {
	for _, on := range throttles(f.Op.Kind) {
		if f.retried(on) {
			return on, true
		}
	}
	return "", false
}

// method is the HTTP method of a pattern.
func (f *Facts) method() string {
	if f.Op.Kind != ir.HTTP {
		return ""
	}
	m, _, _ := strings.Cut(f.Op.Text, " ")
	return m
}

// path is the path of an HTTP pattern, from its first slash.
func (f *Facts) path() string {
	if i := strings.IndexByte(f.Op.Text, '/'); i >= 0 && f.Op.Kind == ir.HTTP {
		return f.Op.Text[i:]
	}
	return ""
}

// hostless reports whether an HTTP pattern matches any host.
func (f *Facts) hostless() bool {
	_, rest, _ := strings.Cut(f.Op.Text, " ")
	return f.Op.Kind == ir.HTTP && strings.HasPrefix(strings.TrimLeft(rest, " "), "/")
}

// what names the operation in a sentence.
func (f *Facts) what() string {
	switch f.Op.Kind {
	case ir.HTTP:
		return article(f.method())
	case ir.GRPC:
		return "a " + f.Effect.String() + " gRPC call"
	}
	return "a " + f.Effect.String() + " task"
}

func article(word string) string {
	if word != "" && strings.ContainsRune("AEIOU", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

// exampleKey guesses the name of a field that tells two operations apart, for
// help to paste: the last word of "cancel-order" gives order_id, that of "charge-3" charge_id.
func (f *Facts) exampleKey() string {
	words := strings.Split(f.Name, "-")
	for _, w := range slices.Backward(words) {
		if w != "" && w[0] >= 'a' && w[0] <= 'z' {
			return w + "_id"
		}
	}
	return "operation_id"
}

func (f *Facts) nameHas(words []string) (string, bool) {
	for _, w := range strings.Split(f.Name, "-") {
		if slices.Contains(words, w) {
			return w, true
		}
	}
	return "", false
}
