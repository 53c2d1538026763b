package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/retryc/retryc/internal/golden"
)

// TestPreCommit lets the real pre-commit install the hooks from this tree and run
// them in a real repository.
func TestPreCommit(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIP: pre-commit builds retryc for itself")
	}
	preCommit, err := exec.LookPath("pre-commit")
	if err != nil {
		t.Skip("SKIP: pre-commit is not installed (Debian's package pre-commit)")
	}
	hooks := commitTree(t)
	const file = "../../testdata/precommit/hooks.txtar"
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	session := -1
	for i, f := range a.Files {
		if f.Name == "session" {
			session = i
			continue
		}
		writeTestFile(t, filepath.Join(dir, f.Name), f.Data)
	}
	config := fmt.Sprintf("repos:\n  - repo: %s\n    rev: v0.1.0\n    hooks:\n      - id: retryc-check\n      - id: retryc-fmt\n", hooks)
	writeTestFile(t, filepath.Join(dir, ".pre-commit-config.yaml"), []byte(config))
	writeTestFile(t, filepath.Join(dir, ".gitignore"), []byte("/commit.log\n/.cache\n"))
	for _, args := range [][]string{{"git", "init", "-q"}, {preCommit, "install", "--install-hooks"}} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), preCommitEnv(dir)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	start := time.Now()
	got := replayWith(t, dir, string(a.Files[session].Data), "2> ", preCommitEnv(dir))
	t.Logf("the whole session took %v", time.Since(start).Round(time.Millisecond))
	if golden.Update() {
		a.Files[session].Data = []byte(got)
		golden.Compare(t, file, txtar.Format(a))
	} else if want := string(a.Files[session].Data); got != want {
		t.Errorf("--- want\n%s\n--- got\n%s", want, got)
	}
	// No update may bless a hook that stops nothing.
	if n := strings.Count(got, "Failed"); n < 4 {
		t.Errorf("%d hooks failed, want four at least", n)
	}
	if !strings.Contains(got, "run: retryc gen policies/search") {
		t.Error("nothing says what to run")
	}
	t.Run("under two seconds", func(t *testing.T) {
		cmd := exec.Command(preCommit, "run", "--all-files")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), preCommitEnv(dir)...)
		start := time.Now()
		out, err := cmd.CombinedOutput()
		t.Logf("pre-commit run --all-files: %v (%v)\n%s", time.Since(start).Round(time.Millisecond), err, out)
	})
}

func preCommitEnv(dir string) []string {
	return append(sessionEnv(dir), "PRE_COMMIT_HOME="+filepath.Join(dir, ".cache"), "PRE_COMMIT_COLOR=never", "GOFLAGS=-buildvcs=false")
}

// commitTree commits this module, as it is in the working tree, to a repository
// of its own, for programs that install from one.
func commitTree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	script := `set -e
git init -q -b main .
cd "$1"
git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' f; do [ -e "$f" ] && printf '%s\0' "$f"; done | xargs -0 cp --parents -t "$2"
cd "$2"
git add -A
git commit -q -m tree
git tag v0.1.0`
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "-c", script, "bash", module, dir)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), sessionEnv(dir)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}
