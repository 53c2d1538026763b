package engine_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/retryc/retryc/gen/engine"
	"github.com/retryc/retryc/internal/golden"
)

// notEmitted reports whether a file stays in this module.
func notEmitted(name string) bool { return name == "doc.go" || strings.HasPrefix(name, "tools") }

func TestEveryFileIsInOneGroup(t *testing.T) {
	owner := map[string]string{}
	for _, g := range engine.Groups {
		if g.Name == "" || g.When == "" || !slices.IsSorted(g.Files) || !slices.IsSorted(g.Tests) {
			t.Errorf("group %q: a name, a reason and sorted files are due", g.Name)
		}
		for _, name := range slices.Concat(g.Files, g.Tests) {
			if other, ok := owner[name]; ok {
				t.Errorf("%s is in %s and in %s", name, other, g.Name)
			}
			owner[name] = g.Name
		}
	}
	fset := token.NewFileSet()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(fset, name, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		_, owned := owner[name]
		delete(owner, name)
		isTest := strings.HasSuffix(name, "_test.go")
		if emitted := !notEmitted(name) && f.Name.Name == "engine"; emitted != owned {
			t.Errorf("%s: emitted %v, in a group %v", name, emitted, owned)
		}
		if f.Doc != nil && name != "doc.go" {
			t.Errorf("%s has a package comment, which would describe the user's package", name)
		}
		if !owned {
			continue
		}
		for _, i := range f.Imports {
			if path := strings.Trim(i.Path.Value, `"`); strings.Contains(strings.Split(path, "/")[0], ".") {
				t.Errorf("%s imports %s", name, path)
			}
		}
		if !isTest {
			bare := build.Default // where neither its name nor a constraint lets a file in
			bare.GOOS, bare.GOARCH, bare.CgoEnabled = "none", "none", false
			if ok, err := bare.MatchFile(".", name); !ok || err != nil {
				t.Errorf("%s is not built everywhere", name)
			}
		}
	}
	for name, group := range owner {
		t.Errorf("group %s lists %s, which is not there", group, name)
	}
}

// Each group compiles with core alone, as it does in a package that needs no
// other; and so do its tests.
func TestGroupsCompileAlone(t *testing.T) {
	core := engine.Groups[0]
	if core.Name != "core" {
		t.Fatal("core is not the first group")
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", nil)
	check := func(names ...string) {
		t.Helper()
		var files []*ast.File
		for _, name := range names {
			f, err := parser.ParseFile(fset, name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		config := types.Config{Importer: imports, Error: func(err error) { t.Error(err) }}
		config.Check("engine", fset, files, nil)
	}
	check(core.Files...)
	check(slices.Concat(core.Files, core.Tests)...)
	for _, g := range engine.Groups[1:] {
		check(slices.Concat(core.Files, g.Files)...)
		check(slices.Concat(core.Files, core.Tests, g.Files, g.Tests)...)
	}
}

// The names that users see, and that no class can have. Few, on purpose.
func TestGoldenExportedNames(t *testing.T) {
	var out bytes.Buffer
	fset := token.NewFileSet()
	for _, g := range engine.Groups {
		var names []string
		for _, file := range g.Files {
			f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				names = append(names, exported(d)...)
			}
		}
		slices.Sort(names)
		fmt.Fprintf(&out, "%s: %s\n", g.Name, strings.Join(names, " "))
	}
	golden.Compare(t, "testdata/exported.golden", out.Bytes())
}

func exported(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && d.Name.IsExported() {
			return []string{d.Name.Name}
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					names = append(names, s.Name.Name)
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if n.IsExported() {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names
}

// What a small set carries: no HTTP, no debug server, no database.
func TestCoreIsSmall(t *testing.T) {
	fset := token.NewFileSet()
	for _, name := range engine.Groups[0].Files {
		f, err := parser.ParseFile(fset, name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			switch i.Path.Value {
			case `"net/http"`, `"expvar"`, `"database/sql"`, `"testing"`:
				t.Errorf("%s imports %s", name, i.Path.Value)
			}
		}
	}
}

// Exported names are the users' API: each is documented, in their words.
func TestExportedNamesAreDocumented(t *testing.T) {
	fset := token.NewFileSet()
	for _, g := range engine.Groups {
		for _, name := range g.Files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			f, err := parser.ParseFile(fset, name, text, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				checkDocumented(t, name, d)
			}
		}
	}
}

func checkDocumented(t *testing.T, file string, d ast.Decl) {
	t.Helper()
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && exportedReceiver(d) {
			checkDoc(t, file, d.Name.Name, d.Doc)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					doc := s.Doc
					if doc == nil {
						doc = d.Doc
					}
					checkDoc(t, file, s.Name.Name, doc)
				}
			case *ast.ValueSpec:
				if s.Names[0].IsExported() {
					doc := d.Doc
					if s.Comment == nil && len(d.Specs) > 1 {
						doc = s.Doc
					}
					checkDoc(t, file, s.Names[0].Name, doc)
				}
			}
		}
	}
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	of := d.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	id, ok := of.(*ast.Ident)
	return ok && id.IsExported()
}

func checkDoc(t *testing.T, file, name string, doc *ast.CommentGroup) {
	t.Helper()
	if doc == nil {
		t.Errorf("%s: %s has no comment", file, name)
		return
	}
	for _, word := range []string{"engine", "retryc", "emitted"} {
		if strings.Contains(strings.ToLower(doc.Text()), word) {
			t.Errorf("%s: the comment of %s speaks of %q", file, name, word)
		}
	}
}
