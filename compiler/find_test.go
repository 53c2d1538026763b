package compiler_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/retryc/retryc/compiler"
)

const sound = "class: a: {http: \"GET /a\", attempts: 1, deadline: within: \"1m\"}\n"

func onDisk(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), []byte(text))
	}
	return dir
}

func TestFind(t *testing.T) {
	dir := onDisk(t, map[string]string{
		"a/a.cue":                "package a\n\n" + sound,
		"a/deep/er/b.cue":        "package b\n\n" + sound,
		"shared/s.cue":           "package shared\n\n#Quick: attempts: 3\n",
		"kube/k.cue":             "package kube\n\nlist: [1]\nglass: {big: 1}\n",
		"indented/i.cue":         "package i\n\n  class: a: {}\n",
		"typo/t.cue":             "package t\n\nclas: a: {http: \"GET /a\"}\n",
		"loop/l.cue":             "package l\n\nfor x in [\"a\"] {class: (x): {http: \"GET /a\"}}\n",
		".git/g.cue":             "package g\n\n" + sound,
		"a/testdata/d.cue":       "package d\n\n" + sound,
		"_old/o.cue":             "package o\n\n" + sound,
		"cue.mod/pkg/x/x.cue":    "package x\n\n" + sound,
		"node_modules/n/n.cue":   "package n\n\n" + sound,
		"vendor/v/v.cue":         "package v\n\n" + sound,
		"notes.txt":              "class: a: {}\n",
		"folder.cue/f.cue":       "package f\n\n" + sound,
		"only/tool_tool.cue":     "package only\n\nclass: x: {}\n",
		"spaced out/über/sp.cue": "package sp\n\n" + sound,
	})
	for _, c := range []struct {
		patterns []string
		want     []string // folders; "!" marks named ones
	}{
		{nil, []string{"a", "a/deep/er", "folder.cue", "indented", "loop", "spaced out/über", "typo"}},
		{[]string{"a/..."}, []string{"a", "a/deep/er"}},
		{[]string{"./a/"}, []string{"!a"}},
		{[]string{"a/a.cue"}, []string{"!a"}},
		{[]string{"shared"}, []string{"!shared"}},
		{[]string{"a", "./..."}, []string{"!a", "a/deep/er", "folder.cue", "indented", "loop", "spaced out/über", "typo"}},
		{[]string{filepath.Join(dir, "a")}, []string{"!a"}},
		{[]string{"..."}, []string{"a", "a/deep/er", "folder.cue", "indented", "loop", "spaced out/über", "typo"}},
		{[]string{"folder.cue"}, []string{"!folder.cue"}},
	} {
		folders, err := compiler.Find(compiler.Options{Base: dir}, c.patterns)
		if err != nil {
			t.Errorf("%q: %v", c.patterns, err)
			continue
		}
		var got []string
		for _, f := range folders {
			name := f.Dir
			if f.Named {
				name = "!" + name
			}
			got = append(got, name)
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %q, want %q", c.patterns, got, c.want)
		}
	}
	for _, c := range []struct{ pattern, want string }{
		{"nowhere", `no such file or folder: "nowhere"`},
		{"nowhere/...", `no such file or folder: "nowhere"`},
		{"notes.txt", `"notes.txt" is neither a folder nor a CUE file`},
		{"notes.txt/...", `"notes.txt" is not a folder`},
		{"shared/...", "no policy set in shared/..."},
		{"kube/...", "no policy set in kube/..."},
	} {
		_, err := compiler.Find(compiler.Options{Base: dir}, []string{c.pattern})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.pattern, err, c.want)
		}
		if errors.Is(err, compiler.ErrNoSet) != strings.HasPrefix(c.want, "no policy set") {
			t.Errorf("%q: ErrNoSet: %v", c.pattern, err)
		}
	}
}

// A folder that cannot be read may hold a set: it is reported, and hides nothing
// of the rest.
func TestFindUnreadable(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("everything can be read here")
	}
	dir := onDisk(t, map[string]string{"a/a.cue": "package a\n\n" + sound, "b/b.cue": "package b\n\nclass: 3\n"})
	if err := os.Chmod(filepath.Join(dir, "a"), 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(filepath.Join(dir, "a"), 0o755)
	opt := compiler.Options{Base: dir}
	for _, patterns := range [][]string{nil, {"a", "b"}} {
		folders, err := compiler.Find(opt, patterns)
		if err != nil {
			t.Fatal(err)
		}
		results, err := compiler.Compile(opt, folders)
		if err != nil || len(results) != 2 {
			t.Fatalf("%q: %v, %+v", patterns, err, results)
		}
		if m := results[0].Mistakes; len(m) != 1 || m[0].Message != `"a" cannot be read: permission denied` || m[0].Span.File != "a" {
			t.Errorf("%q: %+v", patterns, m)
		}
		if m := results[1].Mistakes; len(m) != 1 || m[0].Span.File != "b/b.cue" {
			t.Errorf("%q: the other set: %+v", patterns, m)
		}
	}
}

// Symbolic links to files are read, those to folders are not followed, and one
// to nothing is a mistake at the file.
func TestSymbolicLinks(t *testing.T) {
	dir := onDisk(t, map[string]string{"real/a.cue": "package a\n\n" + sound, "other/b.cue": "package b\n\n" + sound})
	link := func(to, name string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	link(filepath.Join(dir, "real"), "linked")
	link(filepath.Join(dir, "real", "a.cue"), "files/a.cue")
	link(filepath.Join(dir, "nothing.cue"), "other/gone.cue")
	opt := compiler.Options{Base: dir}
	folders, err := compiler.Find(opt, []string{"linked", "files", "other"})
	if err != nil {
		t.Fatal(err)
	}
	results, err := compiler.Compile(opt, folders)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, r := range results {
		got[r.Folder.Dir] = "sound"
		if len(r.Mistakes) > 0 {
			got[r.Folder.Dir] = r.Mistakes[0].Span.File + ": " + r.Mistakes[0].Message
		}
	}
	if got["linked"] == "" || !strings.HasPrefix(got["other"], "other/gone.cue: the file cannot be read: no such file") {
		t.Errorf("%q", got)
	}
	all, err := compiler.Find(opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if f.Dir == "linked" {
			t.Error("a link to a folder was followed")
		}
	}
}

// An overlay stands for folders that are not on disk, and goes before the disk.
func TestOverlay(t *testing.T) {
	dir := onDisk(t, map[string]string{"a/a.cue": "package a\n\n" + sound})
	opt := compiler.Options{Base: dir, Overlay: map[string][]byte{
		filepath.Join(dir, "a", "a.cue"):        []byte("package a\n\nclass: b: {http: \"GET /b\", attempts: 1, deadline: within: \"1m\"}\n"),
		filepath.Join(dir, "new", "x", "x.cue"): []byte("package x\n\n" + sound),
	}}
	folders, err := compiler.Find(opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	results, err := compiler.Compile(opt, folders)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != 2 || results[0].Set == nil || results[0].Set.Classes[0].Name != "b" || results[1].Set == nil || results[1].Set.Dir != "new/x" {
		t.Errorf("%+v", results)
	}
}

// A panic on any goroutine is a fault of the folder.
func TestEachFault(t *testing.T) {
	err := compiler.Guard("policies/shop", func() {
		compiler.Each(100, func(i int) {
			if i == 70 {
				panic("broken inside")
			}
		})
	})
	var fault *compiler.Fault
	if !errors.As(err, &fault) || fault.Input != "policies/shop" || !strings.Contains(string(fault.Stack), "TestEachFault") {
		t.Errorf("%v", err)
	}
}

// A panic is an error value that names the input.
func TestFault(t *testing.T) {
	err := compiler.Guard("policies/shop", func() { panic("broken inside") })
	var fault *compiler.Fault
	if !errors.As(err, &fault) || fault.Input != "policies/shop" || len(fault.Stack) == 0 || !strings.Contains(err.Error(), `"policies/shop": broken inside`) {
		t.Errorf("%v", err)
	}
	if err := compiler.Guard("x", func() {}); err != nil {
		t.Errorf("%v", err)
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct{ in, out string }{
		{"package p\nclass:  a:   {http: \"GET /a\"}\n", "package p\n\nclass: a: {http: \"GET /a\"}\n"},
		{"\uFEFFpackage p\r\nx:  1\r\n", "\uFEFFpackage p\r\n\r\nx: 1\r\n"},
		{"package p\r\n\nx: 1\n", "package p\n\nx: 1\n"},
		{"", ""},
	} {
		got, err := compiler.Format("p.cue", []byte(c.in))
		if err != nil || string(got) != c.out {
			t.Errorf("%q: %q, %v; want %q", c.in, got, err, c.out)
		}
	}
	if _, err := compiler.Format("p.cue", []byte("package p\nx: {\n")); err == nil || err.Error() != "p.cue:2:4: this { is never closed" {
		t.Errorf("%v", err)
	}
}

// A pipe that is named like a policy is left alone: reading it would not end.
func TestPipe(t *testing.T) {
	dir := onDisk(t, map[string]string{"a/a.cue": "package a\n\n" + sound})
	if err := exec.Command("mkfifo", filepath.Join(dir, "a", "pipe.cue")).Run(); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	opt := compiler.Options{Base: dir}
	folders, err := compiler.Find(opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	results, err := compiler.Compile(opt, folders)
	if err != nil || results[0].Set == nil {
		t.Fatalf("%v %+v", err, results)
	}
}
