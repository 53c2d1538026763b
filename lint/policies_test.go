package lint_test

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/retryc/retryc/compiler"
	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/report"
	"github.com/retryc/retryc/lint"
)

// The policies to copy from are clean.
func TestPoliciesToCopyAreClean(t *testing.T) {
	base, err := filepath.Abs(filepath.Join("..", "policies"))
	if err != nil {
		t.Fatal(err)
	}
	opt := compiler.Options{Base: base}
	folders, err := compiler.Find(opt, []string{"./..."})
	if err != nil {
		t.Fatal(err)
	}
	results, err := compiler.Compile(opt, folders)
	if err != nil {
		t.Fatal(err)
	}
	var sets []*ir.Set
	for _, r := range results {
		if len(r.Mistakes) > 0 {
			t.Errorf("%s has mistakes:\n%s", r.Folder.Dir, text(t, nil, r.Mistakes))
			continue
		}
		sets = append(sets, r.Set)
	}
	got := lint.Run(sets, lint.Options{Today: today})
	for _, d := range got.Findings {
		if d.Severity > ir.Info {
			t.Errorf("not clean:\n%s", text(t, sets, []ir.Diagnostic{d}))
		}
	}
}

// The same sets in another order give the same bytes in every format.
func TestOrderDoesNotMatter(t *testing.T) {
	sets := compile(t, policies(300))
	print := func(sets []*ir.Set) string {
		got := lint.Run(sets, lint.Options{Today: today})
		var b bytes.Buffer
		for _, f := range report.Formats() {
			if err := f.Write(&b, &report.Report{Results: report.Of(got.Findings), Waivers: got.InForce, Source: sources(sets), Notes: true}); err != nil {
				t.Fatal(err)
			}
		}
		return b.String()
	}
	want := print(sets)
	if len(want) < 1000 {
		t.Fatalf("nothing to compare: %s", want)
	}
	for seed := range uint64(5) {
		shuffled := slices.Clone(sets)
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if print(shuffled) != want {
			t.Fatalf("order %d gives other bytes", seed)
		}
	}
}
