package report

import (
	"encoding/json"
	"io"
	"time"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/lint"
)

type jsonReport struct {
	Version int          `json:"version"`
	Summary jsonSummary  `json:"summary"`
	Results []jsonResult `json:"results"`
	Waivers []jsonWaiver `json:"waivers"`
}

type jsonSummary struct {
	Sets     int `json:"sets"`
	Classes  int `json:"classes"`
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Notes    int `json:"notes"`
	Known    int `json:"known"`
	Waived   int `json:"waived"`
	Gone     int `json:"gone"`
}

type jsonResult struct {
	Rule     string        `json:"rule"`
	Severity string        `json:"severity"`
	Message  string        `json:"message"`
	Set      string        `json:"set,omitempty"`
	Class    string        `json:"class,omitempty"`
	Field    string        `json:"field,omitempty"`
	Help     []string      `json:"help,omitempty"`
	URL      string        `json:"url,omitempty"`
	Known    bool          `json:"known,omitempty"`
	Waived   *jsonReason   `json:"waived,omitempty"`
	Related  []jsonRelated `json:"related,omitempty"`
	Fix      *jsonFix      `json:"fix,omitempty"`
	jsonSpan
}

type jsonSpan struct {
	File  string   `json:"file"`
	Start *jsonPos `json:"start,omitempty"`
	End   *jsonPos `json:"end,omitempty"`
}

type jsonPos struct {
	Line   int `json:"line"`
	Column int `json:"column"`
	Offset int `json:"offset"`
}

type jsonReason struct {
	Reason string `json:"reason"`
	Until  string `json:"until,omitempty"`
}

type jsonRelated struct {
	Message string `json:"message"`
	jsonSpan
}

type jsonFix struct {
	Title string     `json:"title"`
	Edits []jsonEdit `json:"edits"`
}

type jsonEdit struct {
	Text string `json:"text"`
	jsonSpan
}

type jsonWaiver struct {
	Rule     string `json:"rule"`
	Set      string `json:"set"`
	Class    string `json:"class,omitempty"`
	Severity string `json:"severity,omitempty"`
	Covers   int    `json:"covers"`
	jsonReason
	jsonSpan
}

// JSON writes everything, as docs/findings.schema.json describes it. Columns are
// characters, offsets are bytes; of the two only offsets count a byte order mark.
func JSON(w io.Writer, r *Report) error {
	c := r.count()
	out := jsonReport{
		Version: 1,
		Summary: jsonSummary{r.Sets, r.Classes, c.Errors, c.Warnings, c.Notes, c.Known, c.Waived, r.Gone},
		Results: []jsonResult{},
		Waivers: []jsonWaiver{},
	}
	for i := range r.Results {
		d := &r.Results[i]
		j := jsonResult{
			Rule: d.Rule, Severity: d.Severity.String(), Message: d.Message, Set: d.Set, Class: d.Class, Field: d.Field,
			Help: d.Help, Known: d.Known, jsonSpan: r.jsonSpan(d.Span),
		}
		if lint.Find(d.Rule) != nil {
			j.URL = lint.URL(d.Rule)
		}
		if d.Waiver != nil {
			j.Waived = &jsonReason{d.Waiver.Reason, day(d.Waiver.Until)}
		}
		for _, rel := range d.Related {
			j.Related = append(j.Related, jsonRelated{rel.Message, r.jsonSpan(rel.Span)})
		}
		if d.Fix != nil {
			j.Fix = &jsonFix{Title: d.Fix.Title, Edits: []jsonEdit{}}
			for _, e := range d.Fix.Edits {
				j.Fix.Edits = append(j.Fix.Edits, jsonEdit{e.Text, r.jsonSpan(e.Span)})
			}
		}
		out.Results = append(out.Results, j)
	}
	for _, v := range r.Waivers {
		j := jsonWaiver{
			Rule: v.Rule, Set: v.Set, Class: v.Class, Covers: v.Covers,
			jsonReason: jsonReason{v.Reason, day(v.Until)}, jsonSpan: r.jsonSpan(v.Span),
		}
		if v.Severity != 0 {
			j.Severity = v.Severity.String()
		}
		out.Waivers = append(out.Waivers, j)
	}
	return encode(w, out)
}

func (r *Report) jsonSpan(s ir.Span) jsonSpan {
	g := r.region(s, characters)
	if g.StartLine == 0 {
		return jsonSpan{File: s.File}
	}
	return jsonSpan{
		s.File,
		&jsonPos{g.StartLine, g.StartColumn, s.Start.Offset},
		&jsonPos{g.EndLine, g.EndColumn, max(s.End.Offset, s.Start.Offset)},
	}
}

func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
