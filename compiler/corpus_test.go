package compiler_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cuelang.org/go/cue/parser"
	"golang.org/x/tools/txtar"

	"github.com/retryc/retryc/compiler"
	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/golden"
	"github.com/retryc/retryc/internal/report"
)

// root is where archives live in the overlay: nowhere on disk.
const root = "/retryc-archive"

// namedSection is that of an archive whose folder has to be named on the command
// line, since nothing in it says that it is a policy set.
const namedSection = "named"

// options lays the files of an archive out below root.
func options(a *txtar.Archive) compiler.Options {
	opt := compiler.Options{Base: filepath.FromSlash(root), Overlay: map[string][]byte{}}
	for _, f := range a.Files {
		if strings.HasSuffix(f.Name, ".cue") || f.Name == namedSection {
			opt.Overlay[filepath.Join(opt.Base, filepath.FromSlash(f.Name))] = expand(f.Data)
		}
	}
	return opt
}

// expand writes what an archive cannot hold: «BOM», «CR».
func expand(text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte("«BOM»"), []byte("\uFEFF"))
	return bytes.ReplaceAll(text, []byte("«CR»"), []byte("\r"))
}

// compile finds and compiles all sets of an archive, as "retryc check" does: what
// is not found there, its user never hears of. An archive with a section named
// shows what naming the folder says.
func compile(t testing.TB, opt compiler.Options) []compiler.Result {
	t.Helper()
	var patterns []string
	if _, ok := opt.Overlay[filepath.Join(opt.Base, namedSection)]; ok {
		patterns = []string{"."}
		if folders, err := compiler.Find(opt, nil); !errors.Is(err, compiler.ErrNoSet) {
			t.Errorf("the folder need not be named: %v", folders)
		}
	}
	folders, err := compiler.Find(opt, patterns)
	if err != nil {
		t.Fatal(err)
	}
	results, err := compiler.Compile(opt, folders)
	if err != nil {
		var fault *compiler.Fault
		if errors.As(err, &fault) {
			t.Fatalf("%v\n%s", err, fault.Stack)
		}
		t.Fatal(err)
	}
	return results
}

func said(results []compiler.Result) (all []ir.Diagnostic, sources map[string][]byte) {
	sources = map[string][]byte{}
	for _, r := range results {
		all = append(all, r.Mistakes...)
		all = append(all, r.Warnings...)
		for _, s := range r.Sources {
			sources[s.Name] = s.Text
		}
	}
	return all, sources
}

func printed(t testing.TB, all []ir.Diagnostic, sources map[string][]byte) string {
	t.Helper()
	var b bytes.Buffer
	err := report.Text(&b, &report.Report{
		Results: report.Of(all),
		Source:  func(name string) []byte { return sources[name] },
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func archives(t testing.TB, pattern string) map[string]*txtar.Archive {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("no archives at %s: %v", pattern, err)
	}
	out := map[string]*txtar.Archive{}
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = a
	}
	return out
}

func section(a *txtar.Archive, name string) (data []byte, ok bool) {
	for _, f := range a.Files {
		if f.Name == name {
			return f.Data, true
		}
	}
	return nil, false
}

func setSection(a *txtar.Archive, name string, data []byte) {
	for i := range a.Files {
		if a.Files[i].Name == name {
			a.Files[i].Data = data
			return
		}
	}
	a.Files = append(a.Files, txtar.File{Name: name, Data: data})
}

// jargon are words of CUE's that its users need not know.
var jargon = []string{"disjunction", "incomplete value", "conflicting values", "out of bound", "#Class", "#Policy", "non-concrete", "_|_(", "EOF", "operand", "literal"}

// neverSaid is how many of them, from the first, do not stand in a message of
// CUE's own either.
const neverSaid = 5

const brokenArchives = "../testdata/compile/broken/*.txtar"

// Each broken policy gets exactly the messages that its archive shows, byte for
// byte. What no update can bless: the number of mistakes that the archive
// states, a place inside of the archive for each, and no word of jargon.
func TestBroken(t *testing.T) {
	all := archives(t, brokenArchives)
	if len(all) < 80 {
		t.Errorf("%d archives of broken policies, want at least 80", len(all))
	}
	for path, a := range all {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			if len(bytes.TrimSpace(a.Comment)) == 0 {
				t.Error("no sentence that says the behaviour")
			}
			stated, _ := section(a, "mistakes")
			want, err := strconv.Atoi(strings.TrimSpace(string(stated)))
			if err != nil {
				t.Fatalf("section mistakes: %v", err)
			}
			opt := options(a)
			results := compile(t, opt)
			checkPartial(t, results)
			diagnostics, sources := said(results)
			got := printed(t, diagnostics, sources)
			if want != len(diagnostics) {
				t.Errorf("%d messages, the archive states %d:\n%s", len(diagnostics), want, got)
			}
			for _, d := range diagnostics {
				checkPlace(t, opt, d, sources)
				for _, word := range jargon {
					if strings.Contains(d.Message+strings.Join(d.Help, " "), word) && !strings.Contains(d.Message, "CUE says") {
						t.Errorf("%q is in a message: %s", word, d.Message)
					}
				}
			}
			old, _ := section(a, "errors")
			if string(old) == got || t.Failed() {
				return
			}
			if !golden.Update() {
				t.Errorf("to accept it: RETRYC_UPDATE=1 go test ./...\n--- want\n%s--- got\n%s", old, got)
				return
			}
			setSection(a, "errors", []byte(got))
			if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// checkPartial fails where a class that has a mistake is among the sound ones,
// or a set with mistakes is taken for whole.
func checkPartial(t *testing.T, results []compiler.Result) {
	t.Helper()
	for _, r := range results {
		if r.Set != nil && len(r.Mistakes) > 0 {
			t.Errorf("%s is a set in spite of %d mistakes", r.Folder.Dir, len(r.Mistakes))
		}
		if r.Partial == nil {
			continue
		}
		for _, c := range r.Partial.Classes {
			for _, d := range r.Mistakes {
				if d.Class == c.Name {
					t.Errorf("class %s is among the sound ones: %s", c.Name, d.Message)
				}
			}
			if c.Attempts < 1 || c.Deadline.Within <= 0 || c.Op.Text == "" {
				t.Errorf("class %s is among the sound ones and has not all that a class needs", c.Name)
			}
		}
	}
}

// checkPlace fails for a diagnostic that is not on a text of the user's. Only
// what is about a whole folder has no file.
func checkPlace(t *testing.T, opt compiler.Options, d ir.Diagnostic, sources map[string][]byte) {
	t.Helper()
	spans := []ir.Span{d.Span}
	for _, r := range d.Related {
		spans = append(spans, r.Span)
	}
	if d.Fix != nil {
		for _, e := range d.Fix.Edits {
			spans = append(spans, e.Span)
		}
	}
	for _, s := range spans {
		if s.Start.Line == 0 && s.File == "." && len(opt.Overlay) > 0 && strings.Contains(d.Message, "no policy set") {
			continue
		}
		text, ok := opt.Overlay[filepath.Join(opt.Base, filepath.FromSlash(s.File))]
		if !ok {
			t.Errorf("no place in the archive: %+v: %s", s, d.Message)
			continue
		}
		if s.Start.Line < 1 || s.Start.Column < 1 || s.Start.Offset > s.End.Offset || s.End.Offset > len(text) {
			t.Errorf("a place outside of the text: %+v: %s", s, d.Message)
			continue
		}
		line := 1 + bytes.Count(text[:s.Start.Offset], []byte("\n"))
		column := s.Start.Offset - (bytes.LastIndexByte(text[:s.Start.Offset], '\n') + 1) + 1
		if line != s.Start.Line || column != s.Start.Column {
			t.Errorf("offset %d is %d:%d, not %d:%d", s.Start.Offset, line, column, s.Start.Line, s.Start.Column)
		}
		if sources[s.File] == nil {
			t.Errorf("the text of %s is not among the sources", s.File)
		}
	}
}

// fixed is the archive with the edits of a fix.
func fixed(opt compiler.Options, fix *ir.Fix) compiler.Options {
	out := compiler.Options{Base: opt.Base, Overlay: map[string][]byte{}}
	for name, text := range opt.Overlay {
		out.Overlay[name] = text
	}
	edits := slices.Clone(fix.Edits)
	slices.SortStableFunc(edits, func(a, b ir.Edit) int { return b.Span.Start.Offset - a.Span.Start.Offset })
	for _, e := range edits {
		name := filepath.Join(opt.Base, filepath.FromSlash(e.Span.File))
		text := out.Overlay[name]
		changed := append([]byte(nil), text[:e.Span.Start.Offset]...)
		changed = append(changed, e.Text...)
		out.Overlay[name] = append(changed, text[e.Span.End.Offset:]...)
	}
	return out
}

// A fix that is offered can be applied: its mistake is then gone, and no other
// one has come.
func TestFixes(t *testing.T) {
	fixes := 0
	for path, a := range archives(t, brokenArchives) {
		opt := options(a)
		before, _ := said(compile(t, opt))
		for _, d := range before {
			if d.Fix == nil {
				continue
			}
			fixes++
			results := compile(t, fixed(opt, d.Fix))
			after, sources := said(results)
			if len(after) >= len(before) {
				t.Errorf("%s: %d messages, and %d with the fix %q of %q:\n%s", filepath.Base(path), len(before), len(after), d.Fix.Title, d.Message, printed(t, after, sources))
			}
			for _, x := range after {
				if !slices.ContainsFunc(before, func(o ir.Diagnostic) bool { return o.Message == x.Message && o.Span.File == x.Span.File }) {
					t.Errorf("%s: the fix %q of %q adds: %s", filepath.Base(path), d.Fix.Title, d.Message, x.Message)
				}
			}
		}
	}
	t.Logf("%d fixes", fixes)
}

// sentences are the helps that are no CUE: what to run, or to do with a folder.
var sentences = regexp.MustCompile(`^(retryc schema --vendor|cue mod init [a-z./]+|copy the package to cue\.mod/pkg/\S+|give one of the two another name, and import what is shared)$`)

// Every help is CUE that can be pasted, or a command. Where the author has to
// choose, or something stays as it is, an ellipsis stands for it, and the line
// says so.
func TestHelpIsCUE(t *testing.T) {
	for path, a := range archives(t, brokenArchives) {
		all, _ := said(compile(t, options(a)))
		for _, d := range all {
			for _, h := range d.Help {
				if sentences.MatchString(h) {
					continue
				}
				text, comment, _ := strings.Cut(h, " // ")
				if strings.Contains(text, "…") {
					if !strings.Contains(comment, "…") {
						t.Errorf("%s: the help does not say what … stands for: %s", filepath.Base(path), h)
					}
					text = strings.NewReplacer("{…}", "{}", "…", "{}").Replace(text)
				}
				_, err := parser.ParseFile("help.cue", text)
				if err != nil {
					_, err = parser.ParseExpr("help.cue", text)
				}
				if err != nil { // "package" begins a clause at the top, and is a field elsewhere
					_, err = parser.ParseFile("help.cue", "in: {\n"+text+"\n}")
				}
				if err != nil {
					t.Errorf("%s: the help is no CUE: %s\n  of %s", filepath.Base(path), h, d.Message)
				}
			}
		}
	}
}
