package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retryc/retryc/compiler"
	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/diff"
	"github.com/retryc/retryc/internal/git"
	"github.com/retryc/retryc/internal/nearest"
	"github.com/retryc/retryc/internal/report"
	"github.com/retryc/retryc/lint"
)

func (a *app) diffCommand() *cobra.Command {
	var f diffFlags
	cmd := &cobra.Command{
		Use:   "diff [DIR...] --against REV | diff OLD NEW",
		Short: "Show what changed in the meaning of policies: load, duplicates, lost work, waiting",
		Long: `Diff compares the policies of the working tree with those at the commit where it
parted from a revision (origin/HEAD by default), or two folders or files. For each
changed value it shows four harms, computed by the engine's own schedule; what rows
under way do; and what callers of the generated package notice.

  retryc diff                                        against origin/HEAD
  retryc diff --against main policies/payments
  retryc diff --against v1.2.0 --to v1.3.0
  retryc diff old/policies new/policies
  retryc diff --fail-on-rise load,duplicates,api     exit 1 for a rise that nobody accepted

A rise is accepted by a line "Retryc-Accept: ID" at the end of a commit message of
the branch, or by --accept ID.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.driver {
				return a.diffDriver(args)
			}
			f.explicit = cmd.Flags().Changed("against")
			return a.diff(args, &f)
		},
	}
	cmd.Flags().StringVar(&f.against, "against", "origin/HEAD", "compare with where the tree parted from `REV`")
	cmd.Flags().StringVar(&f.to, "to", "", "compare `REV` instead of the working tree")
	cmd.Flags().StringVar(&f.gates, "fail-on-rise", "", "exit 1 if one of these `HARMS` rises: "+strings.Join(diff.Gates, ",")+", or any")
	cmd.Flags().StringArrayVar(&f.accept, "accept", nil, "accept the change of this `ID`, repeatable")
	cmd.Flags().StringArrayVar(&f.outputs, "output", nil, "`FORMAT[:PATH]`, repeatable: text (default), json, markdown, github, sarif")
	cmd.Flags().StringVar(&f.today, "today", "", "compare waivers with this `DATE` (2006-01-02) instead of today")
	cmd.Flags().BoolVar(&f.driver, "git-driver", false, "serve git as an external diff program")
	return cmd
}

type diffFlags struct {
	against, to, gates, today string
	accept, outputs           []string
	driver, explicit          bool
}

// side is one state of a tree of policies.
type side struct {
	sets    []*ir.Set
	sources map[string][]byte
	broken  []ir.Diagnostic

	brokenSets map[string]bool // the folders of sets with mistakes
	patterns   map[string]bool // the arguments that name something that is there
}

func (a *app) diff(args []string, f *diffFlags) error {
	gates, err := diff.ParseGates(f.gates)
	if err != nil {
		return fmt.Errorf("--fail-on-rise: %w", err)
	}
	outs, err := parseDiffOutputs(f.outputs)
	if err != nil {
		return err
	}
	today, err := parseToday(f.today)
	if err != nil {
		return err
	}
	var before, after *side
	var trailers []git.Trailer
	if len(args) == 2 && !f.explicit && f.to == "" {
		if before, err = a.folderSide(args[0]); err != nil {
			return err
		}
		if after, err = a.folderSide(args[1]); err != nil {
			return err
		}
	} else if before, after, trailers, err = a.gitSides(args, f); err != nil {
		return err
	}
	if len(before.broken) > 0 {
		fmt.Fprintf(a.stderr, "the policies before have %s; what could not be read of them is not compared\n", count(len(before.broken), "mistake"))
	}
	if len(after.broken) > 0 {
		a.raise(exitUnusable)
		return report.Text(a.stdout, &report.Report{
			Results: report.Of(after.broken), Source: func(f string) []byte { return after.sources[f] }, Color: a.colored(a.stdout),
		})
	}
	after.sets = after.readable(before)
	was := lint.Run(before.sets, lint.Options{Today: today, CallsUnknown: true})
	is := lint.Run(after.sets, lint.Options{Today: today, CallsUnknown: true})
	r := diff.Compare(before.sets, after.sets, diff.Options{
		Before: lint.NewCalls(before.sets), After: lint.NewCalls(after.sets),
		Findings: newFindings(was.Findings, is.Findings),
		Source: func(file string) []byte {
			if text, ok := after.sources[file]; ok {
				return text
			}
			return before.sources[file]
		},
	})
	stale := acceptChanges(r, trailers, f.accept)
	if err := a.printDiff(r, outs, gates, after); err != nil {
		return err
	}
	for _, s := range stale {
		fmt.Fprintln(a.stderr, s)
	}
	return nil
}

// readable leaves out of s what the other side holds too and could not be read
// there: nothing can be said of how it changed.
func (s *side) readable(other *side) []*ir.Set {
	var out []*ir.Set
	for _, set := range s.sets {
		if !other.brokenSets[set.Dir] {
			out = append(out, set)
			continue
		}
		for _, was := range other.sets {
			if was.Dir != set.Dir {
				continue
			}
			part := *set
			part.Classes = slices.DeleteFunc(slices.Clone(set.Classes), func(c ir.Class) bool { return was.Class(c.Name) == nil })
			out = append(out, &part)
		}
	}
	return out
}

// newFindings lists the errors and warnings that were not there before, by class.
func newFindings(was, is []ir.Diagnostic) map[string][]string {
	key := func(d *ir.Diagnostic) string { return d.Set + "." + d.Class + "/" + d.Rule + "/" + d.Field }
	had := map[string]bool{}
	for i := range was {
		had[key(&was[i])] = true
	}
	out := map[string][]string{}
	for i := range is {
		d := &is[i]
		if d.Severity < ir.Warning || had[key(d)] {
			continue
		}
		name := d.Set
		if d.Class != "" {
			name += "." + d.Class
		}
		out[name] = append(out[name], fmt.Sprintf("%s (%s): %s", d.Rule, d.Severity, d.Message))
	}
	return out
}

// acceptChanges marks what trailers and --accept accept, and returns what to say of
// those that fit nothing.
func acceptChanges(r *diff.Report, trailers []git.Trailer, accept []string) (stale []string) {
	var ids, by []string
	for _, t := range trailers {
		ids, by = append(ids, t.Value), append(by, t.Commit)
	}
	for _, id := range accept {
		ids, by = append(ids, id), append(by, "--accept")
	}
	for _, i := range r.Accept(ids, by) {
		where := " in " + by[i]
		if by[i] == "--accept" {
			where = ""
		}
		stale = append(stale, fmt.Sprintf("Retryc-Accept %s%s fits no change any more", ids[i], where))
	}
	return stale
}

func (a *app) printDiff(r *diff.Report, outs []output, gates []string, after *side) error {
	risen, open := r.Open(gates)
	summary := diffSummary(r, risen)
	var hint []string
	for _, g := range open {
		hint = append(hint, "Retryc-Accept: "+g.ID)
	}
	for _, o := range outs {
		write := func(w io.Writer) error {
			switch o.format.Name {
			case "text":
				return report.DiffText(w, r, o.path == "" && a.colored(a.stdout))
			case "json":
				return report.DiffJSON(w, r, gates)
			case "markdown":
				return report.DiffMarkdown(w, r, summary, hint)
			}
			return o.format.Write(w, &report.Report{
				Results: report.DiffResults(r, gates), Source: func(f string) []byte { return after.sources[f] },
				Version: version(), Sets: r.Sets,
			})
		}
		if err := a.writeTo(o, write); err != nil {
			return err
		}
	}
	fmt.Fprintln(a.stderr, summary)
	if len(open) > 0 {
		a.raise(exitFix)
		what := "it, put this line"
		if len(open) > 1 {
			what = "them, put these lines"
		}
		fmt.Fprintf(a.stderr, "to accept %s at the end of a commit message of this branch:\n", what)
		for _, h := range hint {
			fmt.Fprintf(a.stderr, "  %s\n", h)
		}
	}
	return nil
}

// diffSummary is the last word of a diff: how much changed, and where to.
func diffSummary(r *diff.Report, risen []string) string {
	if len(r.Groups) == 0 {
		return "no policy changes in " + count(r.Sets, "set")
	}
	n := r.Changes()
	head := fmt.Sprintf("%s in %d of %s", count(n, "change"), r.Touched, count(r.Sets, "set"))
	if r.Touched > r.Sets {
		head = fmt.Sprintf("%s in %s", count(n, "change"), count(r.Touched, "set"))
	}
	if len(r.Groups) < n {
		head = count(len(r.Groups), "cause") + ", " + head
	}
	var worst diff.Harms
	accepted, silent, breaks := 0, false, false
	for i := range r.Groups {
		g := &r.Groups[i]
		harms, _ := g.Harms()
		for k := range worst {
			if harms[k].Direction > worst[k].Direction {
				worst[k] = harms[k]
			}
		}
		if g.Accepted() != "" {
			accepted++
		}
		silent = silent || g.API().Effect == diff.Silent
		breaks = breaks || g.API().Effect == diff.Breaks
	}
	var parts []string
	for k, h := range worst {
		if h.Direction != diff.Same {
			parts = append(parts, diff.Names[k]+" "+h.Direction.String())
		}
	}
	if silent {
		parts = append(parts, "Go API changes silently")
	} else if breaks {
		parts = append(parts, "Go API breaks")
	}
	if len(parts) == 0 {
		parts = []string{"no harm moves"}
	}
	text := head + ": " + strings.Join(parts, ", ")
	if accepted > 0 {
		text += fmt.Sprintf("; accepted: %d", accepted)
	}
	if len(risen) > 0 {
		text += "; not accepted: " + strings.Join(risen, ", ")
	}
	return text
}

func parseDiffOutputs(values []string) ([]output, error) {
	formats := []string{"text", "json", "markdown", "github", "sarif"}
	outs, err := parseOutputs(values)
	if err != nil {
		return nil, err
	}
	for _, o := range outs {
		if !slices.Contains(formats, o.format.Name) {
			return nil, fmt.Errorf("--output %s: diff writes %s", o.format.Name, strings.Join(formats, ", "))
		}
	}
	return outs, nil
}

// folderSide reads the policies of a folder, with everything below it, or of a file.
func (a *app) folderSide(arg string) (*side, error) {
	pattern := arg
	if isFolder(a.path(arg)) {
		pattern = strings.TrimSuffix(arg, "/") + "/..."
	}
	l, err := a.load([]string{pattern})
	if errors.Is(err, compiler.ErrNoSet) && isFolder(a.path(arg)) {
		return noSets(nil), nil
	}
	if err != nil {
		return nil, err
	}
	s := sideOf(l)
	// A folder's sets are compared by their place within it.
	within := func(dir string) string {
		if !isFolder(a.path(arg)) {
			return ""
		}
		return strings.TrimPrefix(strings.TrimPrefix(dir, strings.TrimSuffix(arg, "/")), "/")
	}
	for _, set := range s.sets {
		set.Dir = within(set.Dir)
	}
	broken := map[string]bool{}
	for dir := range s.brokenSets {
		broken[within(dir)] = true
	}
	s.brokenSets = broken
	return s, nil
}

func sideOf(l *loaded) *side {
	s := &side{sources: l.sources, brokenSets: map[string]bool{}}
	for _, r := range l.results {
		if len(r.Mistakes) > 0 {
			s.brokenSets[r.Folder.Dir] = true
		}
		s.broken = append(s.broken, r.Mistakes...)
		switch {
		case r.Set != nil:
			s.sets = append(s.sets, r.Set)
		case r.Partial != nil:
			s.sets = append(s.sets, r.Partial)
		}
	}
	return s
}

// noSets is a state of the tree without policies.
func noSets(patterns map[string]bool) *side {
	return &side{sources: map[string][]byte{}, patterns: patterns}
}

func unknownRevision(err error, rev string, known []string) error {
	if near := nearest.Of(rev, known); near != "" {
		return fmt.Errorf("%w; did you mean %q?", err, near)
	}
	return err
}
