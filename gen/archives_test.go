package gen

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/golden"
)

// archiveSets compiles the policies of testdata/gen, one set an archive, by the
// archive's name.
func archiveSets(t testing.TB) map[string]*ir.Set {
	t.Helper()
	files, err := filepath.Glob("../testdata/gen/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no archives", err)
	}
	sets := map[string]*ir.Set{}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		base := t.TempDir()
		for _, f := range a.Files {
			if strings.HasSuffix(f.Name, ".cue") {
				if err := os.WriteFile(filepath.Join(base, f.Name), f.Data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
		sets[file] = compileSets(t, base, ".")[0]
	}
	return sets
}

// The generated file of each archive is what it holds in its section
// policies_gen.go. It may only be recorded once it has compiled.
func TestArchives(t *testing.T) {
	for file, set := range archiveSets(t) {
		pkg := mustGenerate(t, set)
		checkTypes(t, pkg, set.Go.Package)
		if t.Failed() {
			t.Fatalf("%s does not compile", file)
		}
		i := slices.IndexFunc(pkg.Files, func(f File) bool { return f.Name == policiesFile })
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(string(a.Comment)) == "" {
			t.Errorf("%s does not say what it shows", file)
		}
		out := &txtar.Archive{Comment: a.Comment}
		for _, f := range a.Files {
			if f.Name != policiesFile {
				out.Files = append(out.Files, f)
			}
		}
		out.Files = append(out.Files, txtar.File{Name: policiesFile, Data: pkg.Files[i].Text})
		golden.Compare(t, file, txtar.Format(out))
	}
}

// Every field of engine.Spec is set by some archive, so that a field which is
// lowered and not printed, or the other way round, shows.
func TestEveryFieldIsPrinted(t *testing.T) {
	printed := map[string]bool{}
	for _, set := range archiveSets(t) {
		for i := range set.Classes {
			s := Lower(&set.Classes[i])
			if s.Budget.Name != "" && s.Budget.Ratio == 0 && s.Budget.Floor == 0 {
				t.Errorf("%s.%s: the shared budget %q lost its numbers", s.Set, s.Name, s.Budget.Name)
			}
			for _, f := range specFields(&s) {
				printed[f.name] = true
			}
		}
	}
	for _, name := range specFieldNames() {
		if !printed[name] {
			t.Errorf("no archive of testdata/gen sets %s, or it is not printed", name)
		}
	}
}
