package gen

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
)

// Change is what one file of a package needs, or got.
type Change struct {
	Name string
	Kind ChangeKind
	Old  []byte // what is on disk, for Changed and Orphaned
	New  []byte // what belongs there, for Missing and Changed
}

// ChangeKind tells the ways in which a folder can differ from its policies.
type ChangeKind uint8

// The kinds of Change.
const (
	Missing ChangeKind = iota + 1
	Changed
	Orphaned
)

func (k ChangeKind) String() string {
	return [...]string{"?", "missing", "changed", "orphaned"}[k]
}

// ForeignError says that a folder for generated code holds Go files that were
// not generated. They are never touched, and nothing is written beside them:
// they would become part of the package.
type ForeignError struct {
	Dir   string
	Files []string
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("%s holds hand-written Go code (%s); generated code needs a folder of its own: move it, or choose another with  go: dir: \"…\"",
		e.Dir, strings.Join(e.Files, ", "))
}

// Compare tells what would have to change below base for pkg to be in sync.
// Line endings do not count. It writes nothing.
func Compare(base string, pkg *Package) ([]Change, error) {
	dir := filepath.Join(base, filepath.FromSlash(pkg.Dir))
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, plain(pkg.Dir, err)
	}
	want := map[string][]byte{}
	for _, f := range pkg.Files {
		want[f.Name] = f.Text
	}
	var changes []Change
	var foreign []string
	seen := map[string]bool{}
	for _, e := range entries {
		name := e.Name()
		text, ours := want[name]
		if !ours && !strings.HasSuffix(name, ".go") {
			continue
		}
		if e.IsDir() {
			if ours {
				return nil, fmt.Errorf("%s is a folder, and a generated file has that name", path.Join(pkg.Dir, name))
			}
			continue
		}
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, plain(path.Join(pkg.Dir, name), err)
		}
		switch {
		case !generated(got):
			foreign = append(foreign, name)
		case !ours:
			changes = append(changes, Change{Name: name, Kind: Orphaned, Old: got})
		case !sameLines(got, text):
			changes = append(changes, Change{Name: name, Kind: Changed, Old: got, New: text})
		}
		seen[name] = true
	}
	if len(foreign) > 0 {
		return nil, &ForeignError{Dir: pkg.Dir, Files: foreign}
	}
	for _, f := range pkg.Files {
		if !seen[f.Name] {
			changes = append(changes, Change{Name: f.Name, Kind: Missing, New: f.Text})
		}
	}
	sort.Slice(changes, func(i, j int) bool { return changes[i].Name < changes[j].Name })
	return changes, nil
}

// Write brings the folder of pkg below base in sync and returns what it changed.
// All new texts are on disk before the first is put in place, so that a full
// disk or a read-only folder leaves the old package as it was.
func Write(base string, pkg *Package) ([]Change, error) {
	changes, err := Compare(base, pkg)
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	dir := filepath.Join(base, filepath.FromSlash(pkg.Dir))
	made, err := makeDir(dir)
	if err != nil {
		return nil, plain(pkg.Dir, err)
	}
	temps := map[string]string{}
	undo := func() {
		for _, t := range temps {
			os.Remove(t)
		}
		for _, d := range made {
			os.Remove(d)
		}
	}
	for _, c := range changes {
		if c.Kind == Orphaned {
			continue
		}
		temp, err := writeTemp(dir, c.New)
		if err != nil {
			undo()
			return nil, plain(pkg.Dir, err)
		}
		temps[c.Name] = temp
	}
	for _, c := range changes {
		target := filepath.Join(dir, c.Name)
		if c.Kind == Orphaned {
			err = os.Remove(target)
		} else {
			err = os.Rename(temps[c.Name], target)
			delete(temps, c.Name)
		}
		if err != nil {
			undo()
			return nil, plain(path.Join(pkg.Dir, c.Name), err)
		}
	}
	return changes, nil
}

// makeDir is os.MkdirAll that tells which folders it made, deepest first.
func makeDir(dir string) (made []string, err error) {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil || d == filepath.Dir(d) {
			break
		}
		made = append(made, d)
	}
	return made, os.MkdirAll(dir, 0o777)
}

func writeTemp(dir string, text []byte) (name string, err error) {
	f, err := os.CreateTemp(dir, ".retryc-*.tmp")
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// generated reports whether a file carries our header, whatever its line
// endings and whether or not an editor put a byte order mark before it.
func generated(text []byte) bool {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return string(bytes.TrimSuffix(line, []byte("\r"))) == Header
}

func sameLines(a, b []byte) bool {
	return bytes.Equal(a, b) || bytes.Equal(bytes.ReplaceAll(a, []byte("\r\n"), []byte("\n")), b)
}

// plain names the path as people know it and drops the machine's.
func plain(shown string, err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	var linkErr *os.LinkError
	if errors.As(err, &linkErr) {
		err = linkErr.Err
	}
	return fmt.Errorf("%s: %w", shown, err)
}

func join(dir, sub string) string { return path.Join(dir, sub) }
