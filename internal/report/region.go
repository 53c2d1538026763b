package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
)

// region is a span in the columns that a format counts, from 1, its end
// exclusive. The zero region is a whole file.
type region struct {
	StartLine, StartColumn, EndLine, EndColumn int
}

// region converts a span, of which columns are bytes, by the text of its file.
// Without the text bytes are all there is.
func (r *Report) region(s ir.Span, columns func(string) int) region {
	if s.Start.Line <= 0 {
		return region{}
	}
	at := func(p ir.Pos) int {
		content, mark, ok := r.line(s.File, p.Line)
		if !ok {
			return max(p.Column, 1)
		}
		return columns(before(content, mark, p.Column)) + 1
	}
	g := region{s.Start.Line, at(s.Start), s.End.Line, 0}
	if s.End.Line < s.Start.Line {
		g.EndLine, g.EndColumn = g.StartLine, g.StartColumn
		return g
	}
	g.EndColumn = at(s.End)
	if g.EndLine == g.StartLine {
		g.EndColumn = max(g.EndColumn, g.StartColumn)
	}
	return g
}

// lineText is the source line that a span begins on, without what surrounds it.
func (r *Report) lineText(s ir.Span) string {
	content, mark, ok := r.line(s.File, s.Start.Line)
	if !ok {
		return ""
	}
	return strings.TrimSpace(plain(string(content[mark:])))
}

// fingerprints names each result by what it is about and not by where it
// stands, so that it keeps its name when lines move; equal ones are numbered.
func (r *Report) fingerprints() []string {
	seen := map[string]int{}
	out := make([]string, len(r.Results))
	for i := range r.Results {
		d := &r.Results[i]
		sum := sha256.Sum256([]byte(strings.Join([]string{d.Rule, d.Span.File, d.Set, d.Class, d.Field, r.lineText(d.Span)}, "\x00")))
		id := hex.EncodeToString(sum[:8])
		seen[id]++
		out[i] = fmt.Sprintf("%s:%d", id, seen[id])
	}
	return out
}

// oneLine is the help of a diagnostic as the end of a sentence.
func oneLine(help []string) string {
	return strings.Join(strings.Fields(strings.Join(help, "; or: ")), " ")
}

// counts are the open results by severity, and those accepted.
type counts struct {
	Errors, Warnings, Notes, Known, Waived int
}

func (r *Report) count() counts {
	var c counts
	for i := range r.Results {
		switch d := &r.Results[i]; {
		case d.Waiver != nil:
			c.Waived++
		case d.Known:
			c.Known++
		case d.Severity == ir.Error:
			c.Errors++
		case d.Severity == ir.Warning:
			c.Warnings++
		default:
			c.Notes++
		}
	}
	return c
}
