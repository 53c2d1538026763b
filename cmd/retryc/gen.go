package main

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retryc/retryc/compiler"
	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen"
	"github.com/retryc/retryc/internal/report"
)

func (a *app) genCommand() *cobra.Command {
	var prune bool
	cmd := &cobra.Command{
		Use:   "gen [DIR...]",
		Short: "Write the Go package of each policy set",
		Long: `Gen writes the Go package of each policy set, "./..." by default. A package
appears whole or not at all; only files that differ are written, files of an
older run that are no longer needed are removed, and a folder that holds
hand-written Go code is left alone.

  retryc gen                      every set below this folder
  retryc gen policies/payments    one set
  retryc gen --prune ./...        also remove packages whose set is gone`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.gen(args, prune) },
	}
	cmd.Flags().BoolVar(&prune, "prune", false, "remove generated packages whose set is gone")
	return cmd
}

func (a *app) gen(args []string, prune bool) error {
	l, err := a.loadEach(args)
	if err != nil {
		return a.noSet(err, prune, args)
	}
	if err := a.printMistakes(l); err != nil {
		return err
	}
	var written, unchanged, removed, files, refused int
	found, _ := l.mistakes()
	mistakes := len(found)
	claimed := map[string]bool{}
	for _, r := range l.results {
		if r.Set != nil {
			continue
		}
		refused++
		if r.Partial != nil {
			claimed[path.Join(r.Partial.Dir, r.Partial.Go.Dir)] = true
		}
	}
	for _, set := range l.sound() {
		pkg, n, err := a.generate(l, set)
		if err != nil {
			return err
		}
		claimed[path.Join(set.Dir, set.Go.Dir)] = true
		if pkg == nil {
			mistakes, refused = mistakes+n, refused+1
			continue
		}
		changes, err := gen.Write(a.base, pkg)
		if err != nil {
			a.refuse(err)
			refused++
			continue
		}
		var w, r int
		for _, c := range changes {
			if c.Kind == gen.Orphaned {
				r++
			} else {
				w++
			}
		}
		if w+r > 0 {
			fmt.Fprintf(a.stderr, "%s: %s\n", pkg.Dir, writtenText(w, r))
		}
		files += len(pkg.Files)
		written, removed, unchanged = written+w, removed+r, unchanged+len(pkg.Files)-w
	}
	gone, err := a.abandoned(l, claimed)
	if err != nil {
		return err
	}
	for _, pkg := range gone {
		if !prune {
			fmt.Fprintf(a.stderr, "%s\n", abandonedText(pkg))
			continue
		}
		if err := gen.Remove(a.base, pkg); err != nil {
			a.refuse(err)
			continue
		}
		fmt.Fprintf(a.stderr, "%s: %s, its set is gone\n", pkg.Dir, writtenText(0, len(pkg.Files)))
		removed += len(pkg.Files)
	}
	left := ""
	if mistakes > 0 {
		left = fmt.Sprintf("; %s, fix %s first: nothing was written for %s", count(mistakes, "mistake"), these(mistakes), count(refused, "set"))
	} else if refused > 0 {
		left = fmt.Sprintf("; nothing was written for %s", count(refused, "set"))
	}
	fmt.Fprintf(a.stderr, "%s, %s, %s: %d written, %d unchanged, %d removed%s\n",
		count(len(l.results), "set"), count(l.classes(), "class"), count(files, "file"), written, unchanged, removed, left)
	return nil
}

// noSet lets "gen --prune" work where the last set of a tree is gone.
func (a *app) noSet(err error, prune bool, args []string) error {
	if !prune || !errors.Is(err, compiler.ErrNoSet) {
		return err
	}
	l := &loaded{args: args}
	if len(args) == 0 {
		l.args = []string{"./..."}
	}
	gone, walkErr := a.abandoned(l, nil)
	if walkErr != nil || len(gone) == 0 {
		return err
	}
	removed := 0
	for _, pkg := range gone {
		if err := gen.Remove(a.base, pkg); err != nil {
			a.refuse(err)
			continue
		}
		fmt.Fprintf(a.stderr, "%s: %s, its set is gone\n", pkg.Dir, writtenText(0, len(pkg.Files)))
		removed += len(pkg.Files)
	}
	fmt.Fprintf(a.stderr, "0 sets, 0 classes, 0 files: 0 written, 0 unchanged, %d removed\n", removed)
	return nil
}

// generate makes the package of a set; nil where the policy has mistakes that show
// only now, which are printed and counted.
func (a *app) generate(l *loaded, set *ir.Set) (*gen.Package, int, error) {
	pkg, mistakes, err := gen.Generate(set)
	if err != nil {
		return nil, 0, &faultError{cause: err, input: set.Dir}
	}
	if len(mistakes) > 0 {
		a.raise(exitUnusable)
		return nil, len(mistakes), report.Text(a.stdout, &report.Report{Results: report.Of(mistakes), Source: l.source, Color: a.colored(a.stdout)})
	}
	return pkg, 0, nil
}

// printMistakes prints what is wrong with the policies themselves.
func (a *app) printMistakes(l *loaded) error {
	mistakes, warnings := l.mistakes()
	if len(mistakes) > 0 {
		a.raise(exitUnusable)
	}
	return report.Text(a.stdout, &report.Report{
		Results: report.Of(append(mistakes, warnings...)), Source: l.source, Color: a.colored(a.stdout),
	})
}

// refuse prints why a folder was left alone; other sets go on.
func (a *app) refuse(err error) {
	fmt.Fprintf(a.stderr, "retryc: %v\n", err)
	a.raise(exitUnusable)
}

// abandoned finds generated packages that no set claims.
func (a *app) abandoned(l *loaded, claimed map[string]bool) ([]gen.Package, error) {
	flat, deep := l.roots()
	all, err := gen.Abandoned(a.base, deep, true, claimed)
	if err != nil {
		return nil, err
	}
	for _, pkg := range all {
		if claimed == nil {
			claimed = map[string]bool{}
		}
		claimed[pkg.Dir] = true
	}
	more, err := gen.Abandoned(a.base, flat, false, claimed)
	// The package of a set that has mistakes is no other's, wherever below it stands.
	unsure := l.unsure()
	return slices.DeleteFunc(append(all, more...), func(pkg gen.Package) bool {
		return slices.ContainsFunc(unsure, func(dir string) bool {
			return dir == "." || strings.HasPrefix(pkg.Dir, dir+"/")
		})
	}), err
}

func abandonedText(pkg gen.Package) string {
	return fmt.Sprintf("%s: generated from a set that is gone; run: retryc gen --prune %s", pkg.Dir, path.Dir(pkg.Dir))
}

func writtenText(written, removed int) string {
	var parts []string
	if written > 0 {
		parts = append(parts, count(written, "file")+" written")
	}
	if removed > 0 {
		parts = append(parts, count(removed, "file")+" removed")
	}
	return strings.Join(parts, ", ")
}
