package report

import (
	"io"
	"slices"
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
// What several classes share is said once.
func Text(w io.Writer, r *Report) error {
	p := &printer{w: w}
	var shown []*Result
	for _, d := range r.open() {
		if d.Severity != ir.Info || r.Notes {
			shown = append(shown, d)
		}
	}
	for i := 0; i < len(shown); {
		d := shown[i].Diagnostic
		d.Related = slices.Clone(d.Related)
		for i++; i < len(shown) && sameText(&d, &shown[i].Diagnostic); i++ {
			d.Related = append(d.Related, shown[i].Related...)
		}
		r.text(p, &d)
	}
	return p.err
}

// sameText reports whether two diagnostics say the same of the same place, as
// they do of a value that several classes share. What differs is through which
// reference each was reached.
func sameText(a, b *ir.Diagnostic) bool {
	return a.Rule == b.Rule && a.Severity == b.Severity && a.Span == b.Span && a.Message == b.Message && slices.Equal(a.Help, b.Help)
}

// maxRelated is how many other places are shown; a value shared by forty classes
// has forty.
const maxRelated = 3

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
	for i, rel := range d.Related {
		if i == maxRelated && len(d.Related) > maxRelated+1 {
			p.printf(" see: %d more places\n", len(d.Related)-i)
			break
		}
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
	text, mark, ok := r.line(s.File, s.Start.Line)
	if !ok {
		return position(s.File, s.Start.Line, max(s.Start.Column, 1)), "", ""
	}
	head := before(text, mark, s.Start.Column)
	content, start := window(plain(string(text[mark:])), plain(head))
	return position(s.File, s.Start.Line, characters(head)+1), content, indent(start) + "^"
}

// widest is how much of a source line is shown, in characters: what is beyond says
// nothing about the place.
const widest = 200

// window cuts a long line around the place that head leads to.
func window(line, head string) (shown, start string) {
	all, before := []rune(line), []rune(head)
	if len(all) <= widest {
		return line, head
	}
	from := max(0, len(before)-widest/2)
	to := min(len(all), from+widest)
	shown, start = string(all[from:to]), string(before[from:])
	if from > 0 {
		shown, start = "…"+shown, "…"+start
	}
	if to < len(all) {
		shown += "…"
	}
	return shown, start
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
