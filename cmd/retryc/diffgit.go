package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/retryc/retryc/compiler"
	"github.com/retryc/retryc/internal/diff"
	"github.com/retryc/retryc/internal/git"
	"github.com/retryc/retryc/internal/report"
	"github.com/retryc/retryc/internal/unified"
	"github.com/retryc/retryc/lint"
)

// gitSides reads the two states that --against and --to name.
func (a *app) gitSides(args []string, f *diffFlags) (before, after *side, trailers []git.Trailer, err error) {
	repo, err := git.Open(a.base)
	if err != nil {
		if errors.Is(err, git.ErrNoRepository) {
			err = errors.New("this folder is not in a git repository; compare two folders instead: retryc diff OLD NEW")
		}
		return nil, nil, nil, err
	}
	if repo.Top() == "" && f.to == "" {
		return nil, nil, nil, errors.New("this is a bare repository without a working tree; name both sides: --against REV --to REV")
	}
	against, err := repo.Commit(f.against)
	if err != nil {
		if f.against == "origin/HEAD" {
			return nil, nil, nil, errors.New("there is no origin/HEAD to compare with; name a revision, as in --against main, or set it: git remote set-head origin --auto")
		}
		return nil, nil, nil, unknownRevision(err, f.against, repo.Branches())
	}
	to := f.to
	if to == "" {
		to = "HEAD"
	}
	head, err := repo.Commit(to)
	if err != nil {
		return nil, nil, nil, unknownRevision(err, to, repo.Branches())
	}
	base, err := repo.MergeBase(against, head)
	if err != nil {
		return nil, nil, nil, err
	}
	inside, err := a.within(repo)
	if err != nil {
		return nil, nil, nil, err
	}
	patterns := args
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	if before, err = a.commitSide(repo, base, inside, patterns); err != nil {
		return nil, nil, nil, err
	}
	if f.to != "" {
		after, err = a.commitSide(repo, head, inside, patterns)
	} else {
		after, err = a.treeSide(repo, inside, patterns)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	for _, p := range patterns {
		if !before.patterns[p] && !after.patterns[p] {
			return nil, nil, nil, fmt.Errorf("no such file or folder: %q, now or at %.7s", p, base)
		}
	}
	if len(before.sets)+len(after.sets)+len(before.broken)+len(after.broken) == 0 {
		return nil, nil, nil, fmt.Errorf("%w in %s, now or at %.7s", compiler.ErrNoSet, strings.Join(patterns, ", "), base)
	}
	trailers, err = repo.Trailers(base, head, "Retryc-Accept")
	return before, after, trailers, err
}

// within is the folder of the run relative to the root of the repository.
func (a *app) within(repo *git.Repo) (string, error) {
	if repo.Top() == "" {
		return ".", nil
	}
	top, err := filepath.EvalSymlinks(repo.Top())
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(top, a.base)
	return filepath.ToSlash(rel), err
}

// commitSide compiles the policies of a commit, from texts that never touch the
// disk. Folders that the commit does not have hold no sets.
func (a *app) commitSide(repo *git.Repo, commit, inside string, patterns []string) (*side, error) {
	files, err := repo.Files(commit, func(p string) bool {
		return strings.HasSuffix(p, ".cue") || strings.HasPrefix(p, "cue.mod/") || strings.Contains(p, "/cue.mod/")
	})
	if err != nil {
		return nil, err
	}
	root := filepath.Join(string(filepath.Separator)+"retryc", commit)
	overlay := make(map[string][]byte, len(files))
	for name, text := range files {
		overlay[filepath.Join(root, filepath.FromSlash(name))] = text
	}
	base := filepath.Join(root, filepath.FromSlash(inside))
	opt := compiler.Options{Base: base, Overlay: overlay}
	var there []string
	known := map[string]bool{}
	for _, p := range patterns {
		dir := path.Clean(strings.TrimSuffix(strings.TrimSuffix(filepath.ToSlash(p), "..."), "/"))
		prefix := path.Join(inside, dir)
		for name := range files {
			if prefix == "." || name == prefix || strings.HasPrefix(name, prefix+"/") {
				there = append(there, p)
				known[p] = true
				break
			}
		}
	}
	if len(there) == 0 {
		return noSets(known), nil
	}
	folders, err := compiler.Find(opt, there)
	if errors.Is(err, compiler.ErrNoSet) {
		return noSets(known), nil
	}
	if err != nil {
		return nil, err
	}
	l, err := a.compile(opt, there, withPolicies(folders, files, inside))
	if err != nil {
		return nil, err
	}
	s := sideOf(l)
	s.patterns = known
	return s, nil
}

// withPolicies leaves out folders that were named but hold no CUE file in a commit:
// a set that is new, or gone.
func withPolicies(folders []compiler.Folder, files map[string][]byte, inside string) []compiler.Folder {
	has := map[string]bool{}
	for name := range files {
		has[path.Dir(name)] = true
	}
	var out []compiler.Folder
	for _, f := range folders {
		if has[path.Join(inside, f.Dir)] {
			out = append(out, f)
		}
	}
	return out
}

// treeSide compiles the policies of the working tree. Submodules are other
// repositories, and are left alone.
func (a *app) treeSide(repo *git.Repo, inside string, patterns []string) (*side, error) {
	var there []string
	known := map[string]bool{}
	for _, p := range patterns {
		dir := strings.TrimSuffix(strings.TrimSuffix(filepath.ToSlash(p), "..."), "/")
		if _, err := os.Stat(a.path(dir)); err == nil {
			there = append(there, p)
			known[p] = true
		}
	}
	if len(there) == 0 {
		return noSets(known), nil
	}
	opt := compiler.Options{Base: a.base}
	folders, err := compiler.Find(opt, there)
	if errors.Is(err, compiler.ErrNoSet) {
		return noSets(known), nil
	}
	if err != nil {
		return nil, err
	}
	modules, err := repo.Submodules()
	if err != nil {
		return nil, err
	}
	var own []compiler.Folder
	for _, f := range folders {
		at := path.Join(inside, f.Dir)
		foreign := false
		for _, m := range modules {
			foreign = foreign || at == m || strings.HasPrefix(at, m+"/")
		}
		// A folder that was named and holds no policy any more is a set that is gone.
		_, unreadable := os.ReadDir(a.path(f.Dir))
		entries, err := filepath.Glob(filepath.Join(a.path(f.Dir), "*.cue"))
		if !foreign && (unreadable != nil || err != nil || len(entries) > 0) {
			own = append(own, f)
		}
	}
	l, err := a.compile(opt, there, own)
	if err != nil {
		return nil, err
	}
	s := sideOf(l)
	s.patterns = known
	return s, nil
}

// diffDriver serves git as an external diff program: seven arguments, of which the
// first is the path, and the second and fifth are files with the two texts. git
// shows one file at a time: where that does not compile alone, or is no policy, the
// ordinary diff is shown.
func (a *app) diffDriver(args []string) error {
	if len(args) == 1 { // git has no two texts of a file with a merge conflict
		fmt.Fprintf(a.stdout, "* Unmerged path %s\n", filepath.ToSlash(args[0]))
		return nil
	}
	if len(args) != 7 && len(args) != 9 {
		return fmt.Errorf("--git-driver is for git, which calls it with 7 arguments or 9, not %d; set it up with: git config diff.retryc.command \"retryc diff --git-driver\"", len(args))
	}
	name := filepath.ToSlash(args[0])
	newName := name
	if len(args) == 9 {
		newName = filepath.ToSlash(args[7])
	}
	texts := [2][]byte{}
	for i, file := range []string{args[1], args[4]} {
		if file == os.DevNull || file == "nul" {
			continue
		}
		text, err := os.ReadFile(a.path(file))
		if err != nil {
			return fmt.Errorf("%s: %w", file, bare(err))
		}
		texts[i] = text
	}
	before, ok1 := a.fileSide("old", name, texts[0])
	after, ok2 := a.fileSide("new", newName, texts[1])
	fmt.Fprintf(a.stdout, "diff --retryc a/%s b/%s\n", name, newName)
	if !ok1 || !ok2 {
		old, now := "a/"+name, "b/"+newName
		if texts[0] == nil {
			old = os.DevNull
		}
		if texts[1] == nil {
			now = os.DevNull
		}
		fmt.Fprint(a.stdout, unified.Diff(old, texts[0], now, texts[1]))
		return nil
	}
	r := diff.Compare(before.sets, after.sets, diff.Options{Before: lint.NewCalls(before.sets), After: lint.NewCalls(after.sets)})
	if len(r.Groups) == 0 {
		fmt.Fprintln(a.stdout, "no policy changes")
		return nil
	}
	return report.DiffText(a.stdout, r, a.colored(a.stdout))
}

// fileSide compiles one file alone; false: it is no policy, or not a whole one.
func (a *app) fileSide(state, name string, text []byte) (*side, bool) {
	if text == nil {
		return &side{sources: map[string][]byte{}}, true
	}
	root := filepath.Join(string(filepath.Separator)+"retryc", state)
	opt := compiler.Options{Base: root, Overlay: map[string][]byte{filepath.Join(root, filepath.FromSlash(name)): text}}
	folders, err := compiler.Find(opt, []string{"./..."})
	if err != nil {
		return nil, false
	}
	l, err := a.compile(opt, nil, folders)
	if err != nil {
		return nil, false
	}
	s := sideOf(l)
	return s, len(s.broken) == 0
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
