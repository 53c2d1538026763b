package report

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/diff"
)

// The JSON form of a diff, as docs/diff.schema.json publishes it.
type (
	jsonDiff struct {
		Version int         `json:"version"`
		Summary diffSummary `json:"summary"`
		Groups  []jsonGroup `json:"groups"`
	}
	diffSummary struct {
		Sets    int      `json:"sets"`
		Touched int      `json:"touched"`
		Causes  int      `json:"causes"`
		Changes int      `json:"changes"`
		Open    []string `json:"notAccepted"` // the gates that a change rises which nobody has accepted
	}
	jsonGroup struct {
		ID      string       `json:"id"`
		Cause   string       `json:"cause,omitempty"`
		Changes []jsonChange `json:"changes"`
	}
	jsonChange struct {
		ID       string              `json:"id"`
		Kind     string              `json:"kind"`
		Mirror   string              `json:"mirror"`
		Set      string              `json:"set"`
		Class    string              `json:"class,omitempty"`
		Field    string              `json:"field"`
		Before   string              `json:"before"`
		After    string              `json:"after"`
		At       *diffPlace          `json:"at,omitempty"`
		Was      *diffPlace          `json:"was,omitempty"`
		Harms    map[string]jsonHarm `json:"harms"`
		Rows     string              `json:"rows"`
		API      jsonHarm            `json:"api"`
		NoEffect string              `json:"noEffect,omitempty"`
		Waiver   bool                `json:"waiver,omitempty"`
		Rises    []string            `json:"rises"`
		Accepted string              `json:"accepted,omitempty"`
		Findings []string            `json:"findings,omitempty"`
	}
	jsonHarm struct {
		Direction string `json:"direction"`
		Text      string `json:"text"`
	}
	diffPlace struct {
		File   string `json:"file"`
		Line   int    `json:"line"`
		Column int    `json:"column"` // bytes, from 1
	}
)

// DiffJSON writes a diff with everything that was computed. gates are those of the
// run, for the summary.
func DiffJSON(w io.Writer, r *diff.Report, gates []string) error {
	open, _ := r.Open(gates)
	out := jsonDiff{Version: 1, Groups: []jsonGroup{}, Summary: diffSummary{
		Sets: r.Sets, Touched: r.Touched, Causes: len(r.Groups), Changes: r.Changes(), Open: notNil(open),
	}}
	for i := range r.Groups {
		g := &r.Groups[i]
		jg := jsonGroup{ID: g.ID, Cause: g.Cause, Changes: []jsonChange{}}
		for _, c := range g.Changes {
			jc := jsonChange{
				ID: c.ID, Kind: c.Kind, Mirror: c.Mirror(), Set: c.Set, Class: c.Class, Field: c.Field,
				Before: c.Before, After: c.After, At: diffPlaceOf(c.At), Was: diffPlaceOf(c.Was),
				Harms: map[string]jsonHarm{}, Rows: c.Rows,
				API:      jsonHarm{strings.ToLower(c.API.Effect.String()), c.API.Text},
				NoEffect: c.NoEffect, Waiver: c.Waiver, Rises: notNil(c.Rises()), Accepted: c.Accepted,
				Findings: r.Findings[c.Name()],
			}
			for k, h := range c.Harms {
				jc.Harms[strings.ReplaceAll(diff.Names[k], " ", "-")] = jsonHarm{h.Direction.String(), h.Text}
			}
			jg.Changes = append(jg.Changes, jc)
		}
		out.Groups = append(out.Groups, jg)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}

func notNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

func diffPlaceOf(s ir.Span) *diffPlace {
	if s.IsZero() {
		return nil
	}
	return &diffPlace{s.File, s.Start.Line, s.Start.Column}
}

// DiffResults are the changes of a diff as results, for the formats that annotate:
// a rise that a gate names and nobody has accepted is an error, any other rise a
// warning, everything else a note.
func DiffResults(r *diff.Report, gates []string) []Result {
	var out []Result
	_, open := r.Open(gates)
	failing := map[string]bool{}
	for _, g := range open {
		failing[g.ID] = true
	}
	for i := range r.Groups {
		g := &r.Groups[i]
		at := g.Changes[0].At
		if at.IsZero() {
			at = ir.Span{File: g.Changes[0].Was.File, Start: ir.Pos{Line: 1, Column: 1}, End: ir.Pos{Line: 1, Column: 1}}
		}
		severity := ir.Info
		if len(g.Changes[0].Rises()) > 0 && g.Accepted() == "" {
			severity = ir.Warning
		}
		if failing[g.ID] {
			severity = ir.Error
		}
		var parts []string
		harms, _ := g.Harms()
		for k, h := range harms {
			if h.Direction != diff.Same {
				parts = append(parts, diff.Names[k]+" "+h.Direction.String()+": "+h.Text)
			}
		}
		if api := g.API(); api.Effect != diff.OK {
			parts = append(parts, "Go API "+api.Effect.String()+": "+api.Text)
		}
		message := heading(g)
		if len(parts) > 0 {
			message += "; " + strings.Join(parts, "; ")
		}
		d := ir.Diagnostic{
			Rule: "policy-change", Severity: severity, Message: message, Span: at,
			Set: g.Changes[0].Set, Class: g.Changes[0].Class, Field: g.Changes[0].Field,
		}
		if failing[g.ID] {
			d.Help = []string{"to accept it, put this line at the end of a commit message: Retryc-Accept: " + g.ID}
		}
		out = append(out, Result{Diagnostic: d})
	}
	return out
}
