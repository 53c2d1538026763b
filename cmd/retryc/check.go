package main

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/retryc/retryc/compiler"
	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen"
	"github.com/retryc/retryc/internal/bounds"
	"github.com/retryc/retryc/internal/report"
)

func (a *app) checkCommand() *cobra.Command {
	var f lintFlags
	cmd := &cobra.Command{
		Use:   "check [DIR...]",
		Short: "Validate, lint and verify policy sets: what pre-commit and CI call",
		Long: `Check validates policy sets, runs all lint rules and compares the generated
packages with the policies, "./..." by default. It writes nothing.

  retryc check                                       every set below this folder
  retryc check policies/payments                     one set
  retryc check --output github --output sarif:o.sarif   in CI`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.check(args, &f, true) },
	}
	f.add(cmd)
	return cmd
}

// check validates and lints; with drift it compares the generated code too.
func (a *app) check(args []string, f *lintFlags, withDrift bool) error {
	run, err := a.parseLint(f)
	if err != nil {
		return err
	}
	return a.checkRun(args, run, withDrift)
}

func (a *app) checkRun(args []string, run *lintRun, withDrift bool) error {
	l, err := a.loadOrStdin(args, run.stdinName)
	if errors.Is(err, compiler.ErrNoSet) && withDrift {
		// The last set may be gone, and its package left behind.
		l, err = a.nothingLeft(args, run.ifAny, err)
	} else if errors.Is(err, compiler.ErrNoSet) && run.ifAny {
		fmt.Fprintln(a.stderr, "no policy set")
		nothing := a.report(&loaded{}, nil)
		return a.write(run.outputs, nothing, nothing)
	}
	if errors.Is(err, compiler.ErrNoSet) {
		return a.withoutSets(args, run.outputs, err)
	}
	if err != nil {
		return err
	}
	found, err := a.lint(l, run)
	if err != nil {
		return err
	}
	d := &drift{}
	if withDrift {
		if d, err = a.drift(l); err != nil {
			return err
		}
	}
	mistakes, warnings := l.mistakes()
	mistakes = append(append(mistakes, found.mistakes...), d.mistakes...)
	if len(mistakes) > 0 {
		a.raise(exitUnusable)
	}
	found.mistakes, found.warnings = mistakes, warnings

	said := report.Of(append(mistakes, warnings...))
	said = append(said, found.results...)
	text, machine := a.report(l, d.sets), a.report(l, d.files)
	for _, r := range []*report.Report{text, machine} {
		r.Results = append(append([]report.Result{}, said...), r.Results...)
		r.Waivers, r.Gone, r.Notes = found.inForce, found.gone, run.notes
	}
	if err := a.write(run.outputs, text, machine); err != nil {
		return err
	}
	if found.failing(run.failOn) {
		a.raise(exitFix)
	}
	if run.verbose {
		a.lookedAt(l, d)
	}
	if found.gone > 0 {
		fmt.Fprintf(a.stderr, "%s of the baseline no longer %s; shrink it with: retryc lint --write-baseline %s\n",
			count(found.gone, "finding"), map[bool]string{true: "occurs", false: "occur"}[found.gone == 1], run.file)
	}
	a.summary(l, found, d)
	return nil
}

// nothingLeft is a run over no set, where packages are left of sets that are gone,
// or where the call says that there need be none.
func (a *app) nothingLeft(args []string, ifAny bool, err error) (*loaded, error) {
	l := &loaded{args: args, sources: map[string][]byte{}}
	if len(args) == 0 {
		l.args = []string{"./..."}
	}
	gone, walkErr := a.abandoned(l, nil)
	if walkErr != nil {
		return nil, walkErr
	}
	if len(gone) == 0 && !ifAny {
		return nil, err
	}
	return l, nil
}

// withoutSets is a run over no set at all: that is its one result. Whoever reads
// text on stdout gets it on stderr, as of any call that cannot be used.
func (a *app) withoutSets(args []string, outs []output, err error) error {
	l := &loaded{args: args}
	dir := "."
	if flat, deep := l.roots(); len(flat)+len(deep) > 0 {
		dir = append(deep, flat...)[0]
	}
	r := a.report(l, []ir.Diagnostic{{Rule: ir.InvalidPolicy, Severity: ir.Error, Message: err.Error(), Span: ir.Span{File: dir}}})
	var written []output
	for _, o := range outs {
		if o.format.Name != "text" || o.path != "" {
			written = append(written, o)
		}
	}
	if e := a.write(written, r, r); e != nil {
		return e
	}
	return err
}

// report makes a report of diagnostics that nobody can accept.
func (a *app) report(l *loaded, diagnostics []ir.Diagnostic) *report.Report {
	return &report.Report{
		Results: report.Of(diagnostics), Source: l.source, Version: version(),
		Sets: len(l.results), Classes: l.classes(),
	}
}

// summary prints the last line of stderr.
func (a *app) summary(l *loaded, found *findings, d *drift) {
	head := count(len(l.results), "set") + ", " + count(l.classes(), "class")
	if found != nil && found.others > 0 {
		head += fmt.Sprintf(" (and %s read for calls)", count(found.others, "set"))
	}
	var mistakes []ir.Diagnostic
	var parts []string
	if found != nil {
		mistakes = found.mistakes
		n := found.counts()
		notes := count(n[ir.Info], "note")
		if n[ir.Info] > 0 && !found.notes {
			it := "them"
			if n[ir.Info] == 1 {
				it = "it"
			}
			notes += " (--notes shows " + it + ")"
		}
		parts = append(parts, count(n[ir.Error], "error"), count(n[ir.Warning], "warning"), notes)
	} else {
		mistakes, _ = l.mistakes()
		mistakes = append(mistakes, d.mistakes...)
	}
	line := head + ":"
	if len(mistakes) > 0 {
		line += " " + count(len(mistakes), "mistake")
	}
	if broken := l.broken(); len(mistakes) > 0 && len(broken) == len(l.results) {
		// Nothing else was looked at, so nothing else is said.
		line += "; nothing of " + strings.Join(broken, ", ") + " was linted or compared; fix " + these(len(mistakes)) + " first"
		fmt.Fprintln(a.stderr, line)
		return
	}
	if len(mistakes) > 0 && len(parts) > 0 {
		line += ","
	}
	if len(parts) > 0 {
		line += " " + strings.Join(parts, ", ")
	}
	if found != nil && found.known > 0 {
		line += "; " + thousands(found.known) + " known"
	}
	rest := d.text()
	if len(parts) == 0 && len(mistakes) == 0 {
		rest = strings.TrimPrefix(rest, ";")
	}
	fmt.Fprintln(a.stderr, line+rest)
}

// lookedAt tells for each set its classes with what one operation costs at the
// worst, and its generated package.
func (a *app) lookedAt(l *loaded, d *drift) {
	for _, set := range l.sound() {
		line := fmt.Sprintf("%s: %s", set.Dir, count(len(set.Classes), "class"))
		if n := d.packages[set.Name]; n > 0 {
			line += fmt.Sprintf(", %s in %s", count(n, "generated file"), path.Join(set.Dir, set.Go.Dir))
		}
		fmt.Fprintln(a.stderr, line)
		w := tabwriter.NewWriter(a.stderr, 0, 0, 2, ' ', 0)
		for i := range set.Classes {
			c := &set.Classes[i]
			spec := gen.Lower(c)
			b := bounds.Of(&spec)
			worst := "at most " + count(b.Requests, "request")
			if c.AttemptTimeout > 0 {
				worst += " in " + short(b.Worst())
			}
			fmt.Fprintf(w, "  %s.%s\t%s\t%s\n", set.Name, c.Name, c.Op.Text, worst)
		}
		w.Flush()
	}
}

func these(n int) string {
	if n == 1 {
		return "it"
	}
	return "these"
}

// broken names the sets that have mistakes.
func (l *loaded) broken() []string {
	var names []string
	for i := range l.results {
		if r := &l.results[i]; r.Set == nil && r.Partial == nil {
			names = append(names, name(r))
		}
	}
	return names
}
