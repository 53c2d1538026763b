package compiler_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/retryc/retryc/compiler"
)

// A policy that asks for more than there is ends with a message, and hides no
// other set. What was begun cannot be stopped, so it is left to a process of its
// own.
func TestTooMuch(t *testing.T) {
	if os.Getenv("RETRYC_TOO_MUCH") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestTooMuch$", "-test.v")
		cmd.Env = append(os.Environ(), "RETRYC_TOO_MUCH=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	bomb := "package bomb\n\nimport \"list\"\n\n_n: 5000\n_l: [for a in list.Range(0, _n, 1) for b in list.Range(0, _n, 1) {a + b}]\nclass: {for x in _l {\"c\\(x)\": {http: \"GET /\\(x)\", attempts: 1, deadline: within: \"1m\"}}}\n"
	base := filepath.FromSlash("/too-much")
	opt := compiler.Options{Base: base, Overlay: map[string][]byte{
		filepath.Join(base, "bomb", "b.cue"): []byte(bomb),
		filepath.Join(base, "fine", "f.cue"): []byte("package fine\n\n" + sound),
	}}
	for _, c := range []struct {
		time  time.Duration
		bytes uint64
		want  string
	}{
		{100 * time.Millisecond, 1 << 40, "evaluating the policies takes longer than 100ms: look for a comprehension that makes too much"},
		{time.Hour, 32 << 20, "evaluating the policies takes more than 32MiB of memory: look for a comprehension that makes too much"},
	} {
		undo := compiler.Limits(c.time, c.bytes, 1<<20)
		results, err := compiler.Compile(opt, []compiler.Folder{{Dir: "bomb"}, {Dir: "fine"}})
		undo()
		if err != nil {
			t.Fatal(err)
		}
		if m := results[0].Mistakes; len(m) != 1 || m[0].Message != c.want || m[0].Span.File != "bomb" {
			t.Errorf("%+v", m)
		}
		if results[1].Set == nil {
			t.Errorf("the other set: %+v", results[1].Mistakes)
		}
	}
}

// A file beyond any policy is not read as one.
func TestLargeFile(t *testing.T) {
	defer compiler.Limits(time.Minute, 1<<40, 1<<10)()
	opt, folders := bulkOptions(bulk(20, false))
	results, err := compiler.Compile(opt, folders)
	if err != nil {
		t.Fatal(err)
	}
	if m := results[0].Mistakes; len(m) != 1 || !strings.Contains(m[0].Message, "the file cannot be read: it is larger than 1KiB") {
		t.Errorf("%+v", m)
	}
}
