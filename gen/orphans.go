package gen

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Abandoned finds folders of generated code that no set claims: their set is
// gone, or its go.dir has changed. Roots are folders below base; with deep set
// everything below them is looked at, else only their direct sub-folders.
// Claimed are the folders of the packages that belong to a set.
func Abandoned(base string, roots []string, deep bool, claimed map[string]bool) ([]Package, error) {
	var found []Package
	seen := map[string]bool{}
	mine := map[string]bool{} // what is claimed, behind symbolic links
	for dir := range claimed {
		if real, err := filepath.EvalSymlinks(filepath.Join(base, filepath.FromSlash(dir))); err == nil {
			mine[real] = true
		}
	}
	look := func(shown string) error {
		if seen[shown] || claimed[shown] {
			return nil
		}
		if real, err := filepath.EvalSymlinks(filepath.Join(base, filepath.FromSlash(shown))); err == nil && mine[real] {
			return nil
		}
		seen[shown] = true
		pkg := Package{Dir: shown}
		entries, err := os.ReadDir(filepath.Join(base, filepath.FromSlash(shown)))
		if errors.Is(err, fs.ErrPermission) {
			return nil
		}
		if err != nil {
			return plain(shown, err)
		}
		marked := false
		for _, e := range entries {
			marked = marked || e.Name() == policiesFile
		}
		if !marked {
			return nil
		}
		for _, e := range entries {
			if e.IsDir() || !strings.HasSuffix(e.Name(), ".go") {
				continue
			}
			text, err := os.ReadFile(filepath.Join(base, filepath.FromSlash(shown), e.Name()))
			if err != nil {
				return plain(path.Join(shown, e.Name()), err)
			}
			if generated(text) {
				pkg.Files = append(pkg.Files, File{e.Name(), text})
			}
		}
		if len(pkg.Files) > 0 {
			found = append(found, pkg)
		}
		return nil
	}
	for _, root := range roots {
		top := filepath.Join(base, filepath.FromSlash(root))
		err := filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				if p == top && errors.Is(err, fs.ErrNotExist) {
					return nil
				}
				if d != nil && d.IsDir() && errors.Is(err, fs.ErrPermission) {
					return filepath.SkipDir // who looks for sets says so
				}
				return plain(root, err)
			}
			if !d.IsDir() {
				return nil
			}
			if p == top {
				return nil
			}
			// A module within is somebody else's.
			if _, err := os.Stat(filepath.Join(p, "go.mod")); err == nil || SkipDir(d.Name()) {
				return filepath.SkipDir
			}
			rel, err := filepath.Rel(top, p)
			if err != nil {
				return err
			}
			if err := look(path.Join(root, filepath.ToSlash(rel))); err != nil {
				return err
			}
			if !deep {
				return filepath.SkipDir
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// SkipDir reports whether a folder of that name is passed over when a tree is
// searched, as when policy sets are looked for: version control, dependencies, and
// what the go command ignores.
func SkipDir(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") ||
		name == "node_modules" || name == "vendor" || name == "cue.mod" || name == "testdata"
}

// Remove deletes the files of an abandoned package, and its folder if nothing
// else is left in it.
func Remove(base string, pkg Package) error {
	dir := filepath.Join(base, filepath.FromSlash(pkg.Dir))
	for _, f := range pkg.Files {
		if err := os.Remove(filepath.Join(dir, f.Name)); err != nil {
			return plain(path.Join(pkg.Dir, f.Name), err)
		}
	}
	os.Remove(dir) // fails where something else is in it, which then stays
	return nil
}
