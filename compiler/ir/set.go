package ir

import "time"

// Set is one policy set: one folder with one CUE package.
type Set struct {
	Name    string       // the CUE package, "payments"
	Dir     string       // the folder as shown to people: relative, forward slashes
	Go      GoTarget     // where the generated package goes
	Budgets []Budget     // shared retry budgets, by name
	Classes []Class      // by name
	Lint    []RuleChange // severities this set changes, by rule
	Waive   []Waiver     // waivers for all classes of the set, by rule
	Sources []Source     // the files of the set, by name

	Spans SpanTable // places of the set-level fields: "go.package", "waive.<rule>"
}

// GoTarget says where the generated package goes.
type GoTarget struct {
	Package string // the Go package name, default "<set>retry"
	Dir     string // folder below the set's, forward slashes, default the package name
}

// Budget bounds retries to a share of the load.
type Budget struct {
	Name    string  // the shared budget's name; empty for a class's own
	Ratio   float64 // retries per first attempt, 0 to 1
	Floor   float64 // retries per second that are always allowed
	PerHost bool    // one budget a host instead of one a class
}

// RuleChange is a severity that a set gives to a rule.
type RuleChange struct {
	Rule     string
	Severity Severity
	Reason   string // required where the severity is lowered
}

// Waiver accepts the findings of one rule.
type Waiver struct {
	Rule   string
	Reason string
	Until  time.Time // first day on which it no longer holds, UTC; zero: no end
}

// Source is the text of one file of a set, kept for carets and fixes.
type Source struct {
	Name string // as in Span.File
	Text []byte
}

// Class returns the class of that name, or nil.
func (s *Set) Class(name string) *Class {
	for i := range s.Classes {
		if s.Classes[i].Name == name {
			return &s.Classes[i]
		}
	}
	return nil
}

// Source returns the text of a file of the set, or nil.
func (s *Set) Source(name string) []byte {
	for i := range s.Sources {
		if s.Sources[i].Name == name {
			return s.Sources[i].Text
		}
	}
	return nil
}
