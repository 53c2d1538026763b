package compiler

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sort"
	"strings"

	"cuelang.org/go/cue/parser"
)

// Folder is a policy set's folder.
type Folder struct {
	Dir   string // as shown: relative to Base, with forward slashes
	Named bool   // on the command line: then it is a set, whatever it holds
}

// ErrNoSet says that no folder asked for holds a policy set.
var ErrNoSet = errors.New("no policy set")

// Find returns the folders of policy sets that patterns name, sorted. A pattern
// is a folder, a file (its folder is meant), or a folder followed by "/...",
// which stands for every folder below that holds a set: one whose CUE has a
// field class at its top, or what can only be meant for it. No pattern means "./...". As with the go command,
// "..." does not descend into folders named testdata or with a name that begins
// with "." or "_"; neither into cue.mod, node_modules and vendor. Symbolic links
// are not followed. Of a folder that cannot be read, Compile tells so.
//
// The error wraps ErrNoSet where nothing was found.
func Find(opt Options, patterns []string) ([]Folder, error) {
	return find(opt, patterns, (*tree).holdsSet)
}

func find(opt Options, patterns []string, holdsSet func(*tree, string, []entry) bool) ([]Folder, error) {
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	t := newTree(opt)
	guarded := func(dir string, entries []entry) bool {
		holds := false
		err := guard(t.show(dir), func() { holds = holdsSet(t, dir, entries) })
		return holds || err != nil // Compile fails there, too, and can say so beside the rest
	}
	found := map[string]Folder{}
	var looked []lookedAt
	for _, p := range patterns {
		slashed := filepath.ToSlash(p)
		if root, ok := strings.CutSuffix(slashed, "..."); ok && (root == "" || strings.HasSuffix(root, "/")) {
			root = strings.TrimSuffix(root, "/")
			if root == "" && strings.HasPrefix(slashed, "/") {
				root = "/"
			}
			dir := t.abs(root)
			if err := t.mustBeFolder(root, dir); err != nil {
				return nil, err
			}
			t.walk(dir, guarded, found, &looked)
			continue
		}
		abs := t.abs(slashed)
		if t.exists(abs) && !t.isDir(abs) {
			if !strings.HasSuffix(abs, ".cue") {
				return nil, fmt.Errorf("%q is neither a folder nor a CUE file", p)
			}
			abs = filepath.Dir(abs)
		} else if err := t.mustBeFolder(slashed, abs); err != nil {
			return nil, err
		}
		found[abs] = Folder{Dir: t.show(abs), Named: true}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%w in %s: %s", ErrNoSet, strings.Join(patterns, ", "), whyNone(looked))
	}
	out := make([]Folder, 0, len(found))
	for _, f := range found {
		out = append(out, f)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Dir < out[j].Dir })
	return out, nil
}

func (t *tree) mustBeFolder(shown, abs string) error {
	if !t.exists(abs) {
		return fmt.Errorf("no such file or folder: %q", shown)
	}
	if !t.isDir(abs) {
		return fmt.Errorf("%q is not a folder", shown)
	}
	return nil
}

func unreadable(shown string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("%q cannot be read: %v", shown, err)
}

// walk finds the sets in a folder and below it, and notes the CUE files of the
// other folders. A folder that cannot be read may hold a set: Compile reports it,
// beside what it finds in the rest.
func (t *tree) walk(dir string, holdsSet func(string, []entry) bool, found map[string]Folder, looked *[]lookedAt) {
	entries, err := t.list(dir)
	if err != nil {
		found[dir] = Folder{Dir: t.show(dir)}
		return
	}
	if _, ok := found[dir]; !ok {
		if holdsSet(dir, entries) {
			found[dir] = Folder{Dir: t.show(dir)}
		} else {
			*looked = append(*looked, t.lookedAt(dir, entries)...)
		}
	}
	for _, e := range entries {
		if !e.dir || e.link || strings.HasPrefix(e.name, ".") || strings.HasPrefix(e.name, "_") ||
			e.name == "testdata" || e.name == "cue.mod" || e.name == "node_modules" || e.name == "vendor" {
			continue
		}
		t.walk(filepath.Join(dir, e.name), holdsSet, found, looked)
	}
}

// lookedAt is a CUE file that declares no class.
type lookedAt struct {
	tree *tree
	abs  string
}

func (t *tree) lookedAt(dir string, entries []entry) (out []lookedAt) {
	for _, e := range entries {
		if !e.dir && isPolicyFile(e.name) {
			out = append(out, lookedAt{t, filepath.Join(dir, e.name)})
		}
	}
	return out
}

func (l lookedAt) name() string { return l.tree.show(l.abs) }

// says is a phrase about what the file has in place of classes.
func (l lookedAt) says() string {
	text, err := l.tree.read(l.abs)
	if err != nil {
		return l.name() + " cannot be read"
	}
	f, err := parser.ParseFile(l.abs, text)
	switch {
	case len(bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\uFEFF")))) == 0:
		return l.name() + " is empty"
	case err == nil && len(f.Decls) == 0:
		return l.name() + " has nothing but comments"
	case err == nil && ignored(f):
		return l.name() + " is left out by @ignore"
	}
	return l.name() + " has no field class"
}

// whyNone says what there is in place of a policy set.
func whyNone(looked []lookedAt) string {
	const most = 3
	switch n := len(looked); {
	case n == 0:
		return "there is no CUE file"
	case n == 1:
		return looked[0].says()
	case n == 2:
		return looked[0].says() + ", " + looked[1].says()
	default:
		var names []string
		for _, l := range looked[:min(n, most)] {
			names = append(names, l.name())
		}
		if n > most {
			names = append(names, fmt.Sprintf("%d more", n-most))
		}
		return "none of " + strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1] + " has a field class"
	}
}
