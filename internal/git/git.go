// Package git reads commits of a local repository through the git program: what a
// revision means, its files, and the trailers of a range. It never writes and
// never asks a remote by itself.
package git

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Repo is a repository, entered through any folder of its work tree, or a bare
// one through its own.
type Repo struct {
	dir string
	top string
}

// ErrNoRepository says that a folder belongs to no repository.
var ErrNoRepository = errors.New("not a git repository")

// Open finds the repository of a folder.
func Open(dir string) (*Repo, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, errors.New("the program git is not installed")
	}
	r := &Repo{dir: dir}
	bare, err := r.run(nil, "rev-parse", "--is-bare-repository")
	if err != nil {
		return nil, ErrNoRepository
	}
	if strings.TrimSpace(string(bare)) == "true" {
		return r, nil
	}
	top, err := r.run(nil, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	r.top = filepath.FromSlash(strings.TrimSuffix(string(top), "\n"))
	return r, nil
}

// Top is the root of the work tree, and "" for a bare repository.
func (r *Repo) Top() string { return r.top }

// Shallow reports whether history has been cut off.
func (r *Repo) Shallow() bool {
	out, err := r.run(nil, "rev-parse", "--is-shallow-repository")
	return err == nil && strings.TrimSpace(string(out)) == "true"
}

// Commit resolves a revision. Its error names what to fetch where the commit is
// not there.
func (r *Repo) Commit(rev string) (string, error) {
	out, err := r.run(nil, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err == nil {
		return strings.TrimSpace(string(out)), nil
	}
	hint := ""
	switch {
	case isHash(rev):
		hint = "; fetch it with: git fetch --depth=1 origin " + rev
	case strings.HasPrefix(rev, "origin/") && rev != "origin/HEAD":
		branch := strings.TrimPrefix(rev, "origin/")
		how := "git fetch"
		if r.Shallow() { // where the two parted is needed as well
			how += " --unshallow"
		}
		hint = fmt.Sprintf("; fetch it with: %s origin +refs/heads/%s:refs/remotes/%s", how, branch, rev)
	}
	return "", fmt.Errorf("the revision %q is not in this repository%s", rev, hint)
}

func isHash(s string) bool {
	return len(s) >= 7 && strings.Trim(s, "0123456789abcdef") == ""
}

// MergeBase is the commit at which two commits parted.
func (r *Repo) MergeBase(a, b string) (string, error) {
	out, err := r.run(nil, "merge-base", a, b)
	if err == nil {
		return strings.TrimSpace(strings.SplitN(string(out), "\n", 2)[0]), nil
	}
	if r.Shallow() {
		return "", fmt.Errorf("this clone is shallow and does not reach the commit where %.7s and %.7s parted; fetch more with: git fetch --unshallow origin", a, b)
	}
	return "", fmt.Errorf("%.7s and %.7s have no commit in common", a, b)
}

// Files returns the regular files of a commit whose path, relative to the root
// with forward slashes, keep wants. Submodules and symbolic links are left out.
func (r *Repo) Files(commit string, keep func(path string) bool) (map[string][]byte, error) {
	list, err := r.run(nil, "ls-tree", "-r", "-z", "--full-tree", commit)
	if err != nil {
		return nil, err
	}
	var paths []string
	var ask bytes.Buffer
	for entry := range strings.SplitSeq(string(list), "\x00") {
		meta, path, ok := strings.Cut(entry, "\t")
		fields := strings.Fields(meta)
		if !ok || len(fields) != 3 || fields[1] != "blob" || fields[0] == "120000" || !keep(path) {
			continue
		}
		paths = append(paths, path)
		ask.WriteString(fields[2] + "\n")
	}
	files := make(map[string][]byte, len(paths))
	if len(paths) == 0 {
		return files, nil
	}
	out, err := r.run(&ask, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		head, rest, ok := bytes.Cut(out, []byte("\n"))
		var hash, kind string
		var size int
		if _, err := fmt.Sscanf(string(head), "%s %s %d", &hash, &kind, &size); !ok || err != nil || len(rest) < size+1 {
			return nil, fmt.Errorf("the text of %s in %.7s is not in this repository; fetch it with: git fetch --refetch origin %s", path, commit, commit)
		}
		files[path] = rest[:size:size]
		out = rest[size+1:]
	}
	return files, nil
}

// Submodules lists the paths of submodules in the index, relative to the root.
func (r *Repo) Submodules() ([]string, error) {
	out, err := r.run(nil, "ls-files", "--stage", "-z", "--full-name", ":/")
	if err != nil {
		return nil, err
	}
	var paths []string
	for entry := range strings.SplitSeq(string(out), "\x00") {
		if meta, path, ok := strings.Cut(entry, "\t"); ok && strings.HasPrefix(meta, "160000 ") {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// Branches lists the names of local and remote branches and of tags.
func (r *Repo) Branches() []string {
	out, err := r.run(nil, "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes", "refs/tags")
	if err != nil {
		return nil
	}
	return strings.Fields(string(out))
}

// Trailer is one trailer line of a commit message.
type Trailer struct {
	Commit string // abbreviated
	Value  string
}

// Trailers lists the trailers of that key in the commits that to has and from has
// not, oldest first.
func (r *Repo) Trailers(from, to, key string) ([]Trailer, error) {
	format := fmt.Sprintf("%%h%%x00%%(trailers:key=%s,valueonly,unfold,separator=%%x01)", key)
	out, err := r.run(nil, "log", "--reverse", "-z", "--format="+format, from+".."+to)
	if err != nil {
		return nil, err
	}
	var all []Trailer
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		for value := range strings.SplitSeq(fields[i+1], "\x01") {
			if value = strings.TrimSpace(value); value != "" {
				all = append(all, Trailer{strings.TrimSpace(fields[i]), value})
			}
		}
	}
	return all, nil
}

func (r *Repo) run(stdin *bytes.Buffer, args ...string) ([]byte, error) {
	cmd := exec.Command("git", append([]string{"-C", r.dir, "-c", "core.quotePath=false", "-c", "trailer.separators=:", "-c", "i18n.logOutputEncoding=UTF-8"}, args...)...)
	// A hook's variables would name another repository's index, not its objects;
	// locks and pagers are for those who write and read.
	cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0")
	if stdin != nil {
		cmd.Stdin = stdin
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		line, _, _ := strings.Cut(strings.TrimSpace(errs.String()), "\n")
		return nil, fmt.Errorf("git %s: %s", args[0], strings.TrimPrefix(line, "fatal: "))
	}
	return out, nil
}
