package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
)

type (
	junitSuites struct {
		XMLName  xml.Name   `xml:"testsuites"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Suite    junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		File    string        `xml:"file,attr,omitempty"`
		Line    int           `xml:"line,attr,omitempty"`
		Failure *junitText    `xml:"failure"`
		Skipped *junitSkipped `xml:"skipped"`
		Out     string        `xml:"system-out,omitempty"`
	}
	junitText struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
	junitSkipped struct {
		Message string `xml:"message,attr"`
	}
)

// JUnit writes a test case for each result: errors and warnings fail, notes
// pass and say what they have to say, what somebody has accepted is skipped. A
// run without results has one case, which passes.
func JUnit(w io.Writer, r *Report) error {
	s := junitSuite{Name: "retryc"}
	for i := range r.Results {
		d := &r.Results[i]
		c := junitCase{Name: d.Rule, Class: strings.Trim(d.Set+"."+d.Class, "."), File: d.Span.File, Line: d.Span.Start.Line}
		if c.Class == "" {
			c.Class = d.Span.File
		}
		place, _, _ := r.place(d.Span)
		text := fmt.Sprintf("%s: %s: %s", place, d.Severity, d.Message)
		for i, h := range d.Help {
			text += "\n" + []string{"help: ", "  or: "}[min(i, 1)] + h
		}
		switch {
		case d.Waiver != nil:
			c.Skipped = &junitSkipped{"waived: " + d.Waiver.Reason}
			s.Skipped++
		case d.Known:
			c.Skipped = &junitSkipped{"in the baseline"}
			s.Skipped++
		case d.Severity == ir.Info:
			c.Out = text
		default:
			c.Failure = &junitText{d.Message, d.Severity.String(), text}
			s.Failures++
		}
		s.Cases = append(s.Cases, c)
	}
	if len(s.Cases) == 0 {
		s.Cases = []junitCase{{Name: "policies", Class: "retryc"}}
	}
	s.Tests = len(s.Cases)
	return writeXML(w, junitSuites{Name: "retryc", Tests: s.Tests, Failures: s.Failures, Suite: s})
}

type (
	checkstyle struct {
		XMLName xml.Name         `xml:"checkstyle"`
		Version string           `xml:"version,attr"`
		Files   []checkstyleFile `xml:"file"`
	}
	checkstyleFile struct {
		Name   string            `xml:"name,attr"`
		Errors []checkstyleError `xml:"error"`
	}
	checkstyleError struct {
		Line     int    `xml:"line,attr,omitempty"`
		Column   int    `xml:"column,attr,omitempty"`
		Severity string `xml:"severity,attr"`
		Message  string `xml:"message,attr"`
		Source   string `xml:"source,attr"`
	}
)

// Checkstyle writes the format of that name, which many editors and CI servers
// read. The version is that of the format's first readers.
func Checkstyle(w io.Writer, r *Report) error {
	out := checkstyle{Version: "4.3"}
	index := map[string]int{}
	for _, d := range r.open() {
		at, ok := index[d.Span.File]
		if !ok {
			at = len(out.Files)
			index[d.Span.File] = at
			out.Files = append(out.Files, checkstyleFile{Name: d.Span.File})
		}
		message := d.Message
		if len(d.Help) > 0 {
			message += " (help: " + oneLine(d.Help) + ")"
		}
		g := r.region(d.Span, characters)
		out.Files[at].Errors = append(out.Files[at].Errors, checkstyleError{
			g.StartLine, g.StartColumn, d.Severity.String(), message, "retryc." + d.Rule,
		})
	}
	return writeXML(w, out)
}

func writeXML(w io.Writer, v any) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
