package compiler_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/retryc/retryc/compiler"
)

// overlaid lays files out where no disk is.
func overlaid(files map[string]string) compiler.Options {
	opt := compiler.Options{Base: filepath.FromSlash("/overlaid"), Overlay: map[string][]byte{}}
	for name, text := range files {
		opt.Overlay[filepath.Join(opt.Base, filepath.FromSlash(name))] = []byte(text)
	}
	return opt
}

// messages are what is said of each folder, with file and line.
func messages(results []compiler.Result) map[string][]string {
	out := map[string][]string{}
	for _, r := range results {
		for _, d := range append(r.Mistakes, r.Warnings...) {
			out[r.Folder.Dir] = append(out[r.Folder.Dir], fmt.Sprintf("%s:%d: %s: %s", d.Span.File, d.Span.Start.Line, d.Severity, d.Message))
		}
	}
	return out
}

func expectMessages(t *testing.T, results []compiler.Result, want map[string][]string) {
	t.Helper()
	if got := messages(results); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// Every further set of a name is told, also where none of its classes is sound,
// or where the first has none.
func TestSecondSet(t *testing.T) {
	for _, first := range []string{"1", "0"} {
		results := compile(t, overlaid(map[string]string{
			"a/a.cue": "package p\n\n" + strings.Replace(sound, "attempts: 1", "attempts: "+first, 1),
			"b/b.cue": "package p\n\n" + strings.Replace(sound, "attempts: 1", "attempts: 0", 1),
			"c/c.cue": "package p\n\n" + sound,
			"d/d.cue": "package q\n\n" + sound,
			"e/e.cue": "package p\n\nclass: {\n",
		}))
		want := map[string][]string{
			"b": {`b/b.cue:1: error: a second set named "p": the first is in a`, "b/b.cue:3: error: 0 is not a number of attempts: a whole number from 1 to 100"},
			"c": {`c/c.cue:1: error: a second set named "p": the first is in a`},
			"e": {`e/e.cue:1: error: a second set named "p": the first is in a`, "e/e.cue:3: error: this { is never closed"},
		}
		if first == "0" {
			want["a"] = []string{"a/a.cue:3: error: 0 is not a number of attempts: a whole number from 1 to 100"}
		}
		expectMessages(t, results, want)
		if results[2].Set != nil || results[2].Partial == nil || results[3].Set == nil {
			t.Errorf("%+v", results)
		}
	}
}

// A file that tags leave out is a mistake. Alone it is read all the same, so that
// nothing in it is told later; of several, which stand for each other, what is
// missing is not said either.
func TestLeftOutByTags(t *testing.T) {
	class := func(attempts int) string { return strings.Replace(sound, "1", fmt.Sprint(attempts), 1) }
	out := "1: error: @if(prod) leaves this file out, since retryc gives no tags: take @if away, or move the file to a folder of its own"
	for _, c := range []struct {
		files map[string]string
		want  []string
	}{
		{map[string]string{"a.cue": "@if(prod)\npackage p\n\n" + class(300)},
			[]string{"a.cue:" + out, "a.cue:4: error: 300 is not a number of attempts: a whole number from 1 to 100"}},
		{map[string]string{"a.cue": "@if(prod)\npackage p\n\n" + class(2), "b.cue": "@if(!prod)\npackage p\n\n" + class(1)},
			[]string{"a.cue:" + out, "b.cue:1: warning: @if(!prod) depends on the command line, and retryc gives no tags: this file counts"}},
		{map[string]string{"a.cue": "@if(prod)\npackage p\n\n" + class(1), "b.cue": "@if(prod)\npackage p\n\n" + class(2), "c.cue": "package p\n"},
			[]string{"a.cue:" + out, "b.cue:" + out}},
		{map[string]string{"a.cue": "@if(prod && )\npackage p\n\n" + class(1)},
			[]string{"a.cue:" + strings.Replace(out, "prod", "prod && ", 1)}},
		{map[string]string{"a.cue": "@ignore()\npackage p\n\n" + class(300), "b.cue": "package p\n\n" + class(1)}, nil},
	} {
		results := compile(t, overlaid(c.files))
		want := map[string][]string{}
		if c.want != nil {
			want["."] = c.want
		}
		expectMessages(t, results, want)
		if (results[0].Set == nil) != (len(c.want) > 0) {
			t.Errorf("%v: a set: %v", c.files, results[0].Set)
		}
	}
}

// A fault in one folder hides nothing of the others.
func TestFaultHidesNothing(t *testing.T) {
	opt := overlaid(map[string]string{"a/a.cue": "package p\n\nclass: 3\n", "b/b.cue": "package b\n\n" + sound, "c/c.cue": "package p\n\n" + sound})
	folders, err := compiler.Find(opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := compiler.Compile(opt, folders)
	if err != nil {
		t.Fatal(err)
	}
	results, err := compiler.CompileEach(folders, func(f compiler.Folder) compiler.Result {
		if f.Dir == "b" {
			panic("broken inside")
		}
		results, _ := compiler.Compile(opt, []compiler.Folder{f})
		return results[0]
	})
	var fault *compiler.Fault
	if !errors.As(err, &fault) || fault.Input != "b" || fault.Value != "broken inside" || !strings.Contains(string(fault.Stack), "TestFaultHidesNothing") {
		t.Errorf("%v", err)
	}
	if len(results) != 3 || results[1].Fault != fault || results[1].Folder.Dir != "b" || results[1].Set != nil {
		t.Fatalf("%+v", results)
	}
	if results[0].Fault != nil || results[2].Fault != nil {
		t.Error("a fault of another folder")
	}
	expectMessages(t, results, messages(plain))
	// A fault in looking for sets is one of the folder as well.
	if found, err := compiler.FindFailing(opt, "b"); err != nil || !reflect.DeepEqual(found, folders) {
		t.Errorf("%v, %v", found, err)
	}
	delete(opt.Overlay, filepath.Join(opt.Base, "b", "b.cue"))
	opt.Overlay[filepath.Join(opt.Base, "b", "other.cue")] = []byte("x: 1\n")
	if found, err := compiler.FindFailing(opt, "b"); err != nil || len(found) != 3 {
		t.Errorf("%v, %v", found, err)
	}
}
