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

// fix applies the fixes that hold to the policies, or shows what that would change:
// those of mistakes first, then those of findings, which a class without mistakes
// alone can have. All of it is tried in memory; files are written once, at the end.
// What is left is then linted, as without --fix.
func (a *app) fix(args []string, f *lintFlags, run *lintRun) error {
	l, err := a.load(args)
	if err != nil {
		return err
	}
	var left []ir.Diagnostic // without fixes that hold
	corrected, err := a.correct(l)
	if err != nil {
		return err
	}
	results, err := a.recompile(l.results, corrected.Files)
	if err != nil {
		return err
	}
	now := loadedOf(l.args, results)
	known := a.known(now, run)
	done, err := a.mend(now, run, known, corrected.Files)
	if err != nil {
		return err
	}
	for name, text := range corrected.Files {
		if done.Files[name] == nil {
			done.Files[name] = text
		}
	}
	for _, d := range done.After.Results.Findings {
		if !known(&d) {
			left = append(left, d)
		}
	}
	if f.diff {
		a.showFixes(l, run, corrected, done, left, known)
		a.sayRefused(corrected, done)
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
		fmt.Fprintf(a.stderr, "%s fixed in %s; generated code follows with: retryc gen\n", applied(corrected, done), count(len(names), "file"))
	}
	a.sayRefused(corrected, done)
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

// correct tries the fixes of mistakes: one stays if its mistake is gone and no
// other has come.
func (a *app) correct(l *loaded) (*lint.Mended, error) {
	check := func(files map[string][]byte) (*lint.Checked, error) {
		results, err := a.recompile(l.results, files)
		if err != nil {
			return nil, err
		}
		mistakes, warnings := loadedOf(l.args, results).mistakes()
		for i := range mistakes {
			// Findings are told apart by what they are about, mistakes by what they say.
			mistakes[i].Field = mistakes[i].Span.File + ": " + mistakes[i].Message
		}
		return &lint.Checked{Mistakes: warnings, Results: lint.Results{Findings: mistakes}}, nil
	}
	return lint.Mend(lint.Mending{Source: l.source, Check: check})
}

// applied counts what was fixed.
func applied(corrected, done *lint.Mended) string {
	switch m, f := len(corrected.Applied), len(done.Applied); {
	case m == 0:
		return count(f, "finding")
	case f == 0:
		return count(m, "mistake")
	default:
		return count(m, "mistake") + " and " + count(f, "finding")
	}
}

// mend tries the fixes of findings on the sets of a run, and on all others of the
// repository, which may read the same files. corrected are the files that the sets
// were compiled with in place of those on disk.
func (a *app) mend(l *loaded, run *lintRun, known func(*ir.Diagnostic) bool, corrected map[string][]byte) (*lint.Mended, error) {
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
		all := maps.Clone(corrected)
		maps.Copy(all, files)
		now := &loaded{args: l.args}
		var beyond []compiler.Result
		var err error
		if now.results, err = a.recompile(l.results, all); err != nil {
			return nil, err
		}
		if beyond, err = a.recompile(rest, all); err != nil {
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
func (a *app) showFixes(l *loaded, run *lintRun, corrected, done *lint.Mended, left []ir.Diagnostic, known func(*ir.Diagnostic) bool) {
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
	_, warnings := l.mistakes()
	for _, d := range warnings {
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
	mistakes := len(corrected.Before.Results.Findings)
	text := fmt.Sprintf("%s of %s", thousands(len(done.Applied)), count(open, "finding"))
	if len(corrected.Applied) > 0 {
		text = fmt.Sprintf("%s of %s and ", thousands(len(corrected.Applied)), count(mistakes, "mistake")) + text
	}
	text += " can be fixed safely (not written: --diff)"
	if n := len(rules); n > 0 {
		verb := " needs a decision of yours"
		if n > 1 {
			verb = " need decisions of yours"
		}
		text += "; " + strings.Join(rules, ", ") + verb
	}
	fmt.Fprintln(a.stderr, text)
	mistakes += len(done.Before.Results.Mistakes)
	if mistakes > 0 {
		a.raise(exitUnusable)
	}
	if rest := mistakes - len(corrected.Applied); rest > 0 {
		them := "them"
		if rest == 1 {
			them = "it"
		}
		fmt.Fprintf(a.stderr, "%s in the policies besides: retryc lint shows %s\n", count(rest, "mistake"), them)
	}
}

// sayRefused lists the mistakes and findings whose fix would have done something
// else as well.
func (a *app) sayRefused(corrected, done *lint.Mended) {
	for _, r := range corrected.Refused {
		fmt.Fprintf(a.stderr, "%s:%d: this mistake needs a decision of yours, its fix does not hold: %s\n", r.Span.File, r.Span.Start.Line, r.Why)
	}
	for _, r := range done.Refused {
		who := r.Set
		if r.Class != "" {
			who += "." + r.Class
		}
		fmt.Fprintf(a.stderr, "%s: %s of %s needs a decision of yours, its fix does not hold: %s\n", r.Span.File, r.Rule, who, r.Why)
	}
}
