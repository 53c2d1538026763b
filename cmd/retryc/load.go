package main

import (
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/retryc/retryc/compiler"
	"github.com/retryc/retryc/compiler/ir"
)

// loaded is what the arguments of a command led to.
type loaded struct {
	args    []string
	results []compiler.Result
	faulted []compiler.Folder // of which nothing is known
	sources map[string][]byte
}

// load compiles the sets that the arguments name, everything below the folder
// of the run by default.
func (a *app) load(args []string) (*loaded, error) {
	if len(args) == 0 {
		args = []string{"./..."}
	}
	opt := compiler.Options{Base: a.base}
	folders, err := compiler.Find(opt, args)
	if err != nil {
		return nil, err
	}
	return a.compile(opt, args, folders)
}

// loadEach is load, where a folder that retryc fails on is reported and the
// others go on.
func (a *app) loadEach(args []string) (*loaded, error) {
	if len(args) == 0 {
		args = []string{"./..."}
	}
	opt := compiler.Options{Base: a.base}
	folders, err := compiler.Find(opt, args)
	if err != nil {
		return nil, err
	}
	return a.compileEach(opt, args, folders)
}

// loadOrStdin is loadEach, where "-" stands for a policy on standard input: it is read
// in place of the file of that name, or beside the files of its folder.
func (a *app) loadOrStdin(args []string, name string) (*loaded, error) {
	stdin := len(args) == 1 && args[0] == "-"
	switch {
	case !stdin && name != "":
		return nil, errors.New("--stdin-filename goes with the argument \"-\"")
	case !stdin:
		return a.loadEach(args)
	case name == "":
		return nil, errors.New("\"-\" needs --stdin-filename PATH: the folder of a policy says what else belongs to its set")
	case !strings.HasSuffix(name, ".cue"):
		return nil, fmt.Errorf("--stdin-filename %q is not a CUE file", name)
	}
	text, err := io.ReadAll(a.stdin)
	if err != nil {
		return nil, err
	}
	opt := compiler.Options{Base: a.base, Overlay: map[string][]byte{a.path(name): text}}
	dir := filepath.ToSlash(filepath.Dir(name))
	folders, err := compiler.Find(opt, []string{dir})
	if err != nil {
		return nil, err
	}
	return a.compileEach(opt, []string{dir}, folders)
}

// compile compiles folders, all or none.
func (a *app) compile(opt compiler.Options, args []string, folders []compiler.Folder) (*loaded, error) {
	results, err := a.compiles(opt, folders)
	if err != nil {
		var fault *compiler.Fault
		if errors.As(err, &fault) {
			return nil, &faultError{cause: err, input: fault.Input}
		}
		return nil, err
	}
	return loadedOf(args, results), nil
}

// compileEach compiles folders. Those that retryc fails on are reported.
func (a *app) compileEach(opt compiler.Options, args []string, folders []compiler.Folder) (*loaded, error) {
	results, err := a.compiles(opt, folders)
	var fault *compiler.Fault
	if err != nil && !errors.As(err, &fault) {
		return nil, err
	}
	for _, r := range results {
		if r.Fault != nil {
			a.reportFault(&faultError{cause: r.Fault, input: r.Folder.Dir})
		}
	}
	return loadedOf(args, results), nil
}

func loadedOf(args []string, results []compiler.Result) *loaded {
	l := &loaded{args: args, sources: map[string][]byte{}}
	for _, r := range results {
		if r.Fault != nil {
			l.faulted = append(l.faulted, r.Folder)
			continue
		}
		l.results = append(l.results, r)
		for _, s := range r.Sources {
			l.sources[s.Name] = s.Text
		}
	}
	return l
}

// source returns the text of a file for carets.
func (l *loaded) source(file string) []byte { return l.sources[file] }

// sound lists the sets without mistakes.
func (l *loaded) sound() []*ir.Set {
	var sets []*ir.Set
	for _, r := range l.results {
		if r.Set != nil {
			sets = append(sets, r.Set)
		}
	}
	return sets
}

// mistakes lists all mistakes and warnings of loading, in order. One in a package
// that several sets import is one.
func (l *loaded) mistakes() (mistakes, warnings []ir.Diagnostic) {
	for _, r := range l.results {
		mistakes = addNew(mistakes, r.Mistakes)
		warnings = addNew(warnings, r.Warnings)
	}
	return mistakes, warnings
}

// addNew adds what is not said yet. What a further set adds to it stands beside
// it, as a place that it was found through.
func addNew(said, more []ir.Diagnostic) []ir.Diagnostic {
	before := len(said)
	for _, d := range more {
		i := slices.IndexFunc(said[:before], func(o ir.Diagnostic) bool {
			return o.Span == d.Span && o.Message == d.Message && d.Span.Start.Line > 0
		})
		if i < 0 {
			said = append(said, d)
			continue
		}
		for _, r := range d.Related {
			if !slices.ContainsFunc(said[i].Related, func(o ir.Related) bool { return o.Span == r.Span }) {
				said[i].Related = append(slices.Clip(said[i].Related), r)
			}
		}
	}
	return said
}

// classes counts the classes of all sets, those with mistakes too.
func (l *loaded) classes() int {
	n := 0
	for _, r := range l.results {
		n += r.Classes
	}
	return n
}

// name is what people call a set: its package, or its folder while the package
// cannot be told.
func name(r *compiler.Result) string {
	switch {
	case r.Set != nil:
		return r.Set.Name
	case r.Partial != nil:
		return r.Partial.Name
	}
	for _, m := range r.Mistakes {
		if m.Set != "" {
			return m.Set
		}
	}
	return r.Folder.Dir
}

// roots lists the folders that the arguments name, and whether any of them
// stands for everything below it.
func (l *loaded) roots() (flat, deep []string) {
	for _, arg := range l.args {
		if dir, ok := strings.CutSuffix(strings.ReplaceAll(arg, "\\", "/"), "..."); ok {
			deep = append(deep, path.Clean(dir+"."))
			continue
		}
		flat = append(flat, path.Clean(strings.ReplaceAll(arg, "\\", "/")))
	}
	return flat, deep
}

// unsure lists the folders of sets of which it cannot be told where their
// generated package is: they have no sound class, or could not be read.
func (l *loaded) unsure() (dirs []string) {
	for _, f := range l.faulted {
		dirs = append(dirs, f.Dir)
	}
	for _, r := range l.results {
		if r.Set == nil && r.Partial == nil {
			dirs = append(dirs, r.Folder.Dir)
		}
	}
	return dirs
}

// count writes a number with its noun: "1 set", "3 sets".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "s") {
		noun += "e"
	}
	return fmt.Sprintf("%s %ss", thousands(n), noun)
}

// thousands groups digits: 1,412.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
