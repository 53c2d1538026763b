package compiler

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/retryc/retryc/compiler/ir"
)

// Result is what became of one folder.
type Result struct {
	Folder   Folder
	Set      *ir.Set         // nil when it has mistakes
	Partial  *ir.Set         // the sound classes beside mistakes, nil when there are none
	Mistakes []ir.Diagnostic // errors that no waiver reaches, in order of place
	Warnings []ir.Diagnostic
	Sources  []ir.Source // the files read, also those of a set with mistakes
	Classes  int         // how many classes the set declares, those with mistakes too
	Fault    *Fault      // why there is no more than the folder; nil: there is

	name   string  // of the set, as far as it can be told
	clause ir.Span // where it is named
}

// Compile compiles folders to sets, in the order of folders. A mistake in one
// hides nothing of another, and neither does a failure. The error is not about
// policies: it is a *Fault, the first of those in the results, where this program
// or CUE failed.
func Compile(opt Options, folders []Folder) ([]Result, error) {
	return compileEach(folders, newTree(opt).compile)
}

func compileEach(folders []Folder, compile func(Folder) Result) ([]Result, error) {
	results := make([]Result, len(folders))
	each(len(folders), func(i int) {
		var err error
		if results[i], err = watched(folders[i], compile); err != nil {
			results[i] = Result{Folder: folders[i]}
			if !errors.As(err, &results[i].Fault) {
				panic(err)
			}
		}
	})
	sameNames(results)
	for i := range results {
		if results[i].Fault != nil {
			return results, results[i].Fault
		}
	}
	return results, nil
}

// each runs f for 0 to n-1, on as many goroutines as there are processors. A
// panic in one of them is one of the caller's.
func each(n int, f func(int)) {
	workers := min(n, runtime.GOMAXPROCS(0))
	if workers <= 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	faults := make([]error, workers)
	for w := range workers {
		wg.Go(func() {
			faults[w] = guard("", func() {
				for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
					f(i)
				}
			})
		})
	}
	wg.Wait()
	for _, err := range faults {
		if err != nil {
			panic(err)
		}
	}
}

// compile reads a folder as it says. Where that has mistakes, and text that CUE
// can read looks like another language, it is read as that as well: where that
// explains some of the mistakes, it is what was meant.
func (t *tree) compile(folder Folder) Result {
	u := t.load(folder, true)
	r := t.compileUnit(u)
	if len(r.Mistakes) == 0 || !slices.ContainsFunc(u.readable, func(s *source) bool { return len(habitsIn(u, s).found) > 0 }) {
		return r
	}
	meant := t.load(folder, false)
	other := t.compileUnit(meant)
	if unexplained := len(other.Mistakes) - (meant.habitual - u.habitual); unexplained < len(r.Mistakes) {
		return other
	}
	return r
}

func (t *tree) compileUnit(u *unit) Result {
	folder := u.folder
	set := &ir.Set{Name: u.name, Dir: folder.Dir}
	if len(u.files) > 0 {
		u.build(set)
	} else if len(u.mistakes) == 0 {
		entries, _ := t.list(u.dir)
		u.mistake(ir.Span{File: folder.Dir}, "no policy set here: %s", whyNone(t.lookedAt(u.dir, entries)))
	}
	for _, abs := range sorted(u.sources) {
		s := u.sources[abs]
		set.Sources = append(set.Sources, ir.Source{Name: s.name, Text: s.text})
	}
	sort.Slice(set.Sources, func(i, j int) bool { return set.Sources[i].Name < set.Sources[j].Name })
	r := Result{Folder: folder, Classes: u.classes, Mistakes: settle(u.mistakes), Warnings: settle(u.warnings), Sources: set.Sources, name: u.name, clause: u.clause()}
	for i := range r.Mistakes {
		r.Mistakes[i].Set = set.Name
	}
	for i := range r.Warnings {
		r.Warnings[i].Set = set.Name
	}
	switch {
	case len(r.Mistakes) == 0:
		r.Set = set
	case len(set.Classes) > 0:
		r.Partial = set
	}
	return r
}

// sameNames reports sets that share a package name: their rows, keys and
// generated packages could not be told apart.
func sameNames(results []Result) {
	first := map[string]*Result{}
	for i := range results {
		r := &results[i]
		if r.name == "" {
			continue
		}
		other := first[r.name]
		if other == nil {
			first[r.name] = r
			continue
		}
		d := ir.Diagnostic{
			Rule: ir.InvalidPolicy, Severity: ir.Error, Span: r.clause, Set: r.name,
			Message: fmt.Sprintf("a second set named %q: the first is in %s", r.name, other.Folder.Dir),
			Help:    []string{"package " + r.name + "2"},
			Related: []ir.Related{{Span: other.clause, Message: "the first one"}},
		}
		r.Mistakes = settle(pointers(append(r.Mistakes, d)))
		if r.Set != nil {
			r.Partial, r.Set = r.Set, nil
		}
	}
}

// clause is where the set is named.
func (u *unit) clause() ir.Span {
	for _, f := range u.files {
		if p := packageClause(f.syntax); p != nil && p.Name.Name == u.name {
			return u.sources.span(p.Name)
		}
	}
	return ir.Span{File: u.folder.Dir}
}

func pointers(list []ir.Diagnostic) []*ir.Diagnostic {
	out := make([]*ir.Diagnostic, len(list))
	for i := range list {
		out[i] = &list[i]
	}
	return out
}
