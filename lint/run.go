package lint

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/retryc/retryc/compiler/ir"
)

// Options of a run.
type Options struct {
	// Today is the day that waivers are compared with; only its date counts.
	Today time.Time

	// Others are sets that were read for their calls only: nothing is reported
	// about them.
	Others []*ir.Set

	// CallsUnknown says that not all sets of the tree could be read. What
	// depends on all of them is then left unsaid: missing targets of calls, and
	// waivers of rules about calls that seem unused.
	CallsUnknown bool

	// Partial tells the sets some of whose classes have mistakes and are not
	// there. What depends on a set being whole is then left unsaid. Nil: none.
	Partial func(*ir.Set) bool

	// Mistakes are those of the sets. Nothing is found at the places they are
	// about: what is said there is not sound.
	Mistakes []ir.Diagnostic
}

// Results is what a run has found.
type Results struct {
	Findings []ir.Diagnostic // that nobody accepts, by file and place
	Waived   []Waived        // accepted by a waiver, by file and place
	InForce  []InForce       // waivers that hold and severities lowered, by set, class and rule
	Mistakes []ir.Diagnostic // severities lowered without a reason: errors of the policy
}

// Waived is a finding that a waiver accepts.
type Waived struct {
	ir.Diagnostic
	Waiver ir.Waiver
}

// Run asks all rules about the sets. The sets are not changed, and the result
// does not depend on their order.
func Run(sets []*ir.Set, opt Options) Results { return run(sets, opt, rules) }

func run(sets []*ir.Set, opt Options, rules []*Rule) Results {
	sets = slices.Clone(sets)
	slices.SortStableFunc(sets, func(a, b *ir.Set) int {
		return cmp.Or(cmp.Compare(a.Dir, b.Dir), cmp.Compare(a.Name, b.Name))
	})
	all := make([]*SetFacts, len(sets))
	var work []stretch
	for i, s := range sets {
		all[i] = newFacts(s)
		all[i].Partial = opt.Partial != nil && opt.Partial(s)
		for from := 0; from < len(s.Classes); from += stretchLen {
			work = append(work, stretch{all[i], from, min(from+stretchLen, len(s.Classes))})
		}
	}
	// Class by class, so that what a class is stays near; then what needs whole
	// sets, then what needs all of them.
	found := parallel(len(work), opt, func(p *Pass, i int) {
		w := work[i]
		w.set.fill(w.from, w.to)
		for _, f := range w.set.Classes[w.from:w.to] {
			for _, r := range rules {
				if r.Class != nil {
					p.rule = r
					r.Class(p, f)
				}
			}
		}
	})
	found = append(found, parallel(len(all), opt, func(p *Pass, i int) {
		for _, r := range rules {
			if r.Set != nil {
				p.rule = r
				r.Set(p, all[i])
			}
		}
	})...)
	p := &Pass{Today: opt.Today}
	if anyCalls(all) {
		tree := newTree(all, opt)
		for _, r := range rules {
			if r.Tree != nil {
				p.rule = r
				r.Tree(p, tree)
			}
		}
	}
	ledger := newLedger(all, opt)
	n := len(p.found)
	for _, f := range found {
		n += len(f)
	}
	ledger.findings = make([]ir.Diagnostic, 0, n)
	for _, f := range append(found, p.found) {
		ledger.judge(sound(f, opt.Mistakes))
	}
	ledger.waivers(rules)
	return ledger.results()
}

// sound leaves out the findings that stand where a mistake does.
func sound(found, mistakes []ir.Diagnostic) []ir.Diagnostic {
	if len(mistakes) == 0 {
		return found
	}
	return slices.DeleteFunc(found, func(d ir.Diagnostic) bool {
		return slices.ContainsFunc(mistakes, func(m ir.Diagnostic) bool {
			return d.Span.File == m.Span.File && d.Span.Start.Offset < m.Span.End.Offset && m.Span.Start.Offset < d.Span.End.Offset
		})
	})
}

// anyCalls reports whether any class calls anything: if none does, the tree has
// nothing to tell.
func anyCalls(sets []*SetFacts) bool {
	return slices.ContainsFunc(sets, func(s *SetFacts) bool {
		return slices.ContainsFunc(s.Classes, func(f *Facts) bool { return len(f.Calls) > 0 })
	})
}

// stretch is a number of classes of a set that are looked at together.
type stretch struct {
	set      *SetFacts
	from, to int
}

// stretchLen keeps a large set from being one piece of work.
const stretchLen = 128

// workPanic carries what a piece of work panicked with to the caller's goroutine:
// there the panic can be recovered, with the stack on which it happened.
type workPanic struct {
	value any
	stack []byte
}

func (p *workPanic) Error() string { return fmt.Sprintf("%v\n%s", p.value, p.stack) }

// parallel runs pieces of work on all processors and returns what each has
// found, in the order of the pieces. Where one panics, so does parallel.
func parallel(pieces int, opt Options, work func(p *Pass, i int)) [][]ir.Diagnostic {
	found := make([][]ir.Diagnostic, pieces)
	var next atomic.Int64
	var failed atomic.Pointer[workPanic]
	var group sync.WaitGroup
	for range min(pieces, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					failed.CompareAndSwap(nil, &workPanic{v, debug.Stack()})
				}
			}()
			for {
				i := int(next.Add(1)) - 1
				if i >= pieces {
					return
				}
				p := &Pass{Today: opt.Today}
				work(p, i)
				found[i] = p.found
			}
		})
	}
	group.Wait()
	if p := failed.Load(); p != nil {
		panic(p)
	}
	return found
}

// order sorts by place, and findings of one place by the catalogue.
func order(a, b *ir.Diagnostic) int {
	return cmp.Or(
		cmp.Compare(a.Span.File, b.Span.File),
		cmp.Compare(a.Span.Start.Line, b.Span.Start.Line),
		cmp.Compare(a.Span.Start.Column, b.Span.Start.Column),
		cmp.Compare(rank[a.Rule], rank[b.Rule]),
		cmp.Compare(a.Set, b.Set), cmp.Compare(a.Class, b.Class), cmp.Compare(a.Message, b.Message),
	)
}
