package main

import (
	"errors"
	"fmt"
	"path"

	"github.com/spf13/cobra"

	"github.com/retryc/retryc/compiler"
	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen"
	"github.com/retryc/retryc/internal/unified"
)

func (a *app) verifyCommand() *cobra.Command {
	var outputs []string
	cmd := &cobra.Command{
		Use:   "verify [DIR...]",
		Short: "Tell where generated code differs from its policies",
		Long: `Verify compares each set's generated package with its policies, "./..." by
default: missing, changed and orphaned files, with a unified diff. It writes
nothing. Line endings do not count.

  retryc verify                      every set below this folder
  retryc verify policies/payments    one set`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.verify(args, outputs) },
	}
	outputFlag(cmd, &outputs)
	return cmd
}

func (a *app) verify(args, outputs []string) error {
	outs, err := parseOutputs(outputs)
	if err != nil {
		return err
	}
	l, err := a.loadEach(args)
	if errors.Is(err, compiler.ErrNoSet) {
		return a.withoutSets(args, outs, err)
	}
	if err != nil {
		return err
	}
	d, err := a.drift(l)
	if err != nil {
		return err
	}
	mistakes, warnings := l.mistakes()
	mistakes = append(mistakes, d.mistakes...)
	if len(mistakes) > 0 {
		a.raise(exitUnusable)
	}
	files := append(append(mistakes, warnings...), d.files...)
	if err := a.write(outs, a.report(l, append(append(mistakes, warnings...), d.sets...)), a.report(l, files)); err != nil {
		return err
	}
	for _, o := range outs {
		if o.format.Name == "text" && o.path == "" {
			fmt.Fprint(a.stdout, d.diff)
		}
	}
	a.summary(l, nil, d)
	return nil
}

// drift is how far generated code is from the policies.
type drift struct {
	sets     []ir.Diagnostic // a line a package, for people
	files    []ir.Diagnostic // a result a file, for machines
	mistakes []ir.Diagnostic // policies that cannot be generated
	diff     string          // the unified diff of changed and missing files

	missing, outdated, orphaned, refused int // packages
	checked                              bool

	packages map[string]int // files that belong to the package of a set, by its name
}

// inSync reports whether nothing differs.
func (d *drift) inSync() bool { return len(d.files) == 0 }

// The rules of drift. They are results in every format, never waived and never
// in a baseline.
const (
	ruleMissing  = "generated-missing"
	ruleChanged  = "generated-changed"
	ruleOrphaned = "generated-orphaned"
)

func (a *app) drift(l *loaded) (*drift, error) {
	d := &drift{checked: true, packages: map[string]int{}}
	claimed := map[string]bool{}
	for _, r := range l.results {
		if r.Set == nil { // its mistakes say why
			d.refused++
			if r.Partial != nil {
				claimed[path.Join(r.Partial.Dir, r.Partial.Go.Dir)] = true
			}
			continue
		}
		set := r.Set
		claimed[path.Join(set.Dir, set.Go.Dir)] = true
		pkg, mistakes, err := gen.Generate(set)
		if err != nil {
			return nil, &faultError{cause: err, input: set.Dir}
		}
		if len(mistakes) > 0 {
			d.mistakes = append(d.mistakes, mistakes...)
			d.refused++
			continue
		}
		d.packages[set.Name] = len(pkg.Files)
		changes, err := gen.Compare(a.base, pkg)
		if err != nil {
			a.refuse(err)
			d.refused++
			continue
		}
		d.add(set, pkg, changes)
	}
	gone, err := a.abandoned(l, claimed)
	if err != nil {
		return nil, err
	}
	for _, pkg := range gone {
		d.orphaned++
		text := abandonedText(pkg)[len(pkg.Dir)+2:]
		d.sets = append(d.sets, diagnostic(ruleOrphaned, pkg.Dir, text, ""))
		for _, f := range pkg.Files {
			d.files = append(d.files, diagnostic(ruleOrphaned, path.Join(pkg.Dir, f.Name), text, ""))
		}
	}
	if !d.inSync() {
		a.raise(exitFix)
	}
	return d, nil
}

// add records what differs in the package of one set.
func (d *drift) add(set *ir.Set, pkg *gen.Package, changes []gen.Change) {
	if len(changes) == 0 {
		return
	}
	var n [gen.Orphaned + 1]int
	run := "run: retryc gen " + set.Dir
	for _, c := range changes {
		n[c.Kind]++
		file := path.Join(pkg.Dir, c.Name)
		switch c.Kind {
		case gen.Missing:
			d.files = append(d.files, diagnostic(ruleMissing, file, "not generated yet; "+run, set.Name))
		case gen.Changed:
			d.files = append(d.files, diagnostic(ruleChanged, file, "differs from the policy; "+run, set.Name))
			d.diff += unified.Diff(file, c.Old, file+" (generated)", c.New)
		case gen.Orphaned:
			d.files = append(d.files, diagnostic(ruleOrphaned, file, "no longer generated; "+run, set.Name))
		}
	}
	if n[gen.Missing] == len(pkg.Files) {
		d.missing++
		d.sets = append(d.sets, diagnostic(ruleMissing, set.Dir, "not generated yet; "+run, set.Name))
		return
	}
	d.outdated++
	rule, text := ruleOrphaned, ""
	say := func(id, s string) {
		if text == "" {
			rule, text = id, s
		} else {
			text += ", " + s
		}
	}
	if k := n[gen.Missing]; k > 0 {
		say(ruleMissing, count(k, "file")+" missing")
	}
	if k := n[gen.Changed]; k > 0 {
		verb := " differ"
		if k == 1 {
			verb = " differs"
		}
		say(ruleChanged, count(k, "file")+verb+" from the policy")
	}
	if k := n[gen.Orphaned]; k > 0 {
		say(ruleOrphaned, count(k, "file")+" no longer generated")
	}
	d.sets = append(d.sets, diagnostic(rule, pkg.Dir, text+"; "+run, set.Name))
}

func diagnostic(rule, file, message, set string) ir.Diagnostic {
	start := ir.Pos{Line: 1, Column: 1}
	return ir.Diagnostic{
		Rule: rule, Severity: ir.Error, Message: message, Set: set,
		Span: ir.Span{File: file, Start: start, End: start},
	}
}

func (d *drift) text() string {
	switch {
	case d == nil || !d.checked:
		return ""
	case d.inSync() && d.refused == 0:
		return "; generated code in sync"
	}
	var parts []string
	if d.refused > 0 {
		parts = append(parts, "not compared in "+count(d.refused, "set"))
	}
	if d.missing > 0 {
		parts = append(parts, "missing in "+count(d.missing, "set"))
	}
	if d.outdated > 0 {
		parts = append(parts, "out of date in "+count(d.outdated, "set"))
	}
	if d.orphaned > 0 {
		parts = append(parts, "left over in "+count(d.orphaned, "folder"))
	}
	return "; generated code " + join(parts)
}

func join(parts []string) string {
	s := ""
	for i, p := range parts {
		if i > 0 {
			s += ", "
		}
		s += p
	}
	return s
}
