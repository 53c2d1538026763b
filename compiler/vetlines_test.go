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

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/golden"
	"github.com/retryc/retryc/schema"
)

// vetLines is where the counts are kept. Those of cue vet are made by a real run,
// wherever cue can be built.
const vetLines = "../testdata/compile/cue-vet-lines.txt"

// printedLines is what one program prints for one archive: its lines, and how many of
// the mistakes it names the line of, with the file.
type printedLines struct{ lines, named int }

// What "cue vet -c" and "retryc check" print for each broken policy: whole
// outputs, retryc's findings and what it says of generated code among them. The
// policy embeds the schema for cue vet, as its users do; embedding does not close a
// file, so cue vet is silent about many misspelt fields.
func TestLinesOfCueVet(t *testing.T) {
	if testing.Short() {
		t.Skip("builds cue and retryc and runs them once for each archive")
	}
	cue, retryc := cueProgram(t), retrycProgram(t)
	kept := keptVetLines(t)
	all := archives(t, brokenArchives)
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	sort.Strings(names)
	var b strings.Builder
	row := func(name string, mistakes int, theirs, ours printedLines) {
		fmt.Fprintf(&b, "%-34s %8d %8d %8d %12d %8d\n", name, mistakes, theirs.lines, theirs.named, ours.lines, ours.named)
	}
	fmt.Fprintf(&b, "%-34s %8s %8s %8s %12s %8s\n", "", "mistakes", "cue vet", "placed", "retryc check", "placed")
	var mistakes, policies int
	var theirs, ours printedLines
	var theirSilence, ourSilence int
	for _, path := range names {
		name, a := strings.TrimSuffix(filepath.Base(path), ".txtar"), all[path]
		var wrong []ir.Diagnostic
		for _, r := range compile(t, options(a)) {
			wrong = append(wrong, r.Mistakes...)
		}
		if len(wrong) == 0 {
			continue // warnings alone are no broken policy
		}
		x := kept[name]
		if cue != "" {
			dir := layOut(t, a)
			embedSchema(t, dir, a)
			x = linesOf(t, dir, wrong, cue, "vet", "-c", "./...")
		} else if _, ok := kept[name]; !ok {
			t.Skipf("cue cannot be built here, and %s was not counted before", name)
		}
		args := []string{"check"}
		if _, ok := section(a, namedSection); ok {
			args = append(args, ".")
		}
		y := linesOf(t, layOut(t, a), wrong, retryc, args...)
		row(name, len(wrong), x, y)
		policies, mistakes = policies+1, mistakes+len(wrong)
		theirs = printedLines{theirs.lines + x.lines, theirs.named + x.named}
		ours = printedLines{ours.lines + y.lines, ours.named + y.named}
		if x.lines == 0 {
			theirSilence++
		}
		if y.lines == 0 {
			ourSilence++
		}
	}
	row("in all", mistakes, theirs, ours)
	fmt.Fprintf(&b, "%-34s %8s %8.1f %8s %12.1f\n", "lines a mistake", "", float64(theirs.lines)/float64(mistakes), "", float64(ours.lines)/float64(mistakes))
	fmt.Fprintf(&b, "%-34s %8d %8d %8s %12d\n", "policies, and without a word", policies, theirSilence, "", ourSilence)
	golden.Compare(t, vetLines, []byte(b.String()))
}

// keptVetLines reads what was counted of cue vet before.
func keptVetLines(t *testing.T) map[string]printedLines {
	t.Helper()
	text, err := os.ReadFile(vetLines)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]printedLines{}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 6 {
			lines, err := strconv.Atoi(f[2])
			named, err2 := strconv.Atoi(f[3])
			if err == nil && err2 == nil {
				out[f[0]] = printedLines{lines, named}
			}
		}
	}
	return out
}

// cueProgram builds the cue of the version that this module uses, or takes the
// one that RETRYC_CUE names; "" where it cannot be had.
func cueProgram(t *testing.T) string {
	if p := os.Getenv("RETRYC_CUE"); p != "" {
		return p
	}
	version, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "cuelang.org/go").Output()
	if err != nil {
		t.Logf("the version of CUE cannot be told: %v", err)
		return ""
	}
	dir := t.TempDir()
	cmd := exec.Command("go", "install", "cuelang.org/go/cmd/cue@"+strings.TrimSpace(string(version)))
	cmd.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Logf("cue cannot be built here: %v\n%s", err, out)
		return ""
	}
	return filepath.Join(dir, "cue")
}

func retrycProgram(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "retryc")
	if out, err := exec.Command("go", "build", "-o", program, "../cmd/retryc").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// layOut writes the CUE files of an archive into a folder of their own.
func layOut(t *testing.T, a *txtar.Archive) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range a.Files {
		if strings.HasSuffix(f.Name, ".cue") {
			write(t, filepath.Join(dir, filepath.FromSlash(f.Name)), expand(f.Data))
		}
	}
	return dir
}

// embedSchema makes cue check each package that has classes: the schema is
// vendored, unless the archive has one of its own, and embedded.
func embedSchema(t *testing.T, dir string, a *txtar.Archive) {
	t.Helper()
	packages := map[string]string{}
	vendored := false
	for _, f := range a.Files {
		if strings.HasPrefix(f.Name, "cue.mod/pkg/"+schema.ImportPath+"/") {
			vendored = true
		}
		if !strings.HasSuffix(f.Name, ".cue") || strings.HasPrefix(f.Name, "cue.mod/") {
			continue
		}
		text := strings.TrimPrefix(string(expand(f.Data)), "\uFEFF")
		for line := range strings.Lines(text) {
			words := strings.Fields(line)
			if len(words) > 1 && words[0] == "package" && strings.Contains(text, "clas") {
				if d := filepath.ToSlash(filepath.Dir(f.Name)); packages[d] == "" {
					packages[d] = words[1]
				}
				break
			}
		}
	}
	for d, name := range packages {
		write(t, filepath.Join(dir, filepath.FromSlash(d), "vet.cue"), []byte("package "+name+"\n\nimport \""+schema.ImportPath+"\"\n\nschema.#Policy\n"))
	}
	if !vendored {
		if _, err := schema.Vendor(dir); err != nil {
			t.Fatal(err)
		}
	}
}

// linesOf runs a program in a folder, and counts what it prints of the mistakes
// there: cue on both streams, retryc on stdout, where its results are.
func linesOf(t *testing.T, dir string, mistakes []ir.Diagnostic, program string, args ...string) printedLines {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CUE_REGISTRY=none", "CUE_CACHE_DIR="+dir)
	var out bytes.Buffer
	cmd.Stdout = &out
	if args[0] == "vet" {
		cmd.Stderr = &out
	}
	if err := cmd.Run(); err != nil {
		if _, ok := err.(*exec.ExitError); !ok {
			t.Fatal(err)
		}
	}
	n := printedLines{lines: bytes.Count(out.Bytes(), []byte("\n"))}
	for _, d := range mistakes {
		place := d.Span.File + ":"
		if d.Span.Start.Line > 0 {
			place += fmt.Sprintf("%d:", d.Span.Start.Line)
		}
		if bytes.Contains(out.Bytes(), []byte(place)) {
			n.named++
		}
	}
	return n
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
	if program == "" {
		t.Skip("cue cannot be built here")
	}
	for name, a := range archives(t, "../testdata/compile/*.txtar") {
		if strings.Contains(name, "schema_embedded") {
			continue // imports the schema in a file of its own already
		}
		dir := layOut(t, a)
		embedSchema(t, dir, a)
		if n := linesOf(t, dir, nil, program, "vet", "-c", "./..."); n.lines != 0 {
			t.Errorf("%s: cue vet prints %d lines", filepath.Base(name), n.lines)
		}
	}
}
