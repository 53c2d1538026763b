package lint_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/lint"
)

const fixHead = `package shop

// Read an order.
class: "get-order": {
	http:           "GET api.shop.example/v1/orders/{id}"
	attempts:       3
	attemptTimeout: "2s"
	deadline: within: "15s"
`

// fixed lints a policy and applies what can be fixed.
func fixed(t *testing.T, files []txtar.File) ([]txtar.File, lint.Fixed) {
	t.Helper()
	sets, got := run(t, files)
	done := lint.ApplyFixes(got.Findings, sources(sets))
	out := slices.Clone(files)
	for i, f := range out {
		if text, ok := done.Files[f.Name]; ok {
			out[i].Data = text
		}
	}
	return out, done
}

// How a field is taken out, or its value replaced, in each way of writing it.
func TestFixes(t *testing.T) {
	const backoff = "\tbackoff: {base: \"200ms\", cap: \"2s\"}\n"
	for _, c := range []struct{ name, before, after string }{
		{"a value", "\tbackoff: {base: \"200ms\", cap: \"2s\", jitter: \"none\"} // slow\n}\n", "\tbackoff: {base: \"200ms\", cap: \"2s\", jitter: \"full\"} // slow\n}\n"},
		{"a line", backoff + "\toutcome: \"404\": \"retry\"\n}\n", backoff + "}\n"},
		{"the first of two", backoff + "\toutcome: {\"404\": \"retry\", \"500\": \"retry\"}\n}\n", backoff + "\toutcome: {\"500\": \"retry\"}\n}\n"},
		{"the last of two", backoff + "\toutcome: {\"500\": \"retry\", \"404\": \"retry\"}\n}\n", backoff + "\toutcome: {\"500\": \"retry\"}\n}\n"},
		{"the only one in braces", backoff + "\toutcome: {\"404\": \"retry\"}\n}\n", backoff + "\toutcome: {}\n}\n"},
		{"a line among lines", backoff + "\toutcome: {\n\t\t\"500\": \"retry\" // flaky\n\t\t\"404\": \"retry\"\n\t}\n}\n", backoff + "\toutcome: {\n\t\t\"500\": \"retry\" // flaky\n\t}\n}\n"},
		{"a comment beside it stays, and so does the field", backoff + "\toutcome: \"404\": \"retry\" // why?\n}\n", ""},
		{"so does a comment behind its line", backoff + "\toutcome: {\"500\": \"retry\", \"404\": \"retry\"} // flaky\n}\n", ""},
		{"a comment above it stays, and so does the field", backoff + "\t// Not visible at once.\n\toutcome: \"404\": \"retry\"\n}\n", ""},
		{"a waiver over lines", backoff + "\twaive: \"missing-jitter\": {\n\t\treason: \"x\"\n\t\tuntil: \"2027-01-01\"\n\t}\n}\n", backoff + "}\n"},
		{"a waiver of two", backoff + "\twaive: {\"missing-jitter\": {reason: \"x\", until: \"2027-01-01\"}, \"tight-retry\": {reason: \"y\", until: \"2027-01-01\"}}\n}\n", backoff + "\twaive: {\"tight-retry\": {reason: \"y\", until: \"2027-01-01\"}}\n}\n"},
		{"a default of the language", backoff[:len(backoff)-2] + ", factor: 1}\n}\n", backoff + "}\n"},
		{"new credentials", backoff + "\toutcome: \"401\": \"retry\"\n}\n", backoff + "\toutcome: \"401\": \"refresh\"\n}\n"},
		{"a code whose class says success", backoff + "\toutcome: {\"4xx\": \"success\", \"404\": \"retry\"}\n}\n", backoff + "\toutcome: {\"4xx\": \"success\", \"404\": \"terminal\"}\n}\n"},
		{"a code whose class is retried", backoff + "\toutcome: {\"5xx\": \"retry\", \"501\": \"retry\"}\n}\n", backoff + "\toutcome: {\"5xx\": \"retry\", \"501\": \"terminal\"}\n}\n"},
		{"the server's delay", backoff + "\tretryAfter: mode: \"ignore\"\n}\n", backoff + "\tretryAfter: mode: \"override\"\n}\n"},
		{"line endings of another system", strings.ReplaceAll(backoff+"\toutcome: \"404\": \"retry\"\n}\n", "\n", "\r\n"), strings.ReplaceAll(backoff+"}\n", "\n", "\r\n")},
		{"the class in one path", "}\nclass: \"get-order\": backoff: {base: \"200ms\", cap: \"2s\"}\nclass: \"get-order\": outcome: \"404\": \"retry\"\n", ""},
	} {
		files := []txtar.File{{Name: "shop.cue", Data: []byte(fixHead + c.before)}}
		want := fixHead + c.after
		if c.after == "" {
			want = fixHead + c.before
		}
		out, done := fixed(t, files)
		if got := string(out[0].Data); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, want)
		}
		if (len(done.Applied) == 0) != (c.after == "") {
			t.Errorf("%s: applied %v, skipped %v", c.name, done.Applied, done.Skipped)
		}
	}
}

func TestFixesAsADiff(t *testing.T) {
	files := []txtar.File{
		{Name: "b/b.cue", Data: []byte(strings.Replace(fixHead, "shop", "b", 1) + "\tbackoff: {base: \"200ms\", cap: \"2s\"}\n\toutcome: \"404\": \"retry\"\n}\n")},
		{Name: "a/a.cue", Data: []byte(strings.Replace(fixHead, "shop", "a", 1) + "\tbackoff: {base: \"200ms\", cap: \"2s\", jitter: \"none\"}\n}\n")},
	}
	sets, got := run(t, files)
	done := lint.ApplyFixes(got.Findings, sources(sets))
	want := `--- a/a.cue
+++ a/a.cue (fixed)
@@ -6,5 +6,5 @@
 	attempts:       3
 	attemptTimeout: "2s"
 	deadline: within: "15s"
-	backoff: {base: "200ms", cap: "2s", jitter: "none"}
+	backoff: {base: "200ms", cap: "2s", jitter: "full"}
 }
--- b/b.cue
+++ b/b.cue (fixed)
@@ -7,5 +7,4 @@
 	attemptTimeout: "2s"
 	deadline: within: "15s"
 	backoff: {base: "200ms", cap: "2s"}
-	outcome: "404": "retry"
 }
`
	if diff := done.Diff(sources(sets)); diff != want {
		t.Errorf("got\n%s\nwant\n%s", diff, want)
	}
}

// A value that other classes share is not changed for the sake of one.
func TestSharedValuesAreNotFixed(t *testing.T) {
	files := []txtar.File{{Name: "shop.cue", Data: []byte(`package shop

#Waits: {base: "200ms", cap: "2s", jitter: "none"}

// Read an order.
class: "get-order": {
	http:           "GET api.shop.example/v1/orders/{id}"
	attempts:       3
	attemptTimeout: "2s"
	deadline: within: "15s"
	backoff: #Waits
}
`)}}
	_, got := run(t, files)
	if len(got.Findings) != 1 || got.Findings[0].Rule != "missing-jitter" || got.Findings[0].Fix != nil {
		t.Errorf("found %+v", got.Findings)
	}
}

// Whatever the archives' bad policies show, its fixes leave a policy that
// compiles, where what was fixed is no longer found and nothing graver is.
func TestFixesMend(t *testing.T) {
	mended := map[string]bool{}
	for _, r := range lint.Rules() {
		p, err := lint.PageOf(r.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range p.Bad {
			_, before := run(t, e.Files)
			files, done := fixed(t, e.Files)
			if len(done.Applied) == 0 {
				continue
			}
			sets, after := run(t, files)
			for _, d := range done.Applied {
				mended[d.Rule] = true
				if slices.ContainsFunc(after.Findings, func(x ir.Diagnostic) bool {
					return x.Rule == d.Rule && x.Class == d.Class && x.Field == d.Field
				}) {
					t.Errorf("%s/%s: %s is still there:\n%s", r.ID, e.Name, d.Rule, text(t, sets, after.Findings))
				}
			}
			if grave(after.Findings) > grave(before.Findings)-graveOf(done.Applied) {
				t.Errorf("%s/%s: the fixes bring errors or warnings:\n%s", r.ID, e.Name, text(t, sets, after.Findings))
			}
			for i := range files {
				checkOutside(t, e.Files[i].Data, files[i].Data, done.Applied, files[i].Name)
			}
		}
	}
	for _, id := range []string{"missing-jitter", "retry-on-client-error", "retry-on-unauthorized", "retry-on-permanent-failure", "retry-after-ignored", "waiver-unused", "backoff-not-increasing", "offline-burns-attempts", "idle-field"} {
		if !mended[id] {
			t.Errorf("no archive shows a fix of %s", id)
		}
	}
}

func grave(found []ir.Diagnostic) int {
	n := 0
	for _, d := range found {
		if d.Severity > ir.Info {
			n++
		}
	}
	return n
}

func graveOf(found []ir.Diagnostic) int { return grave(found) }

// checkOutside holds a fixed text to being the old one with the edits made, from
// the last to the first.
func checkOutside(t *testing.T, old, got []byte, applied []ir.Diagnostic, file string) {
	t.Helper()
	var edits []ir.Edit
	for _, d := range applied {
		for _, e := range d.Fix.Edits {
			if e.Span.File == file && !slices.Contains(edits, e) {
				edits = append(edits, e)
			}
		}
	}
	slices.SortFunc(edits, func(a, b ir.Edit) int { return b.Span.Start.Offset - a.Span.Start.Offset })
	for _, e := range edits {
		for _, p := range []ir.Pos{e.Span.Start, e.Span.End} {
			line, column := 1+bytes.Count(old[:p.Offset], []byte("\n")), p.Offset-bytes.LastIndexByte(old[:p.Offset], '\n')
			if p.Line != line || p.Column != column {
				t.Errorf("offset %d is said to be %d:%d, and is %d:%d", p.Offset, p.Line, p.Column, line, column)
			}
		}
		old = slices.Concat(old[:e.Span.Start.Offset], []byte(e.Text), old[e.Span.End.Offset:])
	}
	if !bytes.Equal(old, got) {
		t.Errorf("%s is\n%s\nwant\n%s", file, got, old)
	}
}

// Edits that meet are not both made, and edits outside the file are not made.
func TestFixesThatMeet(t *testing.T) {
	text := []byte("0123456789")
	edit := func(start, end int, with string) ir.Diagnostic {
		return ir.Diagnostic{Fix: &ir.Fix{Edits: []ir.Edit{{Span: ir.Span{File: "f", Start: ir.Pos{Offset: start}, End: ir.Pos{Offset: end}}, Text: with}}}}
	}
	for _, c := range []struct {
		found            []ir.Diagnostic
		want             string
		applied, skipped int
	}{
		{[]ir.Diagnostic{edit(2, 4, "x"), edit(4, 6, "y")}, "01xy6789", 2, 0},
		{[]ir.Diagnostic{edit(2, 5, "x"), edit(4, 6, "y")}, "01x56789", 1, 1},
		{[]ir.Diagnostic{edit(2, 5, "x"), edit(2, 5, "x")}, "01x56789", 2, 0},
		{[]ir.Diagnostic{edit(2, 5, "x"), edit(2, 5, "y")}, "01x56789", 1, 1},
		{[]ir.Diagnostic{edit(8, 10, ""), edit(0, 1, "")}, "1234567", 2, 0},
		{[]ir.Diagnostic{edit(8, 11, ""), edit(5, 4, ""), edit(-1, 4, "")}, "", 0, 3},
		{[]ir.Diagnostic{{}}, "", 0, 0},
	} {
		got := lint.ApplyFixes(c.found, func(name string) []byte {
			if name == "f" {
				return text
			}
			return nil
		})
		if string(got.Files["f"]) != c.want || len(got.Applied) != c.applied || len(got.Skipped) != c.skipped {
			t.Errorf("%v: %q, %d applied, %d skipped", c.found, got.Files["f"], len(got.Applied), len(got.Skipped))
		}
	}
	if string(text) != "0123456789" {
		t.Errorf("the source was changed: %s", text)
	}
}
