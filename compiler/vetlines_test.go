package compiler_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/retryc/retryc/internal/golden"
	"github.com/retryc/retryc/schema"
)

// What cue vet and retryc print for each broken policy, in lines. The policy
// embeds the schema for cue vet, as its users do; embedding does not close a
// file, so cue vet is silent about many misspelt fields.
func TestLinesOfCueVet(t *testing.T) {
	if testing.Short() {
		t.Skip("builds cue and runs it once for each archive")
	}
	program := cueProgram(t)
	all := archives(t, brokenArchives)
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	sort.Strings(names)
	var b strings.Builder
	fmt.Fprintf(&b, "%-32s %8s %12s %12s\n", "", "mistakes", "cue vet", "retryc")
	var mistakes, theirs, ours, silent int
	var single, theirSingle, ourSingle int // archives of one mistake, where cue vet says something
	for _, name := range names {
		a := all[name]
		stated, _ := section(a, "mistakes")
		m, _ := strconv.Atoi(strings.TrimSpace(string(stated)))
		errors, _ := section(a, "errors")
		x, y := cueVet(t, program, a), bytes.Count(errors, []byte("\n"))
		fmt.Fprintf(&b, "%-32s %8d %12d %12d\n", strings.TrimSuffix(filepath.Base(name), ".txtar"), m, x, y)
		mistakes, theirs, ours = mistakes+m, theirs+x, ours+y
		if x == 0 {
			silent++
		} else if m == 1 {
			single, theirSingle, ourSingle = single+1, theirSingle+x, ourSingle+y
		}
	}
	fmt.Fprintf(&b, "%-32s %8d %12d %12d\n", "lines in all", mistakes, theirs, ours)
	fmt.Fprintf(&b, "%-32s %8s %12.1f %12.1f\n", "lines a mistake", "", float64(theirs)/float64(mistakes), float64(ours)/float64(mistakes))
	// With several mistakes, cue vet often stops at the first: it prints less, and says less.
	fmt.Fprintf(&b, "%-32s %8d %12.1f %12.1f\n", "lines where there is one", single, float64(theirSingle)/float64(single), float64(ourSingle)/float64(single))
	fmt.Fprintf(&b, "%-32s %8s %12d %12d\n", "archives without a word", "", silent, 0)
	t.Log("\n" + b.String())
	golden.Compare(t, "../testdata/compile/cue-vet-lines.txt", []byte(b.String()))
}

// cueProgram builds the cue of the version that this module uses, or takes the
// one that RETRYC_CUE names.
func cueProgram(t *testing.T) string {
	if p := os.Getenv("RETRYC_CUE"); p != "" {
		return p
	}
	version, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "cuelang.org/go").Output()
	if err != nil {
		t.Skipf("the version of CUE cannot be told: %v", err)
	}
	dir := t.TempDir()
	cmd := exec.Command("go", "install", "cuelang.org/go/cmd/cue@"+strings.TrimSpace(string(version)))
	cmd.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("cue cannot be built here: %v\n%s", err, out)
	}
	return filepath.Join(dir, "cue")
}

func cueVet(t *testing.T, program string, a *txtar.Archive) int {
	t.Helper()
	dir := t.TempDir()
	packages := map[string]string{}
	for _, f := range a.Files {
		if !strings.HasSuffix(f.Name, ".cue") || strings.HasPrefix(f.Name, "cue.mod/pkg/") {
			continue
		}
		text := expand(f.Data)
		write(t, filepath.Join(dir, filepath.FromSlash(f.Name)), text)
		for _, line := range strings.Split(string(text), "\n") {
			line = strings.TrimPrefix(strings.TrimRight(line, "\r"), "\uFEFF")
			if name, ok := strings.CutPrefix(line, "package "); ok && strings.Contains(string(text), "clas") {
				if d := filepath.ToSlash(filepath.Dir(f.Name)); packages[d] == "" {
					packages[d] = name
				}
				break
			}
		}
	}
	for d, name := range packages {
		write(t, filepath.Join(dir, filepath.FromSlash(d), "vet.cue"), []byte("package "+name+"\n\nimport \""+schema.ImportPath+"\"\n\nschema.#Policy\n"))
	}
	if _, err := schema.Vendor(dir); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "vet", "-c", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CUE_REGISTRY=none", "CUE_CACHE_DIR="+dir)
	out, _ := cmd.CombinedOutput()
	return bytes.Count(out, []byte("\n"))
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// The schema as it is vendored works in the real cue, in a module of an older
// language version: sound policies pass without a word.
func TestCueVetAccepts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds cue and runs it once for each archive")
	}
	program := cueProgram(t)
	for name, a := range archives(t, "../testdata/compile/*.txtar") {
		if strings.Contains(name, "schema_embedded") {
			continue // imports the schema in a file of its own already
		}
		if n := cueVet(t, program, a); n != 0 {
			t.Errorf("%s: cue vet prints %d lines", filepath.Base(name), n)
		}
	}
}
