package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/retryc/retryc/internal/golden"
)

// block is a fenced block of a page, with what the comment before it says.
var block = regexp.MustCompile("(?s)(?:<!-- (file|in): (\\S+) -->\n)?```(\\w+)\n(.*?)```\n")

// TestReadme lays out the files that the README shows, in their order, and runs
// its console blocks among them: in an empty folder, or in this module where the
// comment "in: ." says so. What they print is what the page shows. The Go program
// must compile against the package that the page generates.
func TestReadme(t *testing.T) {
	const page = "../../README.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	writeTestFile(t, filepath.Join(dir, "go.mod"), []byte("module example.com/shop\n\ngo 1.26\n"))
	var files, sessions, programs int
	got := block.ReplaceAllStringFunc(string(text), func(b string) string {
		m := block.FindStringSubmatch(b)
		kind, arg, language, body := m[1], m[2], m[3], m[4]
		switch {
		case kind == "file":
			files++
			writeTestFile(t, filepath.Join(dir, arg), []byte(body))
			if language == "go" {
				programs++
				build(t, dir)
			}
		case language == "console":
			sessions++
			at := dir
			if kind == "in" {
				at = filepath.Join(module, arg)
			}
			return strings.Replace(b, body, replay(t, at, body, ""), 1)
		case language == "sh":
			for line := range strings.SplitSeq(strings.TrimSpace(body), "\n") {
				if !setUp[line] {
					t.Errorf("nothing shows that this works: %s", line)
				}
			}
		default:
			t.Errorf("a block of language %q that nothing runs:\n%s", language, body)
		}
		return b
	})
	got = figures.ReplaceAllLiteralString(got, "<!-- figures -->\n"+brokenFigures(t))
	if files == 0 || sessions == 0 || programs == 0 {
		t.Errorf("%d files, %d sessions, %d programs: the page has lost its examples", files, sessions, programs)
	}
	golden.Compare(t, page, []byte(got))
}

// figures are the sentences whose numbers a golden of the compiler holds.
var figures = regexp.MustCompile("(?s)<!-- figures -->\n.*?<!-- end of figures -->")

func brokenFigures(t *testing.T) string {
	t.Helper()
	text := string(mustRead(t, "../../testdata/compile/cue-vet-lines.txt"))
	row := func(name string, columns int) []string {
		for line := range strings.Lines(text) {
			if rest, ok := strings.CutPrefix(line, name); ok {
				if f := strings.Fields(rest); len(f) == columns {
					return f
				}
			}
		}
		t.Fatalf("the golden has no line %q of %d columns", name, columns)
		return nil
	}
	// mistakes, lines of cue vet, mistakes it places, and the same two of retryc
	all, each, silent := row("in all", 5), row("lines a mistake", 2), row("policies, and without a word", 3)
	none := func(n, all string) string { return map[string]string{"0": "none", all: "all " + all}[n] }
	placed, words := none(all[4], all[0]), none(silent[2], silent[0])
	if placed == "" || words == "" {
		t.Fatalf("retryc places %s of %s mistakes and is silent on %s policies: the README says otherwise", all[4], all[0], silent[2])
	}
	return fmt.Sprintf("Over the %s broken policies in `testdata/compile/broken`, which have %s mistakes, `cue vet -c` prints %s lines a mistake,\n"+
		"names the line to edit of %s mistakes, and says nothing at all of %s policies. `retryc check` prints %s lines a mistake, the source\n"+
		"line, the caret and mostly a line to paste among them, names the line of %s, and is silent on %s. <!-- end of figures -->",
		silent[0], all[0], each[0], all[2], silent[1], each[1], placed, words)
}

// setUp are the commands that this test does not run. The gate runs the second and the
// third, TestGitDriverLines the last two.
var setUp = map[string]bool{
	`git config diff.retryc.command "retryc diff --git-driver"`: true,
	`echo '*.cue diff=retryc' >> .gitattributes`:                true,

	"git clone https://github.com/retryc/retryc && cd retryc":        true,
	"go install ./cmd/retryc":                                        true,
	"go test ./...":                                                  true,
	"cd .. && mkdir shop && cd shop && go mod init example.com/shop": true, // what this test does in Go
}

func build(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.Command("go", "vet", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the program of the page: %v\n%s", err, bytes.TrimSpace(out))
	}
}
