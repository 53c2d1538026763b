package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/lint"
)

// maxRounds bounds how often fixes are applied: each round settles what touched
// the text of another fix in the round before.
const maxRounds = 10

// fix applies the fixes of findings to the policies, or shows what it would change.
// What is left is then linted again, as without --fix.
func (a *app) fix(args []string, f *lintFlags, run *lintRun) error {
	var changed []string
	applied := 0
	for range maxRounds {
		l, err := a.load(args)
		if err != nil {
			return err
		}
		found, err := a.lint(l, run)
		if err != nil {
			return err
		}
		var open []ir.Diagnostic
		for _, r := range found.results {
			if !r.Known && r.Waiver == nil {
				open = append(open, r.Diagnostic)
			}
		}
		fixed := lint.ApplyFixes(open, l.source)
		if f.diff {
			a.showFixes(l, open, &fixed)
			if found.failing(run.failOn) {
				a.raise(exitFix)
			}
			return nil
		}
		if len(fixed.Files) == 0 {
			break
		}
		applied += len(fixed.Applied)
		for file, text := range fixed.Files {
			if err := writeFile(a.path(file), text); err != nil {
				return fmt.Errorf("%s: %w", file, bare(err))
			}
			if !slices.Contains(changed, file) {
				changed = append(changed, file)
			}
		}
	}
	slices.Sort(changed)
	for _, file := range changed {
		fmt.Fprintf(a.stderr, "fixed %s\n", file)
	}
	if applied > 0 {
		fmt.Fprintf(a.stderr, "%s fixed in %s; generated code follows with: retryc gen\n", count(applied, "finding"), count(len(changed), "file"))
	}
	return a.checkRun(args, run, false)
}

// showFixes prints what --fix would change, and what it would leave.
func (a *app) showFixes(l *loaded, open []ir.Diagnostic, fixed *lint.Fixed) {
	fmt.Fprint(a.stdout, fixed.Diff(l.source))
	var left []string
	for i := range open {
		d := &open[i]
		if d.Fix == nil && d.Severity >= ir.Warning && !slices.Contains(left, d.Rule) {
			left = append(left, d.Rule)
		}
	}
	text := fmt.Sprintf("%s of %s can be fixed safely (not written: --diff)", thousands(len(fixed.Applied)+len(fixed.Skipped)), count(len(open), "finding"))
	if n := len(left); n > 0 {
		verb := " needs a decision of yours"
		if n > 1 {
			verb = " need decisions of yours"
		}
		text += "; " + strings.Join(left, ", ") + verb
	}
	fmt.Fprintln(a.stderr, text)
	if len(fixed.Files) > 0 {
		a.raise(exitFix)
	}
}
