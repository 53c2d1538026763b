package report_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/diff"
	"github.com/retryc/retryc/internal/report"
)

// policySet is a set of n classes that all try so many times.
func policySet(n, attempts int, doc string) *ir.Set {
	s := &ir.Set{Name: "p", Dir: "p", Go: ir.GoTarget{Package: "pretry", Dir: "pretry"}}
	for i := range n {
		at := ir.Span{File: "p/p.cue", Start: ir.Pos{Offset: 100 * i, Line: i + 1, Column: 2}, End: ir.Pos{Offset: 100*i + 9, Line: i + 1, Column: 11}}
		c := ir.Class{
			Set: "p", Name: fmt.Sprintf("class-%d", i), Doc: doc, Attempts: attempts, AttemptTimeout: time.Second,
			Op:       ir.Operation{Kind: ir.HTTP, Text: fmt.Sprintf("GET example.com/%d", i)},
			Deadline: ir.Deadline{Within: time.Hour},
			Backoff:  ir.Backoff{Base: time.Second, Factor: 2, Cap: time.Minute},
		}
		c.Spans.Self = ir.Place{Label: at, Value: at}
		c.Spans.Add(ir.Place{Path: "attempts", Label: at, Value: at})
		c.Spans.Sort()
		s.Classes = append(s.Classes, c)
	}
	return s
}

func compared(n int) *diff.Report {
	return diff.Compare([]*ir.Set{policySet(n, 3, "")}, []*ir.Set{policySet(n, 5, "")}, diff.Options{})
}

func TestDiffJSONFollowsItsSchema(t *testing.T) {
	s := schema(t, filepath.Join("..", "..", "docs", "diff.schema.json"))
	for _, n := range []int{0, 1, 3} {
		var out bytes.Buffer
		if err := report.DiffJSON(&out, compared(n), []string{"load"}); err != nil {
			t.Fatal(err)
		}
		if err := valid(s, out.Bytes()); err != nil {
			t.Errorf("%v in\n%s", err, &out)
		}
		if n == 0 {
			continue
		}
		for _, broken := range [][2]string{{`"direction": "up"`, `"direction": "worse"`}, {`"rises": [`, `"rise": [`}, {`"version": 1`, `"version": 2`}} {
			d := strings.Replace(out.String(), broken[0], broken[1], 1)
			if d == out.String() {
				t.Fatalf("the sample has no %s", broken[0])
			}
			if valid(s, []byte(d)) == nil {
				t.Errorf("the schema takes %s", broken[1])
			}
		}
	}
}

// A comment fits, whatever the size of the change, and says what it leaves out.
func TestDiffMarkdownFitsAComment(t *testing.T) {
	for _, n := range []int{0, 1, 50, 200, 2000} {
		var out bytes.Buffer
		if err := report.DiffMarkdown(&out, compared(n), "summary", nil); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		if len(text) >= 65_536 || !utf8.ValidString(text) {
			t.Errorf("%d changes make %d bytes", n, len(text))
		}
		if !strings.HasPrefix(text, report.DiffMarker+"\n") {
			t.Errorf("%d changes: the comment does not begin with its marker", n)
		}
		if rows := strings.Count(text, "\n| p.class-"); rows < n && !strings.Contains(text, "left out") {
			t.Errorf("%d of %d changes are shown, and nothing says so", rows, n)
		}
		if strings.Count(text, "<details>") != strings.Count(text, "</details>") {
			t.Errorf("%d changes: a fold is not closed", n)
		}
	}
}
