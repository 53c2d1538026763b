package compiler

import (
	"fmt"
	"runtime"
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
}

// Compile compiles folders to sets, in the order of folders. A mistake in one
// hides nothing of another. The error is not about policies: it is a *Fault,
// where this program or CUE failed.
func Compile(opt Options, folders []Folder) ([]Result, error) {
	t := newTree(opt)
	results := make([]Result, len(folders))
	faults := make([]error, len(folders))
	each(len(folders), func(i int) {
		results[i], faults[i] = watched(folders[i], t.compile)
	})
	for _, err := range faults {
		if err != nil {
			return nil, err
		}
	}
	sameNames(results)
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

func (t *tree) compile(folder Folder) Result {
	u := t.load(folder)
	set := &ir.Set{Name: u.name, Dir: folder.Dir}
	if len(u.files) > 0 {
		u.build(set)
	} else if len(u.mistakes) == 0 {
		u.mistake(ir.Span{File: folder.Dir}, "no policy set here: no CUE file with a field class")
	}
	for _, abs := range sorted(u.sources) {
		s := u.sources[abs]
		set.Sources = append(set.Sources, ir.Source{Name: s.name, Text: s.text})
	}
	sort.Slice(set.Sources, func(i, j int) bool { return set.Sources[i].Name < set.Sources[j].Name })
	r := Result{Folder: folder, Classes: u.classes, Mistakes: settle(u.mistakes), Warnings: settle(u.warnings), Sources: set.Sources}
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
	first := map[string]int{}
	for i := range results {
		set := results[i].Set
		if set == nil {
			set = results[i].Partial
		}
		if set == nil || set.Name == "" {
			continue
		}
		j, seen := first[set.Name]
		if !seen {
			first[set.Name] = i
			continue
		}
		other := results[j].Set
		if other == nil {
			other = results[j].Partial
		}
		d := ir.Diagnostic{
			Rule: ir.InvalidPolicy, Severity: ir.Error, Span: set.Spans.Self.Label, Set: set.Name,
			Message: fmt.Sprintf("a second set named %q: the first is in %s", set.Name, other.Dir),
			Help:    []string{"package " + set.Name + "2"},
			Related: []ir.Related{{Span: other.Spans.Self.Label, Message: "the first one"}},
		}
		r := &results[i]
		r.Mistakes = settle(pointers(append(r.Mistakes, d)))
		if r.Set != nil {
			r.Partial, r.Set = r.Set, nil
		}
	}
}

func pointers(list []ir.Diagnostic) []*ir.Diagnostic {
	out := make([]*ir.Diagnostic, len(list))
	for i := range list {
		out[i] = &list[i]
	}
	return out
}
