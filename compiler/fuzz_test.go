package compiler_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/retryc/retryc/compiler"
	"github.com/retryc/retryc/compiler/ir"
)

// Whatever the text, compiling it ends with a set or with mistakes that have a
// place in it, and says the same when asked again.
func FuzzCompile(f *testing.F) {
	for _, pattern := range []string{brokenArchives, "../testdata/compile/*.txtar"} {
		for _, a := range archives(f, pattern) {
			var policies []txtar.File
			for _, file := range a.Files {
				if strings.HasSuffix(file.Name, ".cue") {
					f.Add(expand(file.Data))
					policies = append(policies, file)
				}
			}
			if len(policies) > 1 { // in folders, as packages and modules are
				f.Add(expand(txtar.Format(&txtar.Archive{Files: policies})))
			}
		}
	}
	f.Add([]byte("package p\nclass: a: {"))
	f.Add([]byte("\x00\xff"))
	base := filepath.FromSlash("/fuzz")
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 4000 || slow(text) {
			return
		}
		opt := filesOf(base, text)
		folders, err := compiler.Find(opt, nil)
		if err != nil {
			folders, err = compiler.Find(opt, []string{"."})
		}
		if err != nil {
			return // no folder is left to compile
		}
		results, err := compiler.Compile(opt, folders)
		if err != nil {
			var fault *compiler.Fault
			if errors.As(err, &fault) && fromCUE(fault) {
				return // a fault of CUE's: it has become an error, as it should
			}
			t.Fatalf("%v\n%s", err, fault.Stack)
		}
		for _, r := range results {
			checkResult(t, r, opt, text)
		}
		again, err := compiler.Compile(opt, folders)
		if err != nil {
			t.Fatal(err)
		}
		a, sources := said(results)
		b, _ := said(again)
		if x, y := printed(t, a, sources), printed(t, b, sources); x != y {
			t.Fatalf("two runs differ:\n%s\n%s", x, y)
		}
	})
}

// filesOf lays a text out as one file, or as several where it is an archive.
func filesOf(base string, text []byte) compiler.Options {
	opt := compiler.Options{Base: base, Overlay: map[string][]byte{}}
	a := txtar.Parse(text)
	if len(a.Files) == 0 {
		opt.Overlay[filepath.Join(base, "p.cue")] = text
	}
	for _, f := range a.Files {
		if filepath.IsLocal(f.Name) {
			opt.Overlay[filepath.Join(base, filepath.FromSlash(f.Name))] = f.Data
		}
	}
	return opt
}

// checkResult holds what any result has to be: a set or mistakes, each at a
// place in the text, in one line without jargon.
func checkResult(t *testing.T, r compiler.Result, opt compiler.Options, text []byte) {
	if (r.Set == nil) != (len(r.Mistakes) > 0) {
		t.Fatalf("a set beside %d mistakes", len(r.Mistakes))
	}
	for _, d := range r.Mistakes {
		if d.Span.File == "" {
			t.Fatalf("no place: %s", d.Message)
		}
		size := len(opt.Overlay[filepath.Join(opt.Base, filepath.FromSlash(d.Span.File))])
		if d.Span.Start.Offset > d.Span.End.Offset || d.Span.End.Offset > size {
			t.Fatalf("a place outside of the text: %+v %s", d.Span, d.Message)
		}
		if strings.ContainsAny(d.Message, "\n") {
			t.Fatalf("a message of several lines: %q", d.Message)
		}
		for i, word := range jargon {
			mayHave := i >= neverSaid && strings.Contains(d.Message, "CUE says: ") || bytes.Contains(text, []byte(word))
			if strings.Contains(d.Message, word) && !mayHave {
				t.Fatalf("%q in a message: %q", word, d.Message)
			}
		}
	}
	if r.Set == nil {
		return
	}
	for _, c := range r.Set.Classes {
		for _, p := range c.Spans.Places {
			c.Span(p.Path)
		}
		if c.Attempts < 1 || c.Deadline.Within <= 0 || c.Timing != ir.ByScheduler && c.Attempts > 1 && (c.Backoff.Base <= 0 || c.Backoff.Cap < c.Backoff.Base) {
			t.Fatalf("a class that the engine cannot run: %+v", c)
		}
	}
}

// multiplied is a product, which may be of a text and a million; a "*" that marks
// a default is none.
var multiplied = regexp.MustCompile(`[^\s:|(,\[{=&]\s*\*`)

// slow reports text that makes CUE itself count for long: huge exponents and
// repetitions.
func slow(text []byte) bool {
	return multiplied.Match(text) || bytes.Count(text, []byte("&")) > 20 || bytes.Count(text, []byte("|")) > 20 || bytes.Contains(bytes.ToLower(text), []byte("e9"))
}

// fromCUE reports whether a panic began in CUE's code.
func fromCUE(f *compiler.Fault) bool {
	_, after, _ := strings.Cut(string(f.Stack), "panic(")
	ours, cues := strings.Index(after, "retryc/compiler"), strings.Index(after, "cuelang.org/go")
	return cues >= 0 && (ours < 0 || cues < ours)
}

// What was formatted can be formatted again, and keeps its byte order mark.
func FuzzFormat(f *testing.F) {
	f.Add([]byte("package p\nclass: a: {http:  \"GET /a\"}\n"))
	f.Add([]byte("\uFEFFpackage p\r\nx:  1\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		once, err := compiler.Format("p.cue", text)
		if err != nil {
			return
		}
		if _, err := compiler.Format("p.cue", once); err != nil {
			t.Fatalf("what was formatted cannot be read: %v\n%s", err, once)
		}
		if bytes.HasPrefix(text, []byte("\uFEFF")) != bytes.HasPrefix(once, []byte("\uFEFF")) {
			t.Fatal("the byte order mark is not as it was")
		}
	})
}
