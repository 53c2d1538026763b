package lint_test

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

// The corpus of judgement: whole policies, each with a sentence that says how it
// is to be judged. Those below clean have neither error nor warning; those below
// found name the rules that speak. Both hold whatever an update writes; what is
// printed is compared as well.
func TestCorpus(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "testdata", "lint", "*", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, path := range paths {
		kind := filepath.Base(filepath.Dir(path))
		kinds[kind]++
		t.Run(kind+"/"+strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			a := txtar.Parse(raw)
			at := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == "findings" })
			if at != len(a.Files)-1 || at < 1 {
				t.Fatal("want policies, then findings")
			}
			sets, got := run(t, a.Files[:at])
			printed := text(t, sets, got.Findings)
			var rules []string
			for _, d := range got.Findings {
				checkFinding(t, d)
				rules = append(rules, d.Rule)
				if kind == "clean" && d.Severity > ir.Info {
					t.Errorf("a clean policy has findings:\n%s", printed)
				}
			}
			sentence, finds, _ := strings.Cut(string(a.Comment), "\nFinds: ")
			if !strings.HasSuffix(strings.TrimSpace(sentence), ".") {
				t.Error("no sentence says how it is judged")
			}
			if kind == "found" {
				want := strings.Split(strings.TrimSuffix(strings.TrimSpace(finds), "."), ", ")
				slices.Sort(want)
				slices.Sort(rules)
				if !slices.Equal(want, rules) {
					t.Errorf("finds %v, want %v", rules, want)
				}
			}
			a.Files[at].Data = []byte(printed)
			golden.Compare(t, path, txtar.Format(a))
		})
	}
	if kinds["clean"] < 20 || kinds["found"] < 20 {
		t.Errorf("the corpus has %v", kinds)
	}
}
