package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/retryc/retryc/compiler"
	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/nearest"
	"github.com/retryc/retryc/internal/report"
	"github.com/retryc/retryc/lint"
)

func (a *app) lintCommand() *cobra.Command {
	var f lintFlags
	cmd := &cobra.Command{
		Use:   "lint [DIR...]",
		Short: "Validate and lint policy sets",
		Long: `Lint validates policy sets and runs all rules, "./..." by default. "retryc
rules" lists the rules, "retryc explain RULE" tells one.

  retryc lint                     every set below this folder
  retryc lint --notes policies/payments   one set, with its notes
  retryc lint --fix --diff                what could be fixed safely
  retryc lint --write-baseline .retryc-baseline.json   old findings no longer fail`,
		RunE: func(cmd *cobra.Command, args []string) error {
			run, err := a.parseLint(&f)
			switch {
			case err != nil:
				return err
			case f.diff && !f.fix:
				return errors.New("--diff goes with --fix")
			case f.fix && f.writeBaseline != "":
				return errors.New("--fix and --write-baseline do not go together: fix first")
			case len(args) == 1 && args[0] == "-" && f.writeBaseline != "":
				return errors.New("--write-baseline takes the findings of folders, not of standard input")
			case f.fix && slices.ContainsFunc(run.outputs, func(o output) bool { return o.format.Name != "text" }):
				return errors.New("--fix prints text alone; for other formats run retryc lint --output again behind it")
			case f.writeBaseline != "":
				run.baseline = nil
				return a.writeBaseline(args, f.writeBaseline, run)
			case f.fix && len(args) == 1 && args[0] == "-":
				return errors.New("--fix rewrites files; it cannot rewrite standard input")
			case f.fix:
				return a.fix(args, &f, run)
			}
			return a.checkRun(args, run, false)
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&f.fix, "fix", false, "apply the fixes of mistakes and findings that are safe for sure")
	cmd.Flags().BoolVar(&f.diff, "diff", false, "with --fix: show what would change, and write nothing")
	cmd.Flags().StringVar(&f.writeBaseline, "write-baseline", "", "take the errors and warnings of these folders into `FILE`: they no longer fail")
	return cmd
}

// lintFlags are the flags of lint and check.
type lintFlags struct {
	outputs       []string
	failOn, today string
	notes         bool
	verbose       bool
	ifAny         bool
	baseline      string
	stdinName     string

	fix, diff     bool // of lint alone
	writeBaseline string
}

func (f *lintFlags) add(cmd *cobra.Command) {
	outputFlag(cmd, &f.outputs)
	cmd.Flags().StringVar(&f.failOn, "fail-on", "error", "exit 1 for findings of this `SEVERITY` and above: error, warning, info or never")
	cmd.Flags().StringVar(&f.today, "today", "", "compare waivers with this `DATE` (2006-01-02) instead of today")
	cmd.Flags().BoolVar(&f.notes, "notes", false, "show notes, too, in text")
	cmd.Flags().StringVar(&f.baseline, "baseline", "", "findings that `FILE` holds do not fail")
	cmd.Flags().StringVar(&f.stdinName, "stdin-filename", "", "with the argument \"-\": the `PATH` of the policy on standard input")
	cmd.Flags().BoolVar(&f.ifAny, "if-any", false, "exit 0 where there is no policy set to look at")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "tell on stderr what was looked at: classes, worst cases, generated files")
}

func outputFlag(cmd *cobra.Command, outputs *[]string) {
	cmd.Flags().StringArrayVar(outputs, "output", nil, "`FORMAT[:PATH]`, repeatable: text (default), json, sarif, github, gitlab, junit, checkstyle, markdown")
}

// lintRun is what the flags ask for.
type lintRun struct {
	outputs []output
	failOn  ir.Severity // 0: never
	today   time.Time
	notes   bool
	verbose bool

	ifAny     bool
	baseline  *lint.Baseline // nil: none
	file      string         // of the baseline
	stdinName string
}

func (a *app) parseLint(f *lintFlags) (*lintRun, error) {
	run := &lintRun{ifAny: f.ifAny, notes: f.notes, verbose: f.verbose, file: f.baseline, stdinName: f.stdinName}
	var err error
	if run.outputs, err = parseOutputs(f.outputs); err != nil {
		return nil, err
	}
	if f.failOn != "never" {
		severity, ok := ir.ParseSeverity(f.failOn)
		if !ok {
			words := []string{"error", "warning", "info", "never"}
			hint := ""
			if near := nearest.Of(f.failOn, words); near != "" {
				hint = fmt.Sprintf("; did you mean %q?", near)
			}
			return nil, fmt.Errorf("--fail-on %q: one of error, warning, info, never%s", f.failOn, hint)
		}
		run.failOn = severity
	}
	if run.today, err = parseToday(f.today); err != nil {
		return nil, err
	}
	if f.baseline != "" {
		if run.baseline, err = a.readBaseline(f.baseline, true); err != nil {
			return nil, err
		}
	}
	return run, nil
}

func parseToday(text string) (time.Time, error) {
	if text == "" {
		return time.Now(), nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return day, fmt.Errorf("--today %q is not a date; write it like 2027-06-30", text)
	}
	return day, nil
}

// findings is what the linter said.
type findings struct {
	results  []report.Result
	mistakes []ir.Diagnostic
	inForce  []lint.InForce
	others   int // sets that were read for their calls only
	known    int // findings that the baseline has
	gone     int // findings of the baseline that no longer occur
	notes    bool

	warnings []ir.Diagnostic // of loading
}

func (a *app) lint(l *loaded, run *lintRun) (*findings, error) {
	sets, _ := l.linted()
	others, unread := a.others(l, sets)
	res := lintAll(l, others, unread, run)
	if len(unread) > 0 {
		fmt.Fprintf(a.stderr, "calls are followed in part only: %s could not be read\n", strings.Join(unread, ", "))
	}
	f := &findings{results: report.Of(res.Findings), mistakes: res.Mistakes, inForce: res.InForce, others: len(others), notes: run.notes}
	for i := range res.Waived {
		w := &res.Waived[i]
		f.results = append(f.results, report.Result{Diagnostic: w.Diagnostic, Waiver: &w.Waiver})
	}
	f.know(run.baseline, sets, a.ran(l))
	return f, nil
}

// linted are the sets to lint, those with mistakes as far as they are sound.
func (l *loaded) linted() (sets []*ir.Set, partial map[*ir.Set]bool) {
	partial = map[*ir.Set]bool{}
	for _, r := range l.results {
		switch {
		case r.Set != nil:
			sets = append(sets, r.Set)
		case r.Partial != nil:
			sets = append(sets, r.Partial)
			partial[r.Partial] = true
		}
	}
	return sets, partial
}

// lintAll runs the rules over the sets of a run, with others read for their calls.
func lintAll(l *loaded, others []*ir.Set, unread []string, run *lintRun) lint.Results {
	sets, partial := l.linted()
	mistakes, _ := l.mistakes()
	return lint.Run(sets, lint.Options{
		Today: run.today, Others: others, CallsUnknown: len(unread) > 0 || len(l.broken()) > 0 || len(partial) > 0,
		Partial: func(s *ir.Set) bool { return partial[s] }, Mistakes: mistakes,
	})
}

// counts counts the findings that nobody has accepted, and the warnings of loading,
// by severity.
func (f *findings) counts() map[ir.Severity]int {
	n := map[ir.Severity]int{}
	for _, r := range f.results {
		if !r.Known && r.Waiver == nil {
			n[r.Severity]++
		}
	}
	for _, d := range f.warnings {
		n[d.Severity]++
	}
	return n
}

func (f *findings) failing(failOn ir.Severity) bool {
	if failOn == 0 {
		return false
	}
	for severity, n := range f.counts() {
		if severity >= failOn && n > 0 {
			return true
		}
	}
	return false
}

// others reads the sets of the whole repository that are not linted, where the
// linted ones call other classes: calls multiply across sets. unread names those
// that could not be read.
func (a *app) others(l *loaded, sets []*ir.Set) (others []*ir.Set, unread []string) {
	calls := false
	for _, s := range sets {
		for i := range s.Classes {
			calls = calls || len(s.Classes[i].Calls) > 0
		}
	}
	if !calls {
		return nil, nil
	}
	results, err := a.rest(l)
	if err != nil && results == nil {
		return nil, []string{err.Error()}
	}
	return soundOf(results)
}

// rest compiles the sets of the whole repository that the arguments do not name.
func (a *app) rest(l *loaded) ([]compiler.Result, error) {
	root := repositoryRoot(a.base)
	rel, err := filepath.Rel(a.base, root)
	if err != nil {
		return nil, err
	}
	opt := compiler.Options{Base: a.base}
	folders, err := compiler.Find(opt, []string{filepath.ToSlash(filepath.Join(rel, "..."))})
	if err != nil {
		return nil, err
	}
	have := map[string]bool{}
	for _, r := range l.results {
		have[r.Folder.Dir] = true
	}
	folders = slices.DeleteFunc(folders, func(f compiler.Folder) bool { return have[f.Dir] })
	if len(folders) == 0 {
		return nil, nil
	}
	return a.compiles(opt, folders)
}

// soundOf are the sets without mistakes, and the folders of the others.
func soundOf(results []compiler.Result) (sets []*ir.Set, unread []string) {
	for i := range results {
		if results[i].Set == nil {
			unread = append(unread, results[i].Folder.Dir)
			continue
		}
		sets = append(sets, results[i].Set)
	}
	return sets, unread
}

// repositoryRoot is the nearest folder upwards that holds .git, and dir itself
// where none does.
func repositoryRoot(dir string) string {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, ".git")); err == nil {
			return d
		}
		if d == filepath.Dir(d) {
			return dir
		}
	}
}
