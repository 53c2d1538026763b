package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/lint"
)

// readBaseline reads a baseline; must says that it has to be there.
func (a *app) readBaseline(file string, must bool) (*lint.Baseline, error) {
	text, err := os.ReadFile(a.path(file))
	if errors.Is(err, fs.ErrNotExist) && !must {
		return nil, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such file; write it with: retryc lint --write-baseline %s", file, file)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, bare(err))
	}
	b, err := lint.ReadBaseline(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return b, nil
}

// ran tells the sets that a run looked at in full. Where it looked at the whole
// repository, these are also the sets that are gone.
func (a *app) ran(l *loaded) func(string) bool {
	sound, broken := map[string]bool{}, map[string]bool{}
	nameless := false
	for i := range l.results {
		r := &l.results[i]
		switch {
		case r.Set != nil:
			sound[r.Set.Name] = true
		default:
			broken[name(r)] = true
			nameless = nameless || name(r) == r.Folder.Dir
		}
	}
	whole := a.whole(l) && !nameless
	return func(set string) bool { return sound[set] || whole && !broken[set] }
}

// whole reports whether the arguments stand for everything in the repository.
func (a *app) whole(l *loaded) bool {
	root := repositoryRoot(a.base)
	_, deep := l.roots()
	return slices.ContainsFunc(deep, func(dir string) bool {
		rel, err := filepath.Rel(a.path(filepath.FromSlash(dir)), root)
		return err == nil && (rel == "." || filepath.IsLocal(rel))
	})
}

// know marks the findings that the baseline has, and counts those it has that are
// gone.
func (f *findings) know(b *lint.Baseline, sets []*ir.Set, ran func(string) bool) {
	if b == nil {
		return
	}
	stable := lint.Stable(sets)
	var all []ir.Diagnostic
	for i := range f.results {
		r := &f.results[i]
		if r.Waiver != nil {
			continue
		}
		d := stable(r.Diagnostic)
		all = append(all, d)
		if b.Knows(&d) {
			r.Known = true
			f.known++
		}
	}
	f.gone = len(b.Gone(all, ran))
}

// writeBaseline takes the findings of this run into a baseline: those of the folders
// of the run are replaced, those of others stay.
func (a *app) writeBaseline(args []string, file string, run *lintRun) error {
	l, err := a.load(args)
	if err != nil {
		return err
	}
	if err := a.printMistakes(l); err != nil {
		return err
	}
	if a.code >= exitUnusable {
		fmt.Fprintf(a.stderr, "%s is not written: mistakes are never taken into a baseline; fix them first\n", file)
		return nil
	}
	found, err := a.lint(l, run)
	if err != nil {
		return err
	}
	old, err := a.readBaseline(file, false)
	if err != nil {
		return err
	}
	linted, _ := l.linted()
	stable := lint.Stable(linted)
	var open []ir.Diagnostic
	for _, r := range found.results {
		if r.Waiver == nil {
			open = append(open, stable(r.Diagnostic))
		}
	}
	b := old.Write(open, ir.Warning, a.ran(l))
	if err := writeFile(a.path(file), b.Bytes()); err != nil {
		return fmt.Errorf("%s: %w", file, bare(err))
	}
	n := map[ir.Severity]int{}
	sets := map[string]bool{}
	for _, e := range b.Entries() {
		n[e.Severity]++
		sets[e.Set] = true
	}
	left := 0
	for i := range open {
		if open[i].Severity >= ir.Warning && !b.Knows(&open[i]) {
			left++
		}
	}
	fmt.Fprintf(a.stderr, "%s: %s of %s (%s, %s); these no longer fail, new ones do\n", file,
		count(len(b.Entries()), "finding"), count(len(sets), "set"), count(n[ir.Error], "error"), count(n[ir.Warning], "warning"))
	if left > 0 {
		a.raise(exitFix)
		fmt.Fprintf(a.stderr, "%s of rules that no baseline takes: retryc lint shows them\n", count(left, "finding"))
	}
	return nil
}
