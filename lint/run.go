package lint

import (
	"cmp"
	"slices"
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
	all := make([]*SetFacts, len(sets))
	for i, s := range sets {
		all[i] = factsOf(s)
		all[i].Partial = opt.Partial != nil && opt.Partial(s)
	}
	slices.SortStableFunc(all, func(a, b *SetFacts) int {
		return cmp.Or(cmp.Compare(a.Dir, b.Dir), cmp.Compare(a.Name, b.Name))
	})
	ledger := newLedger(all, opt)
	var tree *Tree
	for _, r := range rules {
		p := &Pass{Today: opt.Today, rule: r}
		switch {
		case r.Class != nil:
			for _, s := range all {
				for _, f := range s.Classes {
					r.Class(p, f)
				}
			}
		case r.Set != nil:
			for _, s := range all {
				r.Set(p, s)
			}
		case r.Tree != nil:
			if tree == nil {
				tree = newTree(all, opt)
			}
			r.Tree(p, tree)
		}
		ledger.judge(p.found)
	}
	ledger.waivers(rules)
	return ledger.results()
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
