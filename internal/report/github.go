package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
)

// GitHub writes workflow commands that become annotations of a run. GitHub shows
// ten of each level, so the worst come first.
func GitHub(w io.Writer, r *Report) error {
	p := &printer{w: w}
	open := r.open()
	slices.SortStableFunc(open, func(a, b *Result) int { return cmp.Compare(b.Severity, a.Severity) })
	said := map[string]bool{}
	for _, d := range open {
		properties := "file=" + escapeProperty(d.Span.File)
		if g := r.region(d.Span, characters); g.StartLine > 0 {
			properties += fmt.Sprintf(",line=%d,endLine=%d", g.StartLine, g.EndLine)
			// Columns mean something to GitHub within one line only.
			if g.StartLine == g.EndLine {
				properties += fmt.Sprintf(",col=%d,endColumn=%d", g.StartColumn, g.EndColumn)
			}
		}
		message := d.Message
		for i, h := range d.Help {
			message += "\n" + []string{"help: ", "  or: "}[min(i, 1)] + h
		}
		command := fmt.Sprintf("::%s %s,title=%s::%s\n", githubLevel(d.Severity), properties, escapeProperty(d.Rule), escapeData(message))
		if !said[command] { // a value that several classes share is annotated once
			said[command] = true
			p.printf("%s", command)
		}
	}
	return p.err
}

// open lists the results that nobody has accepted.
func (r *Report) open() []*Result {
	var out []*Result
	for i := range r.Results {
		if r.Results[i].open() {
			out = append(out, &r.Results[i])
		}
	}
	return out
}

func githubLevel(s ir.Severity) string {
	if s == ir.Info {
		return "notice"
	}
	return s.String()
}

var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func escapeData(s string) string     { return dataEscapes.Replace(s) }
func escapeProperty(s string) string { return propertyEscapes.Replace(s) }
