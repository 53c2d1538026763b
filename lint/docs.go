package lint

import (
	"fmt"
	"strings"
)

// Markdown is the catalogue as docs/rules.md has it: an index by kind of harm,
// then each rule's page.
func Markdown() (string, error) { return pages{archives}.markdown() }

func (from pages) markdown() (string, error) {
	var b strings.Builder
	b.WriteString("# Rules\n\n")
	b.WriteString("Written by the tests from the rules and their archives in lint/rules; edit those.\n\n")
	b.WriteString("An error fails the run, a warning is shown, an info is a note: counted, and listed with `--notes`. A set raises a severity with\n")
	b.WriteString("`lint: \"rule-id\": \"error\"`; lowering one needs a reason. A finding is accepted with `waive: \"rule-id\": {reason: \"…\", until: \"2027-06-30\"}`\n")
	b.WriteString("on the class, or on the set for all its classes. Rules marked † can be neither waived nor lowered.\n")
	for _, h := range Harms() {
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n| rule | severity | fires when |\n| --- | --- | --- |\n", h.Harm, upper(h.What))
		for _, r := range rules {
			if r.Harm == h.Harm {
				fmt.Fprintf(&b, "| [%s](#%s)%s | %s | %s |\n", r.ID, r.ID, r.dagger(), r.severityText(), r.Title)
			}
		}
	}
	b.WriteString("\n# Pages\n")
	for _, r := range rules {
		p, err := from.page(r.ID)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s%s: %s.\n\n%s\n", r.ID, upper(r.severityText()), r.dagger(), r.Title, p.Prose)
		for i, e := range p.Bad {
			heading := "For example"
			if i > 0 {
				heading = "Or"
			}
			fmt.Fprintf(&b, "\n%s:\n\n```cue\n%s```\n\n```\n%s```\n", heading, e.source(), e.Findings)
		}
		for i, e := range p.Good {
			heading := "Instead"
			if i > 0 {
				heading = "Nothing is said about"
			}
			fmt.Fprintf(&b, "\n%s:\n\n```cue\n%s```\n", heading, e.source())
		}
	}
	return b.String(), nil
}

// HelpMarkdown is a rule's page for viewers that show Markdown beside a result.
func HelpMarkdown(id string) (string, error) {
	p, err := PageOf(id)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s\n\n```cue\n%s```\n\nInstead:\n\n```cue\n%s```\n", p.Prose, p.Bad[0].source(), p.Good[0].source()), nil
}

func (r *Rule) dagger() string {
	if r.Final {
		return " †"
	}
	return ""
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
