// Package arrows holds the tests of who may import whom.
package arrows

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/retryc/retryc"

// order lists the packages of the program: each may import only those on earlier
// lines.
var order = [][]string{
	{"gen/engine", "compiler/ir", "internal/nearest", "internal/unified"},
	{"schema"},
	{"compiler"},
	{"internal/bounds"},
	{"gen"},
	{"lint", "internal/diff", "internal/git", "internal/simulate"},
	{"internal/report"},
	{"cmd/retryc"},
}

// testOnly are packages that only tests import.
var testOnly = []string{"internal/golden", "internal/arrows"}

// direct lists the direct dependencies with the reason for each.
var direct = map[string]string{
	"cuelang.org/go":         "the language of the policies",
	"github.com/spf13/cobra": "the command line: help, completion, flags",
	"golang.org/x/tools":     "txtar, the format of rules and test cases",
	"pgregory.net/rapid":     "tests only: properties over random histories, with shrinking",
}

func list(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list %v: %v", args, err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

func TestArrows(t *testing.T) {
	level := map[string]int{}
	for i, names := range order {
		for _, n := range names {
			level[module+"/"+n] = i
		}
	}
	for _, line := range list(t, "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"/...") {
		pkg, rest, _ := strings.Cut(line, " ")
		short := strings.TrimPrefix(pkg, module+"/")
		if slices.Contains(testOnly, short) || strings.HasPrefix(short, "policies/") || strings.HasPrefix(short, "testdata/") {
			continue
		}
		at, known := level[pkg]
		if !known {
			t.Errorf("%s has no place in the order of packages", short)
			continue
		}
		for imp := range strings.FieldsSeq(rest) {
			switch {
			case strings.HasPrefix(imp, module+"/"):
				if to, ok := level[imp]; !ok || to >= at {
					t.Errorf("%s imports %s, which does not stand before it", short, strings.TrimPrefix(imp, module+"/"))
				}
			case !strings.Contains(strings.Split(imp, "/")[0], "."):
			case short == "gen/engine" || short == "compiler/ir":
				t.Errorf("%s imports %s; it may import the standard library only", short, imp)
			case strings.HasPrefix(imp, "cuelang.org/go") && short != "schema" && short != "compiler":
				t.Errorf("%s imports %s; only schema and compiler know CUE", short, imp)
			case strings.HasPrefix(imp, "github.com/spf13/") && short != "cmd/retryc":
				t.Errorf("%s imports %s; only the command knows cobra", short, imp)
			}
		}
	}
}

func TestDirectDependencies(t *testing.T) {
	var got []string
	for _, line := range list(t, "-m", "-f", `{{if not (or .Indirect .Main)}}{{.Path}}{{end}}`, "all") {
		if line != "" {
			got = append(got, line)
		}
	}
	for _, path := range got {
		if direct[path] == "" {
			t.Errorf("%s is a direct dependency without a reason here", path)
		}
	}
	for path := range direct {
		if !slices.Contains(got, path) {
			t.Errorf("%s is listed here and not in go.mod", path)
		}
	}
}

// What users import is standard library only, with everything behind it.
func TestGeneratedPackagesAreStandardLibrary(t *testing.T) {
	for _, line := range list(t, "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", module+"/gen/engine") {
		if line != "" && line != module+"/gen/engine" {
			t.Errorf("the engine depends on %s", line)
		}
	}
}
