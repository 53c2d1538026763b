package report

import (
	"io"

	"github.com/retryc/retryc/compiler/ir"
)

type gitlabIssue struct {
	Description string         `json:"description"`
	CheckName   string         `json:"check_name"`
	Fingerprint string         `json:"fingerprint"`
	Severity    string         `json:"severity"`
	Location    gitlabLocation `json:"location"`
}

type gitlabLocation struct {
	Path  string      `json:"path"`
	Lines gitlabLines `json:"lines"`
}

type gitlabLines struct {
	Begin int `json:"begin"`
}

// GitLab writes a code quality report. Its fingerprints hold no line number, so
// that a merge request shows what is new and not what has moved.
func GitLab(w io.Writer, r *Report) error {
	prints := r.fingerprints()
	out := []gitlabIssue{}
	for i := range r.Results {
		d := &r.Results[i]
		if !d.open() {
			continue
		}
		text := d.Message
		if len(d.Help) > 0 {
			text += " (help: " + oneLine(d.Help) + ")"
		}
		out = append(out, gitlabIssue{
			Description: text, CheckName: d.Rule, Fingerprint: prints[i], Severity: gitlabSeverity(d.Severity),
			Location: gitlabLocation{d.Span.File, gitlabLines{max(d.Span.Start.Line, 1)}},
		})
	}
	return encode(w, out)
}

func gitlabSeverity(s ir.Severity) string {
	switch s {
	case ir.Error:
		return "critical"
	case ir.Warning:
		return "major"
	}
	return "info"
}
