package git

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// repository makes a repository by a shell script, with git itself.
func repository(t *testing.T, script string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIP: git is not installed")
	}
	dir := t.TempDir()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

const two = `
git init -q -b main r && cd r
mkdir -p p/é && printf one > p/é/a.cue && printf x > other && ln -s a.cue p/é/link.cue
git add -A && git commit -q -m first
git checkout -q -b branch && printf two > p/é/a.cue
git commit -q -a -m "second

Body.

Retryc-Accept: a.b/attempts-raised/123456
Retryc-Accept: a.b/cap-lowered/abcdef"
git checkout -q main && printf y > other && git commit -q -a -m third && git checkout -q branch
`

func TestRepository(t *testing.T) {
	dir := repository(t, two)
	r, err := Open(filepath.Join(dir, "r", "p"))
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Base(r.Top()) != "r" {
		t.Errorf("Top = %s", r.Top())
	}
	main, err := r.Commit("main")
	if err != nil {
		t.Fatal(err)
	}
	head, _ := r.Commit("HEAD")
	base, err := r.MergeBase(main, head)
	if err != nil {
		t.Fatal(err)
	}
	cue := func(p string) bool { return strings.HasSuffix(p, ".cue") }
	for commit, want := range map[string]string{base: "one", main: "one", head: "two"} {
		files, err := r.Files(commit, cue)
		if err != nil || len(files) != 1 || string(files["p/é/a.cue"]) != want {
			t.Errorf("Files(%.7s) = %q, %v; want %s", commit, files, err, want)
		}
	}
	trailers, err := r.Trailers(base, head, "Retryc-Accept")
	if err != nil || len(trailers) != 2 || trailers[0].Value != "a.b/attempts-raised/123456" || trailers[1].Commit == "" {
		t.Errorf("Trailers = %v, %v", trailers, err)
	}
	if none, err := r.Trailers(base, main, "Retryc-Accept"); err != nil || len(none) != 0 {
		t.Errorf("Trailers on main = %v, %v", none, err)
	}
}

func TestOtherShapes(t *testing.T) {
	dir := repository(t, two+`
cd ..
git clone -q --bare r bare.git
git clone -q --depth=1 "file://$PWD/bare.git" -b branch shallow
git -C bare.git config uploadpack.allowFilter true
git clone -q --filter=blob:none "file://$PWD/bare.git" -b branch partial
git -C r worktree add -q ../tree main
`)
	for name, file := range map[string]string{"bare.git": "branch", "partial": "HEAD", "tree": "branch", "shallow": "HEAD"} {
		r, err := Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(name, err)
		}
		commit, err := r.Commit(file)
		if err != nil {
			t.Fatal(name, err)
		}
		files, err := r.Files(commit, func(p string) bool { return p == "p/é/a.cue" })
		if err != nil || string(files["p/é/a.cue"]) != "two" {
			t.Errorf("%s: %q, %v", name, files, err)
		}
	}
	r, _ := Open(filepath.Join(dir, "shallow"))
	if !r.Shallow() {
		t.Error("the shallow clone is not shallow")
	}
	missing := "0123456789abcdef0123456789abcdef01234567"
	if _, err := r.Commit(missing); err == nil || !strings.Contains(err.Error(), "git fetch --depth=1 origin "+missing) {
		t.Errorf("the error does not say what to fetch: %v", err)
	}
	if _, err := r.Commit("--help"); err == nil {
		t.Error("an option passes for a revision")
	}
	if _, err := Open(t.TempDir()); !errors.Is(err, ErrNoRepository) {
		t.Errorf("Open of a plain folder: %v", err)
	}
}
