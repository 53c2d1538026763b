package report

import (
	"io"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
)

// Text writes results for people:
//
//	file:line:col: severity: message [rule-id]
//	the source line
//	    ^
//	help: what to write
//	  or: what to write instead
//
// Columns are characters. Mistakes of a policy carry no rule id, since none can
// be waived; drift of generated code names the folder and what to run. Results
// that the baseline or a waiver accepts are left out, and notes unless wanted.
func Text(w io.Writer, r *Report) error {
	p := &printer{w: w}
	for i := range r.Results {
		d := &r.Results[i]
		if !d.open() || d.Severity == ir.Info && !r.Notes {
			continue
		}
		r.text(p, &d.Diagnostic)
	}
	return p.err
}

func (r *Report) text(p *printer, d *ir.Diagnostic) {
	paint := painter(r.Color)
	if Drift(d.Rule) {
		p.printf("%s: %s\n", plain(d.Span.File), plain(d.Message))
		return
	}
	id := ""
	if d.Rule != ir.InvalidPolicy && d.Rule != "" {
		id = " [" + d.Rule + "]"
	}
	place, content, caret := r.place(d.Span)
	if place != "" {
		place += ": "
	}
	p.printf("%s%s: %s%s\n", paint(bold, place), paint(colorOf(d.Severity), d.Severity.String()), plain(d.Message), id)
	if caret != "" {
		p.printf("%s\n%s\n", content, paint(colorOf(d.Severity), caret))
	}
	for _, rel := range d.Related {
		place, _, _ := r.place(rel.Span)
		p.printf(" see: %s: %s\n", place, plain(rel.Message))
	}
	for i, h := range d.Help {
		label := "help: "
		if i > 0 {
			label = "  or: "
		}
		for j, l := range strings.Split(h, "\n") {
			if j > 0 {
				label = "      "
			}
			p.printf("%s%s\n", label, plain(l))
		}
	}
}

// place words a position, with the line it is on and a caret under it where the
// text is at hand.
func (r *Report) place(s ir.Span) (place, content, caret string) {
	if s.Start.Line <= 0 {
		return plain(s.File), "", ""
	}
	text, mark, ok := line(r.source(s.File), s.Start.Line)
	if !ok || r.source(s.File) == nil {
		return position(s.File, s.Start.Line, max(s.Start.Column, 1)), "", ""
	}
	head := before(text, mark, s.Start.Column)
	return position(s.File, s.Start.Line, characters(head)+1), plain(string(text[mark:])), indent(head) + "^"
}

// Drift reports whether a rule id says that generated code is not what the
// policy gives. Such results are about a folder, not about a line.
func Drift(rule string) bool { return strings.HasPrefix(rule, "generated-") }

type color string

const (
	red    color = "31;1"
	yellow color = "33;1"
	blue   color = "34;1"
	bold   color = "1"
)

func colorOf(s ir.Severity) color {
	switch s {
	case ir.Error:
		return red
	case ir.Warning:
		return yellow
	}
	return blue
}

func painter(on bool) func(color, string) string {
	return func(c color, s string) string {
		if !on || s == "" {
			return s
		}
		return "\x1b[" + string(c) + "m" + s + "\x1b[0m"
	}
}
