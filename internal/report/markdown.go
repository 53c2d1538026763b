package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/lint"
)

// markdownLimit is below the 65,536 characters that a comment on GitHub takes.
const markdownLimit = 60000

// Markdown writes a summary for a job or a comment: the worst first, and what
// does not fit counted.
func Markdown(w io.Writer, r *Report) error {
	c := r.count()
	var b strings.Builder
	fmt.Fprintf(&b, "### retryc: %s, %s, %s\n\n", plural(c.Errors, "error"), plural(c.Warnings, "warning"), plural(c.Notes, "note"))
	fmt.Fprintf(&b, "%s, %s", plural(r.Sets, "set"), plural(r.Classes, "class"))
	for _, x := range []struct {
		n    int
		what string
	}{{c.Known, "known by the baseline"}, {c.Waived, "waived"}, {r.Gone, "gone from the baseline"}} {
		if x.n > 0 {
			fmt.Fprintf(&b, ", %d %s", x.n, x.what)
		}
	}
	b.WriteString(".\n")
	open := r.open()
	slices.SortStableFunc(open, func(a, b *Result) int { return cmp.Compare(b.Severity, a.Severity) })
	if len(open) > 0 {
		b.WriteString("\n| | where | what | help |\n| --- | --- | --- | --- |\n")
	}
	for i, d := range open {
		place, _, _ := r.place(d.Span)
		rule := d.Rule
		if lint.Find(rule) != nil {
			rule = fmt.Sprintf("[%s](%s)", rule, lint.URL(rule))
		}
		row := fmt.Sprintf("| %s | %s | %s %s | %s |\n", icon(d.Severity), code(place), cell(d.Message), rule, helpCell(d.Help))
		if b.Len()+len(row) > markdownLimit {
			fmt.Fprintf(&b, "\n… and %s more.\n", plural(len(open)-i, "result"))
			break
		}
		b.WriteString(row)
	}
	if len(r.Waivers) > 0 && b.Len() < markdownLimit-1000 {
		b.WriteString("\n<details><summary>" + plural(len(r.Waivers), "waiver") + " in force</summary>\n\n| rule | where | reason | until |\n| --- | --- | --- | --- |\n")
		for i, v := range r.Waivers {
			until := cmp.Or(day(v.Until), "no end")
			if v.Severity != 0 {
				until = "lowered to " + v.Severity.String()
			}
			row := fmt.Sprintf("| %s | %s | %s | %s |\n", v.Rule, cell(strings.Trim(v.Set+"."+v.Class, ".")), cell(v.Reason), until)
			if b.Len()+len(row) > markdownLimit {
				fmt.Fprintf(&b, "\n… and %s more.\n", plural(len(r.Waivers)-i, "waiver"))
				break
			}
			b.WriteString(row)
		}
		b.WriteString("\n</details>\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func icon(s ir.Severity) string {
	switch s {
	case ir.Error:
		return "🔴 error"
	case ir.Warning:
		return "🟡 warning"
	}
	return "🔵 note"
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	if strings.HasSuffix(word, "s") {
		word += "e"
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func helpCell(help []string) string {
	out := make([]string, len(help))
	for i, h := range help {
		lines := strings.Split(h, "\n")
		for j := range lines {
			lines[j] = cell(lines[j])
		}
		out[i] = strings.Join(lines, "<br>")
	}
	return strings.Join(out, "<br>or: ")
}

// cell escapes what Markdown or HTML would take for its own, in a table.
func cell(s string) string {
	return markdownEscapes.Replace(plain(strings.ReplaceAll(s, "\n", " ")))
}

var markdownEscapes = strings.NewReplacer(
	"\\", "\\\\", "|", "\\|", "<", "&lt;", ">", "&gt;", "&", "&amp;", "`", "\\`", "*", "\\*", "_", "\\_",
	"[", "\\[", "]", "\\]", "#", "\\#", "~", "\\~", "@", "&#64;", "\t", " ",
)

// code is text in a fixed font, whatever backticks it holds.
func code(s string) string {
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	pad := ""
	if len(fence) > 1 {
		pad = " "
	}
	return fence + pad + strings.ReplaceAll(strings.ReplaceAll(s, "|", "\\|"), "\n", " ") + pad + fence
}
