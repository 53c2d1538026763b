package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/golden"
	"github.com/retryc/retryc/internal/report"
	"github.com/retryc/retryc/lint"
)

// span finds the nth occurrence of what in a text, from 1.
func span(file string, text []byte, what string, nth int) ir.Span {
	at := -1
	for range nth {
		i := bytes.Index(text[at+1:], []byte(what))
		if i < 0 {
			panic("no " + what)
		}
		at += 1 + i
	}
	pos := func(off int) ir.Pos {
		return ir.Pos{Offset: off, Line: 1 + bytes.Count(text[:off], []byte("\n")), Column: off - bytes.LastIndexByte(text[:off], '\n')}
	}
	return ir.Span{File: file, Start: pos(at), End: pos(at + len(what))}
}

var payments = []byte("package payments\n\n// Charge a customer's card.\nclass: charge: {\n\thttp:     \"POST api.payments.example/v1/charges\"\n\tattempts: 4\n\tbackoff: {base: \"200ms\", cap: \"20s\", jitter: \"none\"}\n\toutcome: \"404\": \"retry\"\n}\n")

// wideFile has everything before a value that makes columns differ: tabs,
// wide, combining and astral characters.
var wideFile = []byte("package w\n\tfirst: \"値段\", second: \"none\"\n\te\u0301tude: \"none\"\n\t\"😀 y\": \"none\"\n")

func sources(file string) []byte {
	switch file {
	case "payments/payments.cue":
		return payments
	case "päy ments/100%, a.cue":
		return wideFile
	}
	return nil
}

// sample is a run with something of everything.
func sample() *report.Report {
	at := func(what string, nth int) ir.Span { return span("payments/payments.cue", payments, what, nth) }
	odd := func(nth int) ir.Span { return span("päy ments/100%, a.cue", wideFile, "\"none\"", nth) }
	results := []report.Result{
		{Diagnostic: ir.Diagnostic{
			Rule: "unsafe-retry-without-key", Severity: ir.Error, Set: "payments", Class: "charge", Field: "attempts", Span: at("4", 1),
			Message: "4 attempts of a POST that has no idempotency key: if an answer is lost, it may be applied twice",
			Help:    []string{"name what makes two of them the same: idempotency: {source: \"fields\", fields: [\"order_id\"]}", "attempts: 1"},
		}},
		{Diagnostic: ir.Diagnostic{
			Rule: "missing-jitter", Severity: ir.Error, Set: "payments", Class: "charge", Field: "backoff.jitter", Span: at("\"none\"", 1),
			Message: "jitter \"none\": all clients that failed together come back together, 3 times", Help: []string{"jitter: \"full\""},
			Related: []ir.Related{{Span: at("charge", 1), Message: "through this reference of charge"}},
			Fix:     &ir.Fix{Title: "spread the waits", Edits: []ir.Edit{{Span: at("\"none\"", 1), Text: "\"full\""}}},
		}},
		{Diagnostic: ir.Diagnostic{
			Rule: "missing-retry-budget", Severity: ir.Info, Set: "payments", Class: "charge", Field: "attempts", Span: at("4", 1),
			Message: "4 attempts and no retry budget", Help: []string{"retryBudget: {ratio: 0.1, floor: 1, per: \"host\"}"},
		}},
		{Known: true, Diagnostic: ir.Diagnostic{
			Rule: "retry-on-client-error", Severity: ir.Error, Set: "payments", Class: "charge", Field: "outcome.404", Span: at("\"retry\"", 1),
			Message: "404 is retried", Help: []string{"remove \"404\""},
		}},
		{Waiver: &ir.Waiver{Rule: "missing-description", Reason: "says <what> it is & more", Until: time.Date(2027, 6, 30, 0, 0, 0, 0, time.UTC)}, Diagnostic: ir.Diagnostic{
			Rule: "missing-description", Severity: ir.Warning, Set: "payments", Class: "charge", Span: at("charge", 1),
			Message: "charge has no description", Help: []string{"// what it does\ncharge: {"},
		}},
		{Diagnostic: ir.Diagnostic{
			Rule: ir.InvalidPolicy, Severity: ir.Error, Set: "w", Span: odd(1),
			Message: "\"none\" | <b>@all</b> 100%, a:b ]]> is `odd`\u2028", Help: []string{"second: \"x\""},
		}},
		{Diagnostic: ir.Diagnostic{Rule: "missing-jitter", Severity: ir.Warning, Set: "w", Class: "x", Span: odd(2), Message: "under a combining character", Help: []string{"x"}}},
		{Diagnostic: ir.Diagnostic{Rule: "missing-jitter", Severity: ir.Warning, Set: "w", Class: "y", Span: odd(3), Message: "under a character beyond the basic plane", Help: []string{"x"}}},
		{Diagnostic: ir.Diagnostic{
			Rule: "generated-changed", Severity: ir.Error, Set: "payments", Span: ir.Span{File: "payments/paymentsretry"},
			Message: "1 file differs from the policy; run: retryc gen payments",
		}},
	}
	return &report.Report{
		Results: results, Source: sources, Version: "v0.1.0", Sets: 2, Classes: 3, Gone: 1,
		Waivers: []lint.InForce{
			{Rule: "missing-description", Set: "payments", Class: "charge", Reason: "says <what> it is & more", Until: time.Date(2027, 6, 30, 0, 0, 0, 0, time.UTC), Covers: 1, Span: at("charge", 1)},
			{Rule: "missing-owner", Set: "payments", Reason: "one team", Severity: ir.Info, Span: at("payments", 1)},
		},
	}
}

func render(t testing.TB, name string, r *report.Report) []byte {
	t.Helper()
	f, err := report.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Every format as it is written, of a run with something of everything and of
// one with nothing.
func TestFormats(t *testing.T) {
	for _, f := range report.Formats() {
		golden.Compare(t, filepath.Join("testdata", f.Name+".golden"), render(t, f.Name, sample()))
		golden.Compare(t, filepath.Join("testdata", f.Name+"_empty.golden"), render(t, f.Name, &report.Report{Sets: 1, Classes: 2}))
	}
}

// The caret stands under the first character of the value, whatever stands
// before it.
func TestCaretsAndColumns(t *testing.T) {
	for _, c := range []struct {
		what, before string
		column       int    // characters
		caret        string // what stands before the caret
	}{
		{"nothing before", "", 1, ""},
		{"tabs stay tabs", "\t\tx: ", 6, "\t\t   "},
		{"wide characters are two cells and one character", "値段: ", 5, "      "},
		{"a combining character takes none", "e\u0301: ", 5, "   "},
		{"beyond the basic plane", "😀: ", 4, "    "},
		{"Hangul, full width, ideographic space", "한Ａ\u3000", 4, "      "},
		{"a byte that is no text", "\xff: ", 4, "   "},
		{"a zero width joiner", "a\u200db", 4, "  "},
	} {
		text := []byte("first\n" + c.before + "VALUE after\n")
		r := &report.Report{
			Results: report.Of([]ir.Diagnostic{{Rule: "x", Severity: ir.Error, Message: "m", Span: span("f.cue", text, "VALUE", 1)}}),
			Source:  func(string) []byte { return text },
		}
		lines := strings.Split(string(render(t, "text", r)), "\n")
		if want := "f.cue:2:" + itoa(c.column) + ": error: m [x]"; lines[0] != want {
			t.Errorf("%s: %q, want %q", c.what, lines[0], want)
		}
		if lines[2] != c.caret+"^" {
			t.Errorf("%s: caret line %q, want %q", c.what, lines[2], c.caret+"^")
		}
	}
}

func itoa(n int) string {
	b, _ := json.Marshal(n)
	return string(b)
}

// A byte order mark is no character, line endings are no part of the line, and a
// control character of the file does not reach the terminal.
func TestLinesAsTheyAre(t *testing.T) {
	text := []byte("\uFEFFx: VALUE \x1b[31m\r\nsecond\r\n")
	r := &report.Report{
		Results: report.Of([]ir.Diagnostic{{Rule: "x", Severity: ir.Error, Message: "evil \x1b[2J", Span: span("f.cue", text, "VALUE", 1)}}),
		Source:  func(string) []byte { return text },
	}
	want := "f.cue:1:4: error: evil \uFFFD[2J [x]\nx: VALUE \uFFFD[31m\n   ^\n"
	if got := string(render(t, "text", r)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A position that the file does not have, or a file that nobody has, is shown
// without a line.
func TestPlacesThatAreNotThere(t *testing.T) {
	for _, s := range []ir.Span{
		{File: "f.cue", Start: ir.Pos{Line: 99, Column: 3, Offset: 1000}, End: ir.Pos{Line: 99, Column: 4, Offset: 1001}},
		{File: "f.cue", Start: ir.Pos{Line: 1, Column: 99, Offset: 98}, End: ir.Pos{Line: 1, Column: 120, Offset: 119}},
		{File: "none.cue", Start: ir.Pos{Line: 1, Column: 1}, End: ir.Pos{Line: 1, Column: 1}},
		{File: "folder"},
		{},
	} {
		r := &report.Report{
			Results: report.Of([]ir.Diagnostic{{Rule: "x", Severity: ir.Error, Message: "m", Span: s}}),
			Source: func(f string) []byte {
				if f == "f.cue" {
					return []byte("one line")
				}
				return nil
			},
		}
		for _, f := range report.Formats() {
			if out := render(t, f.Name, r); !strings.Contains(string(out), "m") {
				t.Errorf("%s of %+v: %s", f.Name, s, out)
			}
		}
	}
}

// Whatever stands in a file or a message, the machine formats stay well-formed.
func FuzzWellFormed(f *testing.F) {
	f.Add("a: b, c%\r\n]]>", "x\x00\xff|`", 3)
	f.Add("\u2028<script>", "\uFEFF値", 1)
	f.Fuzz(func(t *testing.T, message, source string, column int) {
		at := min(max(column, 1), len(source)+1)
		s := ir.Span{File: "a b%/" + message, Start: ir.Pos{Offset: at - 1, Line: 1, Column: at}, End: ir.Pos{Offset: len(source), Line: 1, Column: len(source) + 1}}
		r := &report.Report{
			Results: []report.Result{
				{Diagnostic: ir.Diagnostic{Rule: "missing-jitter", Severity: ir.Error, Message: message, Span: s, Help: []string{message}, Fix: &ir.Fix{Title: message, Edits: []ir.Edit{{Span: s, Text: message}}}}},
				{Diagnostic: ir.Diagnostic{Rule: "x", Severity: ir.Info, Message: message, Span: s}, Waiver: &ir.Waiver{Reason: message}},
			},
			Source: func(string) []byte { return []byte(source) },
		}
		for _, name := range []string{"json", "sarif", "gitlab"} {
			if out := render(t, name, r); !json.Valid(out) || !utf8.Valid(out) {
				t.Fatalf("%s is no JSON: %s", name, out)
			}
		}
		for _, name := range []string{"junit", "checkstyle"} {
			d := xml.NewDecoder(bytes.NewReader(render(t, name, r)))
			for {
				if _, err := d.Token(); err != nil {
					if err.Error() != "EOF" {
						t.Fatalf("%s: %v", name, err)
					}
					break
				}
			}
		}
		if out := string(render(t, "github", r)); strings.Count(out, "\n") != 1 || !strings.HasPrefix(out, "::error file=") {
			t.Fatalf("github: %q", out)
		}
		if out := string(render(t, "text", r)); strings.ContainsAny(out, "\x00\x1b\r") {
			t.Fatalf("text: %q", out)
		}
	})
}

func TestGitHubShowsTheWorstFirst(t *testing.T) {
	r := &report.Report{Results: report.Of([]ir.Diagnostic{
		{Rule: "a", Severity: ir.Info, Message: "one"}, {Rule: "b", Severity: ir.Error, Message: "two"}, {Rule: "c", Severity: ir.Warning, Message: "three"},
	})}
	want := "::error file=,title=b::two\n::warning file=,title=c::three\n::notice file=,title=a::one\n"
	if got := string(render(t, "github", r)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Fingerprints are unique, and keep when lines are put in front.
func TestFingerprintsDoNotMove(t *testing.T) {
	prints := func(prefix string) []string {
		text := []byte(prefix + string(payments))
		r := &report.Report{Source: func(string) []byte { return text }}
		for nth := 1; nth <= 2; nth++ {
			r.Results = append(r.Results, report.Result{Diagnostic: ir.Diagnostic{Rule: "x", Message: "m", Severity: ir.Error, Span: span("f.cue", text, "charge", nth)}})
		}
		r.Results = append(r.Results, r.Results[0])
		var issues []struct{ Fingerprint string }
		if err := json.Unmarshal(render(t, "gitlab", r), &issues); err != nil {
			t.Fatal(err)
		}
		seen, out := map[string]bool{}, []string{}
		for _, i := range issues {
			if seen[i.Fingerprint] {
				t.Errorf("two results have the fingerprint %s", i.Fingerprint)
			}
			seen[i.Fingerprint] = true
			out = append(out, i.Fingerprint)
		}
		return out
	}
	if a, b := prints(""), prints("// one\n// two\n"); strings.Join(a, " ") != strings.Join(b, " ") {
		t.Errorf("fingerprints %v, and two lines further down %v", a, b)
	}
}

// A comment on GitHub takes 65,536 characters.
func TestMarkdownIsBounded(t *testing.T) {
	r := &report.Report{}
	for range 5000 {
		r.Results = append(r.Results, sample().Results[0])
		r.Waivers = append(r.Waivers, sample().Waivers[0])
	}
	out := render(t, "markdown", r)
	if n := utf8.RuneCount(out); n > 65536 || !strings.Contains(string(out), "more.") {
		t.Errorf("%d characters", n)
	}
}

// What many classes share is printed once, with the places it was reached from.
func TestSharedValuesAreSaidOnce(t *testing.T) {
	r := &report.Report{Source: sources}
	for range 40 {
		r.Results = append(r.Results, sample().Results[1])
	}
	out := string(render(t, "text", r))
	if n := strings.Count(out, "missing-jitter"); n != 1 || !strings.Contains(out, " see: 37 more places\n") {
		t.Errorf("printed %d times:\n%s", n, out)
	}
}

func TestColor(t *testing.T) {
	r := sample()
	r.Color = true
	colored := string(render(t, "text", r))
	if !strings.Contains(colored, "\x1b[31;1merror\x1b[0m") {
		t.Errorf("no color: %q", colored)
	}
	r.Color = false
	if strings.Contains(string(render(t, "text", r)), "\x1b") {
		t.Error("color that nobody asked for")
	}
}

func TestUnknownFormat(t *testing.T) {
	for name, want := range map[string]string{
		"srif": `unknown output format "srif"; did you mean "sarif"? one of text, json, sarif, github, gitlab, junit, checkstyle, markdown`,
		"pdf!": `unknown output format "pdf!"; one of text, json, sarif, github, gitlab, junit, checkstyle, markdown`,
	} {
		if _, err := report.Find(name); err == nil || err.Error() != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// GitHub ends a property at a comma or colon and a command at the line's end.
func TestGitHubEscapes(t *testing.T) {
	r := &report.Report{Results: report.Of([]ir.Diagnostic{{
		Rule: "x", Severity: ir.Error, Message: "50%: a,b\r\nc", Span: ir.Span{File: "a:b,c%.cue"},
	}})}
	want := "::error file=a%3Ab%2Cc%25.cue,title=x::50%25: a,b%0D%0Ac\n"
	if got := string(render(t, "github", r)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// SARIF says that it counts UTF-16 code units, and does.
func TestSARIFColumns(t *testing.T) {
	for before, want := range map[string]int{"": 1, "\t": 2, "é": 2, "e\u0301": 3, "値": 2, "😀": 3, "\uFEFF": 1} {
		text := []byte(before + "VALUE")
		if before == "\uFEFF" {
			text = []byte("\uFEFFVALUE")
		}
		r := &report.Report{
			Results: report.Of([]ir.Diagnostic{{Rule: "x", Severity: ir.Error, Message: "m", Span: span("f.cue", text, "VALUE", 1)}}),
			Source:  func(string) []byte { return text },
		}
		var log struct {
			Runs []struct {
				ColumnKind string
				Results    []struct {
					Locations []struct {
						PhysicalLocation struct {
							Region struct{ StartColumn, EndColumn int }
						}
					}
				}
			}
		}
		if err := json.Unmarshal(render(t, "sarif", r), &log); err != nil {
			t.Fatal(err)
		}
		got := log.Runs[0].Results[0].Locations[0].PhysicalLocation.Region
		if log.Runs[0].ColumnKind != "utf16CodeUnits" || got.StartColumn != want || got.EndColumn != want+5 {
			t.Errorf("behind %q: columns %+v of %s, want %d", before, got, log.Runs[0].ColumnKind, want)
		}
	}
}

// A path is a URI that leads back to it: a colon in its first part is no scheme.
func TestSARIFPaths(t *testing.T) {
	for _, file := range []string{"p/p.cue", "http:x/p.cue", "a:b.cue", "päy ments/100%, a.cue", "../q/q.cue", "x/a:b.cue", "a?b#c.cue"} {
		var log struct {
			Runs []struct {
				Results []struct {
					Locations []struct {
						PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
					}
				}
			}
		}
		r := &report.Report{Results: report.Of([]ir.Diagnostic{{Rule: "x", Severity: ir.Error, Message: "m", Span: ir.Span{File: file}}})}
		if err := json.Unmarshal(render(t, "sarif", r), &log); err != nil {
			t.Fatal(err)
		}
		text := log.Runs[0].Results[0].Locations[0].PhysicalLocation.ArtifactLocation.URI
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "" || u.Host != "" || path.Clean(u.Path) != path.Clean(file) {
			t.Errorf("%q is written as %q, read as %+v, %v", file, text, u, err)
		}
	}
}

// Help over lines stays over lines in a table: a comment must not swallow what
// follows.
func TestMarkdownHelpOverLines(t *testing.T) {
	r := &report.Report{Results: report.Of([]ir.Diagnostic{{Rule: "x", Severity: ir.Error, Message: "m", Help: []string{"// what\nname: {", "other"}}})}
	if got := string(render(t, "markdown", r)); !strings.Contains(got, "| // what<br>name: {<br>or: other |") {
		t.Errorf("got\n%s", got)
	}
}

// Ten times the results of a file ten times as long cost ten times as much, not
// a hundred: each metric is the time of one result against that of the first row.
func BenchmarkText(b *testing.B) {
	var first float64
	for _, n := range []int{1000, 10000} {
		b.Run(itoa(n), func(b *testing.B) {
			text := bytes.Repeat([]byte("\tjitter: \"none\"\n"), n)
			r := &report.Report{Source: func(string) []byte { return text }}
			for i := range n {
				s := ir.Span{File: "f.cue", Start: ir.Pos{Offset: 16*i + 9, Line: i + 1, Column: 10}, End: ir.Pos{Offset: 16*i + 15, Line: i + 1, Column: 16}}
				r.Results = append(r.Results, report.Result{Diagnostic: ir.Diagnostic{Rule: "missing-jitter", Severity: ir.Error, Message: "m", Span: s}})
			}
			for b.Loop() {
				for _, f := range report.Formats() {
					if err := f.Write(io.Discard, r); err != nil {
						b.Fatal(err)
					}
				}
			}
			per := float64(b.Elapsed().Nanoseconds()) / float64(b.N*n)
			if first == 0 {
				first = per
			}
			b.ReportMetric(per/first, "of-the-first")
		})
	}
}

// A message that ends with a question mark gets no full stop as well.
func TestSARIFSentences(t *testing.T) {
	r := &report.Report{}
	for _, d := range []ir.Diagnostic{
		{Message: "unknown field \"ownr\"; did you mean \"owner\"?", Help: []string{"owner: \"a\""}},
		{Message: "did you mean it?"},
		{Message: "it is wrong", Help: []string{"say it."}},
	} {
		d.Rule, d.Severity, d.Span.File = ir.InvalidPolicy, ir.Error, "a.cue"
		r.Results = append(r.Results, report.Result{Diagnostic: d})
	}
	var doc struct {
		Runs []struct {
			Results []struct{ Message struct{ Text string } }
		}
	}
	if err := json.Unmarshal(render(t, "sarif", r), &doc); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range doc.Runs[0].Results {
		got = append(got, x.Message.Text)
	}
	want := []string{`Unknown field "ownr"; did you mean "owner"? Help: owner: "a".`, "Did you mean it?", "It is wrong. Help: say it."}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
