package compiler

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"sort"
	"strings"

	"cuelang.org/go/cue/ast"
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
// field class at its top. No pattern means "./...". As with the go command,
// "..." does not descend into folders named testdata or with a name that begins
// with "." or "_"; neither into cue.mod, node_modules and vendor. Symbolic links
// are not followed.
//
// The error wraps ErrNoSet where nothing was found.
func Find(opt Options, patterns []string) ([]Folder, error) {
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	t := newTree(opt)
	found := map[string]Folder{}
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
			if err := t.walk(dir, true, found); err != nil {
				return nil, err
			}
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
		if _, err := t.list(abs); err != nil {
			return nil, unreadable(p, err)
		}
		found[abs] = Folder{Dir: t.show(abs), Named: true}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%w in %s: no folder there has CUE files with a field class", ErrNoSet, strings.Join(patterns, ", "))
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

func (t *tree) walk(dir string, top bool, found map[string]Folder) error {
	entries, err := t.list(dir)
	if err != nil {
		return unreadable(t.show(dir), err)
	}
	if _, ok := found[dir]; !ok && t.holdsSet(dir, entries) {
		found[dir] = Folder{Dir: t.show(dir)}
	}
	for _, e := range entries {
		if !e.dir || e.link || strings.HasPrefix(e.name, ".") || strings.HasPrefix(e.name, "_") ||
			e.name == "testdata" || e.name == "cue.mod" || e.name == "node_modules" || e.name == "vendor" {
			continue
		}
		if err := t.walk(filepath.Join(dir, e.name), false, found); err != nil {
			return err
		}
	}
	return nil
}

var (
	plainClass = regexp.MustCompile(`(?m)^(\x{FEFF})?"?class"?[ \t]*:`)
	anyClass   = regexp.MustCompile(`(?i)class`)
	oneOfOurs  = regexp.MustCompile(`\b(http|grpc|task|attempts|deadline)\b`)

	// classMeant is a line that only a mistake keeps from declaring classes:
	// class "a" {…}, class = a: …, class; a: …
	classMeant = regexp.MustCompile(`(?m)^(\x{FEFF})?["']?([A-Za-z]+)["']?[ \t]*([:;={?!,.(]|["'a-z])`)
)

func (t *tree) holdsSet(dir string, entries []entry) bool {
	for _, e := range entries {
		if e.dir || !isPolicyFile(e.name) {
			continue
		}
		text, err := t.read(filepath.Join(dir, e.name))
		if err != nil {
			// Whether it is one cannot be told; Compile will say why.
			return true
		}
		if decoded, ok := fromUTF16(text); ok {
			text = decoded
		}
		if plainClass.Match(text) {
			return true
		}
		if !anyClass.Match(text) && !oneOfOurs.Match(text) {
			continue
		}
		f, err := parser.ParseFile(e.name, text)
		if f != nil && declaresClass(f.Decls) || err != nil && meansClass(text) {
			return true
		}
	}
	return false
}

// meansClass reports whether a text that has a mistake of syntax was meant to
// declare classes.
func meansClass(text []byte) bool {
	ours := oneOfOurs.Match(text)
	for _, m := range classMeant.FindAllSubmatch(text, -1) {
		if strings.EqualFold(string(m[2]), "class") || ours && near(string(m[2]), []string{"class"}) != "" {
			return true
		}
	}
	return false
}

// declaresClass reports whether declarations at the top of a file make a policy
// set: a field class, also one made by a comprehension, or what can only be a
// misspelt one.
func declaresClass(decls []ast.Decl) bool {
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.Field:
			if a, ok := d.Label.(*ast.Alias); ok && near(a.Ident.Name, []string{"class"}) != "" && looksLikeClass(d.Value) {
				return true // class = a: …
			}
			name, _, err := ast.LabelName(d.Label)
			if err != nil {
				continue
			}
			if name == "class" || near(name, []string{"class"}) != "" && looksLikeClasses(d.Value) {
				return true
			}
		case *ast.Comprehension:
			if s, ok := d.Value.(*ast.StructLit); ok && declaresClass(s.Elts) {
				return true
			}
		case *ast.EmbedDecl:
			if s, ok := d.Expr.(*ast.StructLit); ok && declaresClass(s.Elts) {
				return true
			}
		}
	}
	return false
}

// looksLikeClasses reports whether a value is a struct of structs with fields
// that only the policy language has.
func looksLikeClasses(e ast.Expr) bool {
	s, ok := e.(*ast.StructLit)
	if !ok {
		return false
	}
	for _, d := range s.Elts {
		f, ok := d.(*ast.Field)
		if !ok {
			continue
		}
		if looksLikeClass(f.Value) {
			return true
		}
	}
	return false
}

// looksLikeClass reports whether a value is a struct with fields that only the
// policy language has.
func looksLikeClass(e ast.Expr) bool {
	s, ok := e.(*ast.StructLit)
	if !ok {
		return false
	}
	for _, d := range s.Elts {
		f, ok := d.(*ast.Field)
		if !ok {
			continue
		}
		switch name, _, _ := ast.LabelName(f.Label); name {
		case "http", "grpc", "task", "attempts", "deadline":
			return true
		}
	}
	return false
}
