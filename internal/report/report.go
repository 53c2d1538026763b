// Package report prints what a run has to say about policies: for people, for
// editors and for the tools that reviewers read. A reporter is a pure function
// of a Report; which ones there are stands in Formats.
package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/nearest"
	"github.com/retryc/retryc/lint"
)

// Report is everything that one run found.
type Report struct {
	// Results in the order in which they are shown. Reporters that show only
	// some of them choose by severity themselves.
	Results []Result

	// Waivers that are in force, for formats that list them.
	Waivers []lint.InForce

	// Source returns the text of a file by its name in spans, or nil.
	Source func(file string) []byte

	// Version of the program, for formats that name their tool. Empty: none.
	Version string

	// Sets and Classes that were looked at; Gone counts the findings of a
	// baseline that no longer occur.
	Sets, Classes, Gone int

	// Notes shows results of severity info in text. Machine formats always
	// hold them.
	Notes bool

	// Color marks text with ANSI colors.
	Color bool

	lines map[string][]int // where the lines of each file begin
}

// Result is one diagnostic and what has been decided about it.
type Result struct {
	ir.Diagnostic
	Known  bool       // the baseline has it: it does not fail the run
	Waiver *ir.Waiver // the waiver that accepts it; nil: none
}

// open reports whether nobody has accepted the result.
func (r *Result) open() bool { return !r.Known && r.Waiver == nil }

// Of makes results of diagnostics that nobody has accepted.
func Of(diagnostics []ir.Diagnostic) []Result {
	out := make([]Result, len(diagnostics))
	for i, d := range diagnostics {
		out[i].Diagnostic = d
	}
	return out
}

// Format writes a report in one format.
type Format struct {
	Name  string // as in --output NAME
	Title string // one line for help texts
	Write func(io.Writer, *Report) error
}

// Formats lists the formats, the default first.
func Formats() []Format {
	return []Format{
		{"text", "for people: file:line:col, the source line, a caret, help", Text},
		{"json", "everything, as docs/findings.schema.json says", JSON},
		{"sarif", "SARIF 2.1.0, for code scanning", SARIF},
		{"github", "annotations of GitHub Actions", GitHub},
		{"gitlab", "GitLab code quality", GitLab},
		{"junit", "JUnit XML", JUnit},
		{"checkstyle", "Checkstyle XML", Checkstyle},
		{"markdown", "a summary for a job or a comment", Markdown},
	}
}

// Find returns the format of that name. The error of an unknown one suggests
// the nearest.
func Find(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	hint := ""
	if near := nearest.Of(name, names); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return Format{}, fmt.Errorf("unknown output format %q%s one of %s", name, orComma(hint), strings.Join(names, ", "))
}

func orComma(hint string) string {
	if hint == "" {
		return ";"
	}
	return hint
}

// printer remembers the first error of a series of writes.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (r *Report) source(file string) []byte {
	if r.Source == nil {
		return nil
	}
	return r.Source(file)
}
