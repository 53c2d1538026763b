package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/retryc/retryc/compiler"
	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/lint"
)

// fix applies the fixes that hold to the policies, or shows what that would change.
// All of it is tried in memory; files are written once, at the end. What is left is
// then linted, as without --fix.
func (a *app) fix(args []string, f *lintFlags, run *lintRun) error {
	l, err := a.load(args)
	if err != nil {
		return err
	}
	var left []ir.Diagnostic // without fixes that hold
	known := a.known(l, run)
	done, err := a.mend(l, run, known)
	if err != nil {
		return err
	}
	for _, d := range done.After.Results.Findings {
		if !known(&d) {
			left = append(left, d)
		}
	}
	if f.diff {
		a.showFixes(l, run, done, left, known)
		a.sayRefused(done)
		return nil
	}
	names := slices.Sorted(maps.Keys(done.Files))
	for _, name := range names {
		if err := writeFile(a.path(name), done.Files[name]); err != nil {
			return fmt.Errorf("%s: %w", name, bare(err))
		}
		fmt.Fprintf(a.stderr, "fixed %s\n", name)
	}
	if len(names) > 0 {
		fmt.Fprintf(a.stderr, "%s fixed in %s; generated code follows with: retryc gen\n", count(len(done.Applied), "finding"), count(len(names), "file"))
	}
	a.sayRefused(done)
	return a.checkRun(args, run, false)
}

// known tells the findings that the baseline of a run accepts.
func (a *app) known(l *loaded, run *lintRun) func(*ir.Diagnostic) bool {
	sets, _ := l.linted()
	stable := lint.Stable(sets)
	return func(d *ir.Diagnostic) bool {
		s := stable(*d)
		return run.baseline.Knows(&s)
	}
}

// mend tries the fixes on the sets of a run, and on all others of the repository,
// which may read the same files.
func (a *app) mend(l *loaded, run *lintRun, known func(*ir.Diagnostic) bool) (*lint.Mended, error) {
	rest, err := a.rest(l)
	var fault *compiler.Fault
	if errors.As(err, &fault) {
		return nil, &faultError{cause: err, input: fault.Input}
	}
	var lost []string // what lies beyond could not be read
	if err != nil {
		lost = []string{err.Error()}
	}
	check := func(files map[string][]byte) (*lint.Checked, error) {
		now := &loaded{args: l.args}
		var beyond []compiler.Result
		var err error
		if now.results, err = a.recompile(l.results, files); err != nil {
			return nil, err
		}
		if beyond, err = a.recompile(rest, files); err != nil {
			return nil, err
		}
		others, unread := soundOf(beyond)
		out := &lint.Checked{Results: lintAll(now, others, append(unread, lost...), run)}
		out.Sets, _ = now.linted()
		out.Sets = append(out.Sets, others...)
		for _, r := range slices.Concat(now.results, beyond) {
			out.Mistakes = append(append(out.Mistakes, r.Mistakes...), r.Warnings...)
		}
		return out, nil
	}
	return lint.Mend(lint.Mending{Source: l.source, Check: check, Known: known})
}

// recompile compiles the sets anew that read any of the files, with these texts in
// their place.
func (a *app) recompile(results []compiler.Result, files map[string][]byte) ([]compiler.Result, error) {
	opt := compiler.Options{Base: a.base, Overlay: map[string][]byte{}}
	for name, text := range files {
		opt.Overlay[a.path(name)] = text
	}
	out := slices.Clone(results)
	var folders []compiler.Folder
	var at []int
	for i, r := range results {
		if slices.ContainsFunc(r.Sources, func(s ir.Source) bool { return files[s.Name] != nil }) {
			folders, at = append(folders, r.Folder), append(at, i)
		}
	}
	if len(folders) == 0 {
		return out, nil
	}
	l, err := a.compile(opt, nil, folders)
	if err != nil {
		return nil, err
	}
	for i, r := range l.results {
		out[at[i]] = r
	}
	return out, nil
}

// showFixes prints what --fix would change, and what it would leave.
func (a *app) showFixes(l *loaded, run *lintRun, done *lint.Mended, left []ir.Diagnostic, known func(*ir.Diagnostic) bool) {
	fmt.Fprint(a.stdout, done.Diff(l.source))
	open := 0
	for _, d := range done.Before.Results.Findings {
		if known(&d) {
			continue
		}
		open++
		if run.failOn != 0 && d.Severity >= run.failOn {
			a.raise(exitFix)
		}
	}
	if len(done.Files) > 0 {
		a.raise(exitFix)
	}
	var rules []string
	for _, d := range left {
		if d.Severity >= ir.Warning && !slices.Contains(rules, d.Rule) {
			rules = append(rules, d.Rule)
		}
	}
	text := fmt.Sprintf("%s of %s can be fixed safely (not written: --diff)", thousands(len(done.Applied)), count(open, "finding"))
	if n := len(rules); n > 0 {
		verb := " needs a decision of yours"
		if n > 1 {
			verb = " need decisions of yours"
		}
		text += "; " + strings.Join(rules, ", ") + verb
	}
	fmt.Fprintln(a.stderr, text)
	if mistakes, _ := l.mistakes(); len(mistakes)+len(done.Before.Results.Mistakes) > 0 {
		a.raise(exitUnusable)
		fmt.Fprintf(a.stderr, "%s in the policies besides: retryc lint shows them\n", count(len(mistakes)+len(done.Before.Results.Mistakes), "mistake"))
	}
}

// sayRefused lists the findings whose fix would have done something else as well.
func (a *app) sayRefused(done *lint.Mended) {
	for _, r := range done.Refused {
		who := r.Set
		if r.Class != "" {
			who += "." + r.Class
		}
		fmt.Fprintf(a.stderr, "%s: %s of %s needs a decision of yours, its fix does not hold: %s\n", r.Span.File, r.Rule, who, r.Why)
	}
}
