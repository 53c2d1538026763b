package compiler_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/retryc/retryc/compiler"
	"github.com/retryc/retryc/internal/report"
)

type jsonPlace struct {
	File       string
	Message    string
	Text       string
	Start, End *jsonPoint
}

type jsonPoint struct{ Line, Column, Offset int }

// counted is the line and the column of a byte, by counting: columns are
// characters, and a byte order mark is none.
func counted(text []byte, offset int) (line, column int) {
	before := strings.Split(strings.TrimPrefix(string(text[:offset]), "\uFEFF"), "\n")
	return len(before), utf8.RuneCountInString(before[len(before)-1]) + 1
}

// JSON says of every broken policy what the text says, in the same order: places,
// related places and helps, of which the text may show the first; and every place
// has a beginning and an end.
func TestJSONSaysTheSame(t *testing.T) {
	for path, a := range archives(t, brokenArchives) {
		name := filepath.Base(path)
		opt := options(a)
		all, sources := said(compile(t, opt))
		r := &report.Report{Results: report.Of(all), Source: func(name string) []byte { return sources[name] }}
		var b bytes.Buffer
		if err := report.JSON(&b, r); err != nil {
			t.Fatal(err)
		}
		var out struct {
			Results []struct {
				jsonPlace
				Severity string
				Help     []string
				Related  []jsonPlace
				Fix      *struct{ Edits []jsonPlace }
			}
		}
		if err := json.Unmarshal(b.Bytes(), &out); err != nil {
			t.Fatal(err)
		}
		place := func(p jsonPlace) string {
			if p.Start == nil {
				return p.File
			}
			if p.End == nil || p.End.Offset < p.Start.Offset || p.Start.Line < 1 || p.Start.Column < 1 || p.End.Line < p.Start.Line {
				t.Errorf("%s: a place without an end, or before it: %+v %s", name, p, p.Message)
			}
			for _, x := range []*jsonPoint{p.Start, p.End} {
				if line, column := counted(sources[p.File], x.Offset); x.Line != line || x.Column != column {
					t.Errorf("%s: byte %d of %s is at %d:%d, JSON says %d:%d", name, x.Offset, p.File, line, column, x.Line, x.Column)
				}
			}
			return fmt.Sprintf("%s:%d:%d", p.File, p.Start.Line, p.Start.Column)
		}
		lines := strings.Split(printed(t, all, sources), "\n")
		next := func(want string) {
			if len(lines) == 0 || lines[0] != want {
				t.Fatalf("%s: JSON has %q, the text %q", name, want, lines)
			}
			lines = lines[1:]
		}
		if len(out.Results) != len(all) {
			t.Errorf("%s: %d results in JSON, %d messages", name, len(out.Results), len(all))
		}
		for i, x := range out.Results {
			next(place(x.jsonPlace) + ": " + x.Severity + ": " + x.Message)
			if x.Start != nil {
				lines = lines[2:] // the line and the caret
			}
			for j, rel := range x.Related {
				if n := len(x.Related) - j; len(lines) > 0 && lines[0] == fmt.Sprintf(" see: %d more places", n) {
					if j < 3 || n < 2 {
						t.Errorf("%s: the text shows %d of %d places", name, j, len(x.Related))
					}
					lines = lines[1:]
					break // the text has the first ones, JSON all
				}
				next(" see: " + place(rel) + ": " + rel.Message)
			}
			for j, h := range x.Help {
				next([]string{"help: ", "  or: "}[min(j, 1)] + h)
			}
			switch fix := all[i].Fix; {
			case (fix == nil) != (x.Fix == nil):
				t.Errorf("%s: a fix in one of the two: %s", name, x.Message)
			case fix != nil:
				for j, e := range x.Fix.Edits {
					if e.Text != fix.Edits[j].Text || e.Start.Offset != fix.Edits[j].Span.Start.Offset || e.End.Offset != fix.Edits[j].Span.End.Offset {
						t.Errorf("%s: another edit: %+v", name, e)
					}
				}
			}
		}
		if strings.Join(lines, "") != "" {
			t.Errorf("%s: the text says more: %q", name, lines)
		}
	}
}

// What only a disk can hold: a folder named x.cue, which is a folder; links to a
// file, which are read as what they lead to; links to nothing; and UTF-16.
func TestOnDisk(t *testing.T) {
	const broken = "class: a: {http: \"GET /a\", attempts: \"1\", deadline: within: \"5s\"}\n"
	utf16 := func(order int, mark bool, text string) string {
		var b strings.Builder
		if mark {
			text = "\uFEFF" + text
		}
		for _, r := range text {
			pair := []byte{byte(r >> 8), byte(r)}
			b.WriteByte(pair[1-order])
			b.WriteByte(pair[order])
		}
		return b.String()
	}
	dir := onDisk(t, map[string]string{
		"x.cue/x.cue": "package x\n\n" + broken,
		"real/r.txt":  "package linked\n\n" + broken,
		"le/a.cue":    utf16(0, true, "package le\n\n"+broken),
		"be/a.cue":    utf16(1, true, "package be\n\n"+broken),
		"bare/a.cue":  utf16(0, false, "package bare\n\n"+broken),
		"gone/a.cue":  "package gone\n\n" + sound,
	})
	if err := os.MkdirAll(filepath.Join(dir, "linked"), 0o755); err != nil {
		t.Fatal(err)
	}
	for to, from := range map[string]string{filepath.Join(dir, "real", "r.txt"): "linked/l.cue", filepath.Join(dir, "nothing.cue"): "gone/g.cue", dir: "self"} {
		if err := os.Symlink(to, filepath.Join(dir, filepath.FromSlash(from))); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	opt := compiler.Options{Base: dir}
	folders, err := compiler.Find(opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	results, err := compiler.Compile(opt, folders)
	if err != nil {
		t.Fatal(err)
	}
	want := `bare/a.cue: error: the file is UTF-16, and CUE is UTF-8: save it as UTF-8
be/a.cue: error: the file is UTF-16, and CUE is UTF-8: save it as UTF-8
gone/g.cue: error: the file cannot be read: no such file or directory
le/a.cue: error: the file is UTF-16, and CUE is UTF-8: save it as UTF-8
linked/l.cue:3:38: error: "1" is not a number of attempts: a whole number from 1 to 100
class: a: {http: "GET /a", attempts: "1", deadline: within: "5s"}
                                     ^
help: attempts: 1
x.cue/x.cue:3:38: error: "1" is not a number of attempts: a whole number from 1 to 100
class: a: {http: "GET /a", attempts: "1", deadline: within: "5s"}
                                     ^
help: attempts: 1
`
	if got := printedFor(t, results); got != want {
		t.Errorf("want\n%s\ngot\n%s", want, got)
	}
}
