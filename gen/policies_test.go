package gen

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retryc/retryc/compiler"
	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/golden"
)

// root is the module's folder, below which the example policies stand.
func root(t testing.TB) string {
	dir, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// compileSets compiles folders below base, without a mistake.
func compileSets(t testing.TB, base string, patterns ...string) []*ir.Set {
	t.Helper()
	opt := compiler.Options{Base: base}
	folders, err := compiler.Find(opt, patterns)
	if err != nil {
		t.Fatal(err)
	}
	results, err := compiler.Compile(opt, folders)
	if err != nil {
		t.Fatal(err)
	}
	var sets []*ir.Set
	for _, r := range results {
		for _, m := range r.Mistakes {
			t.Fatalf("%s:%d: %s", m.Span.File, m.Span.Start.Line, m.Message)
		}
		sets = append(sets, r.Set)
	}
	return sets
}

func mustGenerate(t testing.TB, set *ir.Set) *Package {
	t.Helper()
	pkg, mistakes, err := Generate(set)
	if err != nil || len(mistakes) > 0 {
		t.Fatal(err, mistakes)
	}
	return pkg
}

// The committed packages of the example policies are what the generator makes.
// With RETRYC_UPDATE=1 they are rewritten.
func TestExamplePackagesAreFresh(t *testing.T) {
	base := root(t)
	sets := compileSets(t, base, "policies/...")
	if len(sets) < 3 {
		t.Fatalf("%d example sets, want http, mobile and payments at least", len(sets))
	}
	for _, set := range sets {
		pkg := mustGenerate(t, set)
		checkTypes(t, pkg, set.Go.Package)
		if golden.Update() {
			if _, err := Write(base, pkg); err != nil {
				t.Error(err)
			}
			continue
		}
		changes, err := Compare(base, pkg)
		if err != nil {
			t.Error(err)
		}
		for _, c := range changes {
			t.Errorf("%s/%s is %s; run: RETRYC_UPDATE=1 go test ./...", pkg.Dir, c.Name, c.Kind)
		}
	}
}

var std = importer.ForCompiler(token.NewFileSet(), "source", nil)

// checkTypes checks that a package compiles on its own, is formatted and has our
// header on every file.
func checkTypes(t testing.TB, pkg *Package, name string) {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	comments := 0
	for _, f := range pkg.Files {
		if !generated(f.Text) {
			t.Errorf("%s lacks the header", f.Name)
		}
		if formatted, err := format.Source(f.Text); err != nil || !bytes.Equal(formatted, f.Text) {
			t.Errorf("%s is not as gofmt leaves it (%v)", f.Name, err)
		}
		if bytes.Contains(f.Text, []byte("\r")) {
			t.Errorf("%s has carriage returns", f.Name)
		}
		file, err := parser.ParseFile(fset, f.Name, f.Text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("%v\n%s", err, f.Text)
		}
		if file.Name.Name != name {
			t.Errorf("%s is of package %s, want %s", f.Name, file.Name.Name, name)
		}
		if file.Doc != nil {
			comments++
		}
		for _, imp := range file.Imports {
			if path := strings.Trim(imp.Path.Value, `"`); strings.Contains(strings.Split(path, "/")[0], ".") {
				t.Errorf("%s imports %s", f.Name, path)
			}
		}
		files = append(files, file)
	}
	if comments != 1 {
		t.Errorf("%d files have a package comment, want the one of the policies", comments)
	}
	conf := types.Config{Importer: std, GoVersion: "go1.24", Error: func(err error) { t.Error(err) }}
	conf.Check(name, fset, files, nil)
}

// Generation depends on the policies alone: not on the order of files, the name
// of the folder, or where the tree stands.
func TestBytesDependOnThePolicyAlone(t *testing.T) {
	first := compileSets(t, root(t), "policies/mobile")[0]
	want := mustGenerate(t, first)

	src, err := os.ReadFile(filepath.Join(root(t), "policies/mobile/mobile.cue"))
	if err != nil {
		t.Fatal(err)
	}
	// The same classes, declared in another file and another order.
	head, rest, ok := strings.Cut(string(src), "// Send a chat message.")
	if !ok {
		t.Fatal("the example has changed; mend this test")
	}
	dir := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(dir, "z.cue"), []byte(strings.ReplaceAll(head, "\n", "\r\n")), 0o666)
	os.WriteFile(filepath.Join(dir, "a.cue"), []byte("package mobile\n\n// Send a chat message."+rest), 0o666)
	got := mustGenerate(t, compileSets(t, filepath.Dir(dir), "elsewhere")[0])

	if len(got.Files) != len(want.Files) {
		t.Fatalf("%d files, want %d", len(got.Files), len(want.Files))
	}
	for i := range got.Files {
		if got.Files[i].Name != want.Files[i].Name || !bytes.Equal(got.Files[i].Text, want.Files[i].Text) {
			t.Errorf("%s differs", want.Files[i].Name)
		}
	}
	for _, f := range want.Files {
		if bytes.Contains(f.Text, []byte(root(t))) {
			t.Errorf("%s names the folder it was made in", f.Name)
		}
	}
}
