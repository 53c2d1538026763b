package gen

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen/engine"
)

// scratch lays out packages in a module of their own that knows nothing of this
// one: go 1.24, no dependency, no network.
func scratch(t *testing.T, sets map[string]*ir.Set, header bool) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, text []byte) {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if !header { // tools skip what they know to be generated
			text = bytes.TrimPrefix(text, []byte(Header+"\n\n"))
		}
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", []byte("module scratch\n\ngo 1.24\n"))
	for _, set := range sets {
		pkg := mustGenerate(t, set)
		for _, f := range pkg.Files {
			write(set.Go.Package+"/"+f.Name, f.Text)
		}
		for _, f := range emitTests(t, set) {
			write(set.Go.Package+"/"+f.Name, f.Text)
		}
	}
	return dir
}

// emitTests are the engine's own tests, for the groups that a set carries.
func emitTests(t *testing.T, set *ir.Set) []File {
	t.Helper()
	var files []File
	for _, g := range engine.Groups {
		if !needed(g.Name, set) {
			continue
		}
		for _, name := range g.Tests {
			text, err := emit(name, set.Go.Package)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, File{emittedName(name), text})
		}
	}
	return files
}

func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

// onePerGroup are small sets, each of which needs one group beside the core.
func onePerGroup(t *testing.T) map[string]*ir.Set {
	t.Helper()
	sets := map[string]*ir.Set{}
	for name, class := range map[string]string{
		"core":    `task: "x", effect: "safe", attempts: 1, deadline: within: "1s"`,
		"http":    `http: "GET /x", attempts: 1, deadline: within: "1s"`,
		"grpc":    `grpc: "a.B/C", effect: "safe", attempts: 1, deadline: within: "1s"`,
		"durable": `task: "x", effect: "safe", attempts: 1, attemptTimeout: "1s", deadline: {within: "1h", mode: "expire"}, timing: "queue", idempotency: {source: "caller"}`,
	} {
		base := t.TempDir()
		src := fmt.Sprintf("package %sonly\n\nclass: one: {%s}\n", name, class)
		if err := os.WriteFile(filepath.Join(base, "x.cue"), []byte(src), 0o666); err != nil {
			t.Fatal(err)
		}
		set := compileSets(t, base, ".")[0]
		for _, g := range engine.Groups {
			if want := g.Name == "core" || g.Name == name; needed(g.Name, set) != want {
				t.Errorf("a set of a %s class carries group %s: %v", name, g.Name, !want)
			}
		}
		sets[name] = set
	}
	return sets
}

// Every generated package compiles on its own in an empty module, passes vet and
// the engine's own tests on its copy of the engine, each group of files alone.
func TestPackagesStandAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIP: builds a module of its own")
	}
	sets := onePerGroup(t)
	for _, set := range compileSets(t, root(t), "policies/...") {
		sets[set.Name] = set
	}
	dir := scratch(t, sets, false)
	run(t, dir, "go", "vet", "./...")
	run(t, dir, "go", "test", "./...")
}

// What staticcheck says of packages without the header that makes it look away.
func TestStaticcheck(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIP: builds a module of its own")
	}
	staticcheck, err := exec.LookPath("staticcheck")
	if err != nil {
		t.Skip("SKIP: staticcheck is not installed; go install honnef.co/go/tools/cmd/staticcheck@latest")
	}
	sets := onePerGroup(t)
	for file, set := range archiveSets(t) {
		sets[file] = set
	}
	run(t, scratch(t, sets, false), staticcheck, "./...")
}
