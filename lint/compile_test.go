package lint_test

import (
	"bytes"
	"path"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/retryc/retryc/compiler"
	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/report"
	"github.com/retryc/retryc/lint"
)

// today is the day of all tests: waivers in them are dated around it.
var today = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

// compile makes sets of policies that exist in memory only. Files without a
// folder are one set; otherwise each folder is one.
func compile(t testing.TB, files []txtar.File) []*ir.Set {
	t.Helper()
	base := t.TempDir()
	opt := compiler.Options{Base: base, Overlay: map[string][]byte{}}
	var folders []compiler.Folder
	seen := map[string]bool{}
	for _, f := range files {
		opt.Overlay[filepath.Join(base, filepath.FromSlash(f.Name))] = f.Data
		if dir := path.Dir(f.Name); !seen[dir] {
			seen[dir] = true
			folders = append(folders, compiler.Folder{Dir: dir, Named: true})
		}
	}
	results, err := compiler.Compile(opt, folders)
	if err != nil {
		t.Fatal(err)
	}
	var sets []*ir.Set
	for _, r := range results {
		if len(r.Mistakes) > 0 {
			t.Fatalf("the policy has mistakes:\n%s", text(t, nil, r.Mistakes))
		}
		sets = append(sets, r.Set)
	}
	return sets
}

// text is what a terminal shows of diagnostics, notes included.
func text(t testing.TB, sets []*ir.Set, found []ir.Diagnostic) string {
	t.Helper()
	var b bytes.Buffer
	err := report.Text(&b, &report.Report{Results: report.Of(found), Source: sources(sets), Notes: true})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func sources(sets []*ir.Set) func(string) []byte {
	return func(name string) []byte {
		for _, s := range sets {
			if text := s.Source(name); text != nil {
				return text
			}
		}
		return nil
	}
}

func run(t testing.TB, files []txtar.File) ([]*ir.Set, lint.Results) {
	t.Helper()
	sets := compile(t, files)
	return sets, lint.Run(sets, lint.Options{Today: today})
}
