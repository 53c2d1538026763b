// Package lint says what is legal in a policy but unwise, with the numbers that
// show it. A rule is a value in a file of its own; its prose and its examples
// stand in the archive of the same name below rules/.
package lint

import "github.com/retryc/retryc/compiler/ir"

// Rule is one thing that policies are asked. It holds no state: findings go
// through the Pass.
type Rule struct {
	ID       string      // a phrase in kebab case: the archive's stem, the waiver's word, the anchor in docs/rules.md
	Harm     Harm        // the chapter of the catalogue
	Severity ir.Severity // of most findings; a finding can carry its own
	Worst    ir.Severity // the gravest severity of its findings; 0: Severity
	Final    bool        // can neither be waived nor lowered
	Title    string      // when it fires, as a phrase

	// Mended reports whether a class does what the finding about that field asked
	// for, once its fix is made and the finding gone. Nil: that it is gone is enough.
	Mended func(f *Facts, field string) bool

	// One is set; a rule about waivers may look at its sets as well, for what
	// stands beside the waivers. The checks of classes and sets see the sets that
	// are linted, those of the tree the sets that were read for their calls too;
	// those of waivers run when all others have.
	Class  func(*Pass, *Facts)
	Set    func(*Pass, *SetFacts)
	Tree   func(*Pass, *Tree)
	Waiver func(*Pass, *waiver)

	// Lowered is asked about lowered severities, by a rule about waivers.
	Lowered func(*Pass, *change)
}

// Harm is what a rule guards against.
type Harm string

// The chapters of the catalogue, in its order.
const (
	Safety         Harm = "Safety"
	Classification Harm = "Classification"
	Storm          Harm = "Storm"
	DeadlineHarm   Harm = "Deadline"
	PushBack       Harm = "Push-back"
	Deferred       Harm = "Deferred work"
	Hygiene        Harm = "Hygiene"
)

// Chapter is a kind of harm and what it is about.
type Chapter struct {
	Harm Harm
	What string
}

// Harms lists the chapters of the catalogue.
func Harms() []Chapter {
	return []Chapter{
		{Safety, "work is done twice, or its second try is taken for a new one"},
		{Classification, "a failure is repeated that cannot go away, or given up that would have"},
		{Storm, "clients together hold down the server that they wait for"},
		{DeadlineHarm, "attempts that come too late, or wait longer than anybody cares"},
		{PushBack, "what the server asks for is not done"},
		{Deferred, "work that a scheduler or a constraint never lets start"},
		{Hygiene, "policies that say less, or something else, than their readers think"},
	}
}

// worst is the gravest severity of the rule's findings.
func (r *Rule) worst() ir.Severity { return max(r.Severity, r.Worst) }

// URL is the page of a rule in the documentation.
func URL(id string) string {
	return "https://github.com/retryc/retryc/blob/main/docs/rules.md#" + id
}

// Find returns the rule of that id, or nil.
func Find(id string) *Rule { return byID[id] }

// byID and rank are filled by init: rules about waivers look up rules, which as
// an initializer would be a cycle.
var (
	byID map[string]*Rule
	rank map[string]int
)

func init() {
	byID, rank = make(map[string]*Rule, len(rules)), make(map[string]int, len(rules))
	for i, r := range rules {
		byID[r.ID], rank[r.ID] = r, i
	}
}

// Rules lists the catalogue in documentation order.
func Rules() []*Rule { return append([]*Rule(nil), rules...) }
