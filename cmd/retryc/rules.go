package main

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/retryc/retryc/internal/nearest"
	"github.com/retryc/retryc/internal/report"
	"github.com/retryc/retryc/lint"
)

func (a *app) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "explain RULE",
		Short:   "Tell why a rule exists, with a policy that breaks it and one that does not",
		Example: `  retryc explain unsafe-retry-without-key`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("explain takes one rule, as in \"retryc explain unsafe-retry-without-key\"; \"retryc rules\" lists them")
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return ruleNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := lint.Explain(args[0])
			if err != nil {
				if near := nearRule(args[0]); near != "" {
					return fmt.Errorf("unknown rule %q; did you mean %q?", args[0], near)
				}
				return fmt.Errorf("unknown rule %q; \"retryc rules\" lists them", args[0])
			}
			fmt.Fprint(a.stdout, text)
			return nil
		},
	}
}

// nearRule is the rule that somebody meant who mistyped its id, or gave only a part
// of it.
func nearRule(word string) string {
	if near := nearest.Of(word, ruleNames()); near != "" {
		return near
	}
	for _, name := range ruleNames() {
		if len(word) > 3 && strings.Contains(name, word) {
			return name
		}
	}
	return ""
}

func ruleNames() []string {
	var names []string
	for _, r := range lint.Rules() {
		names = append(names, r.ID)
	}
	return names
}

func (a *app) rulesCommand() *cobra.Command {
	var waivers bool
	var today string
	cmd := &cobra.Command{
		Use:   "rules [DIR...]",
		Short: "List the rules, or the waivers that are in force",
		Long: `Rules lists the catalogue of rules by kind of harm. With --waivers it lists the
waivers in force and the severities that sets have lowered: where, why, until when.

  retryc rules
  retryc rules --waivers policies/payments`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !waivers {
				if len(args) > 0 {
					return fmt.Errorf("%q: folders go with --waivers; \"retryc explain RULE\" tells one rule", args[0])
				}
				a.catalogue()
				return nil
			}
			return a.waivers(args, today)
		},
	}
	cmd.Flags().BoolVar(&waivers, "waivers", false, "list the waivers in force")
	cmd.Flags().StringVar(&today, "today", "", "compare waivers with this `DATE` (2006-01-02) instead of today")
	return cmd
}

func (a *app) catalogue() {
	for i, h := range lint.Harms() {
		w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
		n := 0
		for _, r := range lint.Rules() {
			if r.Harm != h.Harm {
				continue
			}
			if n == 0 {
				if i > 0 {
					fmt.Fprintln(a.stdout)
				}
				fmt.Fprintf(a.stdout, "%s: %s\n", h.Harm, h.What)
			}
			n++
			fmt.Fprintf(w, "  %s\t%s\t%s\n", r.ID, r.Severity, r.Title)
		}
		w.Flush()
	}
}

func (a *app) waivers(args []string, today string) error {
	day, err := parseToday(today)
	if err != nil {
		return err
	}
	l, err := a.load(args)
	if err != nil {
		return err
	}
	if err := a.printMistakes(l); err != nil {
		return err
	}
	found, err := a.lint(l, &lintRun{today: day})
	if err != nil {
		return err
	}
	for _, w := range found.inForce {
		where := w.Set
		if w.Class != "" {
			where += "." + w.Class
		}
		what, until := "waived", ""
		if w.Severity != 0 {
			what = "lowered to " + w.Severity.String()
		}
		if !w.Until.IsZero() {
			until = " until " + w.Until.Format("2006-01-02")
		}
		covers := count(w.Covers, "finding")
		fmt.Fprintf(a.stdout, "%s:%d: %s: %s %s%s (%s): %s\n", report.Plain(w.Span.File), w.Span.Start.Line, where, report.Plain(w.Rule), what, until, covers, report.Plain(w.Reason))
	}
	fmt.Fprintf(a.stderr, "%s, %s: %s in force\n", count(len(l.results), "set"), count(l.classes(), "class"), count(len(found.inForce), "waiver"))
	return nil
}
