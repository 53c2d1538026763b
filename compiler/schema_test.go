package compiler_test

import (
	"path/filepath"
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"
	"golang.org/x/tools/txtar"

	"github.com/retryc/retryc/schema"
)

// beyondCUE are archives whose mistakes the schema in CUE does not see, and why.
var beyondCUE = map[string]string{
	"import_of_another_package":    "the package that an import means is the loader's to find, not the schema's",
	"codes":                        "which codes mean something for the kind of the class",
	"aliases":                      "names of other classes",
	"cap_below_base":               "the order of durations with days",
	"scheduler_in_wrong_order":     "the order of durations with days",
	"unknown_budget":               "names of the set",
	"package_name":                 "the name of the package",
	"same_package_twice":           "two packages",
	"schema_differs":               "a warning",
	"tags_everywhere":              "a warning",
	"schema_differs_unused":        "a warning",
	"class_is_itself":              "CUE takes it for no class",
	"codes_of_the_other_kind":      "which codes there are depends on the kind of the class",
	"codes_of_grpc":                "which codes there are depends on the kind of the class",
	"missing_class":                "the set may be spread over folders for CUE",
	"missing_in_calls":             "which fields of a call belong together",
	"outcome_that_changes_nothing": "a struct without fields",
	"broken_module":                "the module is not read here",
	"language_no_version":          "the module is not read here",
	"language_number":              "the module is not read here",
	"newer_cue":                    "the module is not read here",
	"syntax_deep":                  "CUE has no bound on nesting",
	"package_missing":              "CUE leaves the file out",
	"package_missing_everywhere":   "CUE leaves the file out",
	"empty_file":                   "CUE leaves the file out",
	"only_comments":                "CUE leaves the file out",
}

// The schema in CUE, which editors and cue vet use, and the checks in Go agree:
// it accepts every sound policy, and refuses every broken one but those whose
// mistake is beyond it.
func TestSchemaAgrees(t *testing.T) {
	for path, a := range archives(t, "../testdata/compile/*.txtar") {
		for dir, err := range vetArchive(t, a) {
			if err != nil {
				t.Errorf("%s: the schema refuses the sound set in %s: %v", filepath.Base(path), dir, err)
			}
		}
	}
	for path, a := range archives(t, brokenArchives) {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		refused := false
		for _, err := range vetArchive(t, a) {
			refused = refused || err != nil
		}
		if _, beyond := beyondCUE[name]; refused == beyond {
			t.Errorf("%s: refused by the schema: %v", name, refused)
		}
	}
}

// vetArchive validates each folder of an archive that declares classes against
// the schema, by CUE alone.
func vetArchive(t *testing.T, a *txtar.Archive) map[string]error {
	t.Helper()
	files := map[string]map[string][]byte{}
	for _, f := range a.Files {
		base := filepath.Base(f.Name)
		if strings.HasSuffix(f.Name, ".cue") && !strings.HasPrefix(f.Name, "cue.mod/") && !strings.HasPrefix(base, "_") && !strings.Contains(f.Name, "/.") &&
			!strings.HasPrefix(f.Name, ".") && !strings.HasPrefix(f.Name, "_") && !strings.HasSuffix(f.Name, "_tool.cue") {
			dir := filepath.ToSlash(filepath.Dir(f.Name))
			if files[dir] == nil {
				files[dir] = map[string][]byte{}
			}
			files[dir][f.Name] = expand(f.Data)
		}
	}
	out := map[string]error{}
	for dir, texts := range files {
		has := false
		for _, text := range texts {
			has = has || strings.Contains(string(text), "clas")
		}
		if has || len(files) == 1 {
			out[dir] = vetFolder(texts, files)
		}
	}
	return out
}

func vetFolder(texts map[string][]byte, all map[string]map[string][]byte) error {
	ctx := build.NewContext()
	add := func(i *build.Instance, texts map[string][]byte) error {
		for name, text := range texts {
			f, err := parser.ParseFile(name, text, parser.ParseComments)
			if err != nil {
				return err
			}
			ignored := false
			for _, d := range f.Decls {
				if at, ok := d.(*ast.Attribute); ok && strings.HasPrefix(at.Text, "@ignore") {
					ignored = true
				}
			}
			if ignored {
				continue
			}
			if err := i.AddSyntax(f); err != nil {
				return err
			}
		}
		return i.Complete()
	}
	var load build.LoadFunc
	loading := map[string]bool{}
	load = func(_ token.Pos, path string) *build.Instance {
		if loading[path] {
			return nil
		}
		loading[path] = true
		defer delete(loading, path)
		i := ctx.NewInstance(path, load)
		i.ImportPath = path
		if path == schema.ImportPath {
			if err := add(i, schema.Files()); err != nil {
				i.Err = nil
			}
			return i
		}
		for dir, texts := range all {
			if strings.HasPrefix(path, "shop.example/") && strings.HasSuffix(path, dir) {
				if err := add(i, texts); err != nil {
					return nil
				}
				return i
			}
		}
		return nil
	}
	i := ctx.NewInstance("", load)
	if err := add(i, texts); err != nil {
		return err
	}
	policy := load(token.NoPos, schema.ImportPath)
	c := cuecontext.New()
	user := c.BuildInstance(i)
	if err := user.Err(); err != nil {
		return err
	}
	if i.Err != nil {
		return i.Err
	}
	s := c.BuildInstance(policy)
	if err := s.Err(); err != nil {
		return err
	}
	return user.Unify(s.LookupPath(cue.ParsePath("#Policy"))).Validate(cue.Concrete(true))
}
