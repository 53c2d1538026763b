package main

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen"
	"github.com/retryc/retryc/internal/bounds"
	"github.com/retryc/retryc/internal/nearest"
)

func (a *app) showCommand() *cobra.Command {
	var output string
	var dirs []string
	cmd := &cobra.Command{
		Use:   "show [SET.CLASS...]",
		Short: "Show a class's effective policy: each value, where it comes from, and its timeline",
		Long: `Show prints what a class amounts to: each value with the place that it comes from,
the times of its attempts when the server fails at once and when it never answers,
and the most requests that one operation can make. Without a class it lists all.

  retryc show                      the classes below this folder
  retryc show payments.charge
  retryc show --output json payments.charge`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if output != "text" && output != "json" {
				return fmt.Errorf("--output %q: show knows text and json", output)
			}
			return a.show(args, dirs, output)
		},
	}
	cmd.Flags().StringVar(&output, "output", "text", "`FORMAT`: text or json")
	cmd.Flags().StringArrayVar(&dirs, "dir", nil, "look for sets in `DIR` (default ./...), repeatable")
	return cmd
}

func (a *app) show(args, dirs []string, output string) error {
	l, err := a.load(dirs)
	if err != nil {
		return err
	}
	var all []*ir.Class
	var names []string
	sets := map[string]bool{}
	for _, r := range l.results {
		set := r.Set
		if set == nil {
			set = r.Partial
		}
		if set == nil {
			continue
		}
		sets[set.Name] = true
		for i := range set.Classes {
			all = append(all, &set.Classes[i])
			names = append(names, set.Name+"."+set.Classes[i].Name)
		}
	}
	if len(args) == 0 {
		if err := a.printMistakes(l); err != nil {
			return err
		}
		return a.listClasses(all, names, output)
	}
	var shown []shownClass
	for _, arg := range args {
		found := false
		for i, name := range names {
			if name == arg || path.Base(arg) == arg && sets[arg] && all[i].Set == arg {
				shown = append(shown, describe(all[i]))
				found = true
			}
		}
		if !found {
			return a.noClass(l, arg, names)
		}
	}
	if output == "json" {
		return a.printJSON(shown)
	}
	for i := range shown {
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		fmt.Fprint(a.stdout, shown[i].text())
	}
	return nil
}

func (a *app) noClass(l *loaded, arg string, names []string) error {
	if mistakes, _ := l.mistakes(); len(mistakes) > 0 {
		if err := a.printMistakes(l); err != nil {
			return err
		}
		return fmt.Errorf("no class %q among those that can be read; fix the mistakes first", arg)
	}
	if near := nearest.Of(arg, names); near != "" {
		return fmt.Errorf("no class %q; did you mean %q?", arg, near)
	}
	for _, n := range names {
		if strings.HasSuffix(n, "."+arg) {
			return fmt.Errorf("no class %q; name the set too: %q", arg, n)
		}
	}
	return fmt.Errorf("no class %q; \"retryc show\" lists them", arg)
}

func (a *app) listClasses(all []*ir.Class, names []string, output string) error {
	if output == "json" {
		shown := []shownClass{}
		for _, c := range all {
			shown = append(shown, describe(c))
		}
		return a.printJSON(shown)
	}
	width := 0
	for _, n := range names {
		width = max(width, len(n))
	}
	for i, c := range all {
		fmt.Fprintf(a.stdout, "%-*s  %s\n", width, names[i], c.Op.Text)
	}
	return nil
}

func (a *app) printJSON(shown []shownClass) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(shown)
}

// shownClass is a class as show tells it.
type shownClass struct {
	Class     string         `json:"class"`
	Doc       string         `json:"description,omitempty"`
	Operation string         `json:"operation"`
	At        string         `json:"at"`
	Values    []shownValue   `json:"values"`
	Timeline  []shownAttempt `json:"timeline"`
	Ends      shownEnds      `json:"ends"`
	Requests  int            `json:"requests"` // the most that one operation makes

	scheduled bool
}

// shownValue is one line: a group of fields with where they come from.
type shownValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from"`
}

// shownAttempt is one attempt on average waits; durations as the language writes them.
type shownAttempt struct {
	Attempt int    `json:"attempt"`
	AtOnce  string `json:"failsAtOnce"`
	Silent  string `json:"neverAnswers,omitempty"`
	Longest string `json:"longestWait,omitempty"`
	Late    bool   `json:"pastDeadline,omitempty"`
}

type shownEnds struct {
	AtOnce     string `json:"failsAtOnce"`
	Silent     string `json:"neverAnswers,omitempty"`
	PushedBack string `json:"serverAsksForDelay,omitempty"`
}

func describe(c *ir.Class) shownClass {
	spec := gen.Lower(c)
	b := bounds.Of(&spec)
	self := c.Label("")
	s := shownClass{
		Class: c.Set + "." + c.Name, Doc: strings.Join(strings.Fields(c.Doc), " "), Operation: c.Op.Text,
		At: place(self), Values: values(c, &spec), Requests: b.Requests, scheduled: c.Timing == ir.ByScheduler,
	}
	for i, at := range b.Attempts {
		row := shownAttempt{Attempt: at.Number, AtOnce: short(at.AtOnce.Average), Late: i >= b.AtOnce.FitAverage}
		if c.AttemptTimeout > 0 {
			row.Silent = short(at.Silent.Average)
		}
		if i > 0 {
			row.Longest = short(at.Wait.Longest)
		}
		s.Timeline = append(s.Timeline, row)
	}
	s.Ends.AtOnce = short(b.AtOnce.End.Average)
	if c.AttemptTimeout > 0 {
		s.Ends.Silent = short(b.Silent.End.Average)
	}
	if b.PushedBack > 0 {
		s.Ends.PushedBack = short(b.PushedBack)
	}
	return s
}
