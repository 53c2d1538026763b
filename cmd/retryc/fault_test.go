package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/retryc/retryc/compiler"
)

// faulty is a run in dir that fails on the folder b, as a panic in CUE would make it.
func faulty(dir string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	a := &app{
		args: append([]string{"-C", dir}, args...), stdin: strings.NewReader(""), stdout: &out, stderr: &errs,
		compiles: func(opt compiler.Options, folders []compiler.Folder) ([]compiler.Result, error) {
			results, err := compiler.Compile(opt, folders)
			for i, f := range folders {
				if f.Dir == "b" {
					fault := &compiler.Fault{Input: "b", Value: "broken\ninside", Stack: []byte("goroutine 1:\nevaluate.go:7")}
					results[i], err = compiler.Result{Folder: f, Fault: fault}, fault
				}
			}
			return results, err
		},
	}
	code = a.run()
	return code, out.String(), errs.String()
}

func faultyFolder(t *testing.T) string {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module example.com/shop\n\ngo 1.26\n",
		"a/a.cue": "package a\n\nclass: 3\n",
		"b/b.cue": "package b\n\n// One.\nclass: b: {http: \"GET h.example/b\", attempts: 1, attemptTimeout: \"1s\", deadline: within: \"2s\"}\n",
		"c/c.cue": "package c\n\n// One.\nclass: c: {http: \"GET h.example/c\", attempts: 1, attemptTimeout: \"1s\", deadline: within: \"2s\"}\n",
	} {
		writeTestFile(t, filepath.Join(dir, name), []byte(text))
	}
	return dir
}

// A fault in one folder is one line that names it and a file with all of the
// report; everything else is said as ever.
func TestFaultReport(t *testing.T) {
	dir, temp := faultyFolder(t), t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	code, stdout, stderr := faulty(dir, "check")
	if code != exitFault {
		t.Errorf("exit %d", code)
	}
	want := "a/a.cue:3:8: error: class is 3: it is a struct of classes by name\nclass: 3\n       ^\n" +
		"help: class: \"get-order\": {http: \"GET api.example.com/orders/{id}\", attempts: 1, deadline: within: \"2m\"}\n" +
		"c: not generated yet; run: retryc gen c\n"
	if stdout != want {
		t.Errorf("stdout:\n%s\nwant\n%s", stdout, want)
	}
	m := regexp.MustCompile(`^retryc: a fault of retryc, not of your policy on "b": broken inside; please report it at https://github\.com/retryc/retryc/issues with the policy and (\S+)\n2 sets, .*\n$`).FindStringSubmatch(stderr)
	if m == nil {
		t.Fatalf("stderr:\n%s", stderr)
	}
	text := string(mustRead(t, m[1]))
	for _, part := range []string{"retryc -C " + dir + " check\n", "version " + version() + "\n", "input b\n", "broken\ninside\n", "evaluate.go:7"} {
		if !strings.Contains(text, part) {
			t.Errorf("the report has no %q:\n%s", part, text)
		}
	}
	if filepath.Dir(m[1]) != temp {
		t.Errorf("the report is in %s", m[1])
	}

	code, stdout, _ = faulty(dir, "check", "--output", "json")
	var doc struct{ Results []struct{ File string } }
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil || code != exitFault || len(doc.Results) == 0 || doc.Results[0].File != "a/a.cue" {
		t.Errorf("exit %d, %v:\n%s", code, err, stdout)
	}
}

// Where no file can be written, all of the report is on stderr.
func TestFaultReportWithoutFile(t *testing.T) {
	dir := faultyFolder(t)
	t.Setenv("TMPDIR", filepath.Join(dir, "nowhere"))
	t.Setenv("TMP", filepath.Join(dir, "nowhere"))
	code, _, stderr := faulty(dir, "lint", "b")
	if code != exitFault || !strings.Contains(stderr, "with the policy and these lines:\nretryc -C ") || !strings.Contains(stderr, "evaluate.go:7\n") {
		t.Errorf("exit %d:\n%s", code, stderr)
	}
}

// The package of a set that a fault or a mistake hides is not taken for one whose
// set is gone, and what compares sets does not go on without one of them.
func TestFaultKeepsPackages(t *testing.T) {
	dir := faultyFolder(t)
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", t.TempDir())
	var errs bytes.Buffer
	if code := Run([]string{"-C", dir, "gen"}, strings.NewReader(""), &errs, &errs); code != exitUnusable {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	writeTestFile(t, filepath.Join(dir, "c", "c.cue"), []byte("package c\n\nclass: 3\n"))
	code, _, stderr := faulty(dir, "gen", "--prune")
	if code != exitFault {
		t.Errorf("exit %d: %s", code, stderr)
	}
	for _, set := range []string{"b", "c"} {
		if _, err := os.Stat(filepath.Join(dir, set, set+"retry", "policies_gen.go")); err != nil {
			t.Errorf("%v: %s", err, stderr)
		}
	}
	if code, stdout, stderr := faulty(dir, "diff", "a", "."); code != exitFault || stdout != "" {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
}

// A panic anywhere else is reported in the same way.
func TestPanicReport(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", t.TempDir())
	var errs bytes.Buffer
	a := &app{
		args: []string{"-C", faultyFolder(t), "check"}, stdin: strings.NewReader(""), stdout: &errs, stderr: &errs,
		compiles: func(compiler.Options, []compiler.Folder) ([]compiler.Result, error) { panic("out of luck") },
	}
	if code := a.run(); code != exitFault {
		t.Errorf("exit %d", code)
	}
	m := regexp.MustCompile(`^retryc: a fault of retryc, not of your policy: out of luck; please report it at \S+ with the policy and (\S+)\n$`).FindStringSubmatch(errs.String())
	if m == nil {
		t.Fatal(errs.String())
	}
	if text := string(mustRead(t, m[1])); !strings.Contains(text, "fault_test.go") {
		t.Errorf("no stack:\n%s", text)
	}
}
