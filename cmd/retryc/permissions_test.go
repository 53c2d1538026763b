//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const onePolicy = `package a

// Ping the server.
class: ping: {task: "ping", effect: "safe", attempts: 1, deadline: within: "1s"}
`

// runUnprivileged runs the command as a user that permissions bind, also where
// the tests run as root.
func runUnprivileged(t *testing.T, dir string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.Command(retrycBinary(), args...)
	cmd.Dir = dir
	if os.Getuid() == 0 {
		const nobody = 65534
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		for d := dir; d != "/" && d != os.TempDir(); d = filepath.Dir(d) { // t.TempDir is private
			if info, err := os.Stat(d); err == nil && info.Mode().Perm()&0o111 != 0o111 {
				os.Chmod(d, info.Mode().Perm()|0o111)
			}
		}
		os.Chmod(filepath.Dir(retrycBinary()), 0o755)
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit, ok := err.(*exec.ExitError); ok {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), code
}

func TestReadOnlyFolder(t *testing.T) {
	dir := t.TempDir()
	writeTestFile(t, filepath.Join(dir, "a/a.cue"), []byte(onePolicy))
	for _, d := range []string{"a", "."} {
		if err := os.Chmod(filepath.Join(dir, d), 0o555); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(filepath.Join(dir, d), 0o755)
	}
	_, stderr, code := runUnprivileged(t, dir, "gen")
	if code != exitUnusable || !strings.Contains(stderr, "retryc: a/aretry: permission denied") {
		t.Errorf("exit %d, stderr:\n%s", code, stderr)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "a"))
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v (%v), want the policy alone", entries, err)
	}
}

// A package that exists and cannot be rewritten stays whole.
func TestReadOnlyPackage(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a/a.cue")
	writeTestFile(t, file, []byte(onePolicy))
	if code := Run([]string{"-C", dir, "gen"}, nil, new(bytes.Buffer), new(bytes.Buffer)); code != 0 {
		t.Fatal("gen failed", code)
	}
	before := snapshot(t, dir)
	writeTestFile(t, file, []byte(strings.Replace(onePolicy, `"1s"`, `"2s"`, 1)))
	pkg := filepath.Join(dir, "a/aretry")
	os.Chmod(pkg, 0o555)
	defer os.Chmod(pkg, 0o755)
	_, stderr, code := runUnprivileged(t, dir, "gen")
	if code != exitUnusable || !strings.Contains(stderr, "a/aretry: permission denied") {
		t.Errorf("exit %d, stderr:\n%s", code, stderr)
	}
	writeTestFile(t, file, []byte(onePolicy))
	if after := snapshot(t, dir); after != before {
		t.Error("a package that could not be rewritten has changed")
	}
}

func TestUnreadableFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a/a.cue")
	writeTestFile(t, file, []byte(onePolicy))
	writeTestFile(t, filepath.Join(dir, "b/b.cue"), []byte(strings.Replace(onePolicy, "package a", "package b", 1)))
	os.Chmod(file, 0)
	stdout, stderr, code := runUnprivileged(t, dir, "check")
	if code != exitUnusable || !strings.Contains(stdout, "a/a.cue") || !strings.Contains(stdout, "permission denied") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	if !strings.Contains(stdout, "b: not generated yet") {
		t.Errorf("the unreadable file hides the other set:\n%s", stdout)
	}
}

// A folder that cannot be read is told, since it may hold a policy, and hides no
// other set; nor is a package in it taken for one whose set is gone.
func TestUnreadableFolder(t *testing.T) {
	dir := t.TempDir()
	for _, set := range []string{"a", "b", "c"} {
		writeTestFile(t, filepath.Join(dir, set, set+".cue"), []byte(strings.Replace(onePolicy, "package a", "package "+set, 1)))
	}
	if code := Run([]string{"-C", dir, "gen", "a", "b"}, nil, new(bytes.Buffer), new(bytes.Buffer)); code != 0 {
		t.Fatal("gen failed", code)
	}
	for _, locked := range []string{"a", "b/bretry"} {
		os.Chmod(filepath.Join(dir, locked), 0)
		defer os.Chmod(filepath.Join(dir, locked), 0o755)
	}
	for _, args := range [][]string{{"check"}, {"verify"}, {"check", "a", "b", "c"}} {
		stdout, stderr, code := runUnprivileged(t, dir, args...)
		if code != exitUnusable {
			t.Errorf("%q: exit %d\n%s%s", args, code, stdout, stderr)
		}
		for _, want := range []string{"a: error: \"a\" cannot be read: permission denied\n", "c: not generated yet; run: retryc gen c\n"} {
			if !strings.Contains(stdout, want) {
				t.Errorf("%q: no line %q:\n%s%s", args, want, stdout, stderr)
			}
		}
		if strings.Contains(stdout, "set that is gone") {
			t.Errorf("%q:\n%s", args, stdout)
		}
	}
	if _, stderr, code := runUnprivileged(t, dir, "fmt", "--check"); code != exitUnusable || !strings.Contains(stderr, "retryc: a: permission denied\n") || !strings.Contains(stderr, "2 files: 0 to format\n") {
		t.Errorf("fmt: exit %d\n%s", code, stderr)
	}
}

// snapshot is every file below dir with its text.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(p)
		b.WriteString(p + "\n" + string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
