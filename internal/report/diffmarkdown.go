package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/retryc/retryc/internal/diff"
)

// DiffMarker is the first line of a diff as a comment on a pull request: whoever
// updates the comment in place finds it by this line.
const DiffMarker = "<!-- retryc diff -->"

// maxComment is the most characters that GitHub takes for a comment.
const maxComment = 65_536

// DiffMarkdown writes a diff as a comment on a pull request: a table sorted by risk,
// then the details, collapsed. It never exceeds what a comment may hold: what does
// not fit is counted.
func DiffMarkdown(w io.Writer, r *diff.Report, summary string, hint []string) error {
	var b strings.Builder
	b.WriteString(DiffMarker + "\n### Retry policies\n\n")
	if len(r.Groups) == 0 {
		b.WriteString("This pull request makes no policy changes.\n")
		_, err := io.WriteString(w, b.String())
		return err
	}
	b.WriteString(cell(summary) + "\n\n")
	for _, h := range hint {
		b.WriteString("> " + code(h) + "\n")
	}
	if len(hint) > 0 {
		b.WriteString("\n")
	}
	b.WriteString("| change | load | duplicates | lost work | waiting | Go API |\n| --- | --- | --- | --- | --- | --- |\n")
	const tail = 200 // for the line that counts what is left out
	left := 0
	for i := range r.Groups {
		row := markdownRow(&r.Groups[i])
		if b.Len()+len(row)+tail > maxComment {
			left = len(r.Groups) - i
			break
		}
		b.WriteString(row)
	}
	if left > 0 {
		fmt.Fprintf(&b, "\n%d more changes are left out; `retryc diff` shows all.\n", left)
		_, err := io.WriteString(w, b.String())
		return err
	}
	b.WriteString("\n")
	told := map[string]bool{}
	for i := range r.Groups {
		details := markdownDetails(r, &r.Groups[i], told)
		if b.Len()+len(details)+tail > maxComment {
			fmt.Fprintf(&b, "\nThe details of %d more changes are left out; `retryc diff` shows all.\n", len(r.Groups)-i)
			break
		}
		b.WriteString(details)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

var arrows = map[diff.Direction]string{diff.Same: "", diff.Up: "🔺 up", diff.Down: "down", diff.Unknown: "?"}

func markdownRow(g *diff.Group) string {
	harms, _ := g.Harms()
	var b strings.Builder
	title := cell(heading(g))
	if len(g.Changes) > 1 {
		title += fmt.Sprintf(" (%d classes)", len(g.Changes))
	}
	if g.Accepted() != "" {
		title += " ✅"
	}
	b.WriteString("| " + title)
	for _, h := range harms {
		b.WriteString(" | " + arrows[h.Direction])
	}
	api := g.API().Effect.String()
	switch g.API().Effect {
	case diff.OK:
		api = ""
	case diff.Silent:
		api = "**silent**"
	}
	b.WriteString(" | " + api + " |\n")
	return b.String()
}

func markdownDetails(r *diff.Report, g *diff.Group, told map[string]bool) string {
	var body strings.Builder
	p := &printer{w: &body}
	p.printf("%s\n", placeOf(g))
	diffBody(p, r, g, told, painter(false))
	fence := "```"
	for strings.Contains(body.String(), fence) {
		fence += "`"
	}
	return fmt.Sprintf("<details><summary>%s</summary>\n\n%s\n%s%s\n\n</details>\n", cell(heading(g)), fence, body.String(), fence)
}
