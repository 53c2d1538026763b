package compiler_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retryc/retryc/compiler"
	"github.com/retryc/retryc/compiler/ir"
)

// Whatever the text, compiling it ends with a set or with mistakes that have a
// place in it, and says the same when asked again.
func FuzzCompile(f *testing.F) {
	for _, pattern := range []string{brokenArchives, "../testdata/compile/*.txtar"} {
		for _, a := range archives(f, pattern) {
			for _, file := range a.Files {
				if strings.HasSuffix(file.Name, ".cue") {
					f.Add(expand(file.Data))
				}
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
		opt := compiler.Options{Base: base, Overlay: map[string][]byte{filepath.Join(base, "p.cue"): text}}
		folders := []compiler.Folder{{Dir: ".", Named: true}}
		results, err := compiler.Compile(opt, folders)
		if err != nil {
			var fault *compiler.Fault
			if errors.As(err, &fault) && fromCUE(fault) {
				return // a fault of CUE's: it has become an error, as it should
			}
			t.Fatalf("%v\n%s", err, fault.Stack)
		}
		r := results[0]
		if (r.Set == nil) != (len(r.Mistakes) > 0) {
			t.Fatalf("a set beside %d mistakes", len(r.Mistakes))
		}
		for _, d := range r.Mistakes {
			if d.Span.Start.Offset > d.Span.End.Offset || d.Span.End.Offset > len(text) {
				t.Fatalf("a place outside of the text: %+v %s", d.Span, d.Message)
			}
			if d.Span.File == "" {
				t.Fatalf("no place: %s", d.Message)
			}
			if strings.ContainsAny(d.Message, "\n") {
				t.Fatalf("a message of several lines: %q", d.Message)
			}
		}
		if r.Set != nil {
			for _, c := range r.Set.Classes {
				for _, p := range c.Spans.Places {
					c.Span(p.Path)
				}
				if c.Attempts < 1 || c.Deadline.Within <= 0 || c.Timing != ir.ByScheduler && c.Attempts > 1 && (c.Backoff.Base <= 0 || c.Backoff.Cap < c.Backoff.Base) {
					t.Fatalf("a class that the engine cannot run: %+v", c)
				}
			}
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

// slow reports text that makes CUE itself count for long: huge exponents and
// repetitions.
func slow(text []byte) bool {
	return bytes.ContainsAny(text, "*^") || bytes.Count(text, []byte("&")) > 20 || bytes.Count(text, []byte("|")) > 20 || bytes.Contains(bytes.ToLower(text), []byte("e9"))
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
