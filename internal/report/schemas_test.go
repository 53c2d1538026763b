package report_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/encoding/jsonschema"

	"github.com/retryc/retryc/internal/report"
)

// schema reads a JSON schema as a CUE value that documents are unified with.
func schema(t *testing.T, path string) cue.Value {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx := cuecontext.New()
	doc := ctx.CompileBytes(text)
	file, err := jsonschema.Extract(doc, &jsonschema.Config{})
	if err != nil {
		t.Fatal(err)
	}
	v := ctx.BuildFile(file)
	if v.Err() != nil {
		t.Fatal(v.Err())
	}
	return v
}

func valid(schema cue.Value, doc []byte) error {
	v := cuecontext.New().CompileBytes(doc)
	return schema.Unify(v).Validate(cue.Concrete(true))
}

// The published schema holds for what is written, and refuses what is not.
func TestJSONFollowsItsSchema(t *testing.T) {
	s := schema(t, filepath.Join("..", "..", "docs", "findings.schema.json"))
	doc := render(t, "json", sample())
	for _, d := range [][]byte{doc, render(t, "json", &report.Report{})} {
		if err := valid(s, d); err != nil {
			t.Errorf("%v in\n%s", err, d)
		}
	}
	for _, broken := range [][2]string{
		{`"version": 1`, `"version": 2`},
		{`"severity": "error"`, `"severity": "fatal"`},
		{`"line": 6`, `"line": 0`},
		{`"message": "4 attempts`, `"text": "4 attempts`},
		{`"until": "2027-06-30"`, `"until": "June"`},
		{`"gone": 1`, `"gone": -1`},
	} {
		d := strings.Replace(string(doc), broken[0], broken[1], 1)
		if d == string(doc) {
			t.Fatalf("the sample has no %s", broken[0])
		}
		if valid(s, []byte(d)) == nil {
			t.Errorf("the schema takes %s", broken[1])
		}
	}
}

// shared finds a file of reference data that is not part of the project: in
// RETRYC_SHARED, or in a folder "shared" beside the checkout.
func shared(t *testing.T, name string) string {
	t.Helper()
	dirs := []string{filepath.Join("..", "..", "..", "shared", "data")}
	if dir := os.Getenv("RETRYC_SHARED"); dir != "" {
		dirs = []string{dir}
	}
	for _, dir := range dirs {
		if path := filepath.Join(dir, name); exists(path) {
			return path
		}
	}
	t.Skipf("%s is not here; set RETRYC_SHARED to the folder that holds it", name)
	return ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// The standard's own schema.
func TestSARIFFollowsItsSchema(t *testing.T) {
	s := schema(t, shared(t, "sarif-schema-2.1.0.json"))
	for _, r := range []*report.Report{sample(), {}} {
		if doc := render(t, "sarif", r); valid(s, doc) != nil {
			t.Errorf("%v in\n%s", valid(s, doc), doc)
		}
	}
	for _, broken := range [][2]string{
		{`"ruleIndex": 0`, `"ruleIndex": -2`},
		{`"level": "error"`, `"level": "fatal"`},
		{`"columnKind": "utf16CodeUnits"`, `"columnKind": "bytes"`},
		{`"startLine": 6`, `"startLine": 0`},
	} {
		doc := string(render(t, "sarif", sample()))
		if d := strings.Replace(doc, broken[0], broken[1], 1); d == doc || valid(s, []byte(d)) == nil {
			t.Errorf("the schema takes %s", broken[1])
		}
	}
}

// Microsoft's judge of SARIF, with GitHub's rules: no error and no warning. Its
// notes ask for what a run cannot know (the repository) or what the project
// does otherwise (rule ids with numbers).
func TestSARIFMultitool(t *testing.T) {
	tool, err := exec.LookPath("sarif-multitool")
	if err != nil {
		if tool, err = exec.LookPath("Sarif.Multitool"); err != nil {
			t.Skip("sarif-multitool is not installed (npm install -g @microsoft/sarif-multitool)")
		}
	}
	judge := func(doc []byte) []string {
		dir := t.TempDir()
		in, out := filepath.Join(dir, "in.sarif"), filepath.Join(dir, "out.sarif")
		if err := os.WriteFile(in, doc, 0o644); err != nil {
			t.Fatal(err)
		}
		// The program is started through npm's launcher, which hands arguments
		// to a shell: quotes around the semicolon are the shell's.
		kinds := "Sarif;Ghas"
		if strings.HasSuffix(tool, "sarif-multitool") {
			kinds = "'" + kinds + "'"
		}
		text, err := exec.Command(tool, "validate", in, "--rule-kind", kinds, "--output", out, "--log", "ForceOverwrite").CombinedOutput()
		log, readErr := os.ReadFile(out)
		if readErr != nil {
			t.Fatalf("%v: %s", err, text)
		}
		var result struct {
			Runs []struct {
				Results []struct {
					RuleID string
					Level  string
				}
			}
		}
		if err := json.Unmarshal(log, &result); err != nil || len(result.Runs) == 0 {
			t.Fatalf("%v in %s", err, log)
		}
		var grave []string
		for _, r := range result.Runs[0].Results {
			// "warning" is the level of a result that names none.
			if r.Level != "note" && r.Level != "none" {
				grave = append(grave, r.RuleID+" "+r.Level)
			}
		}
		return grave
	}
	doc := render(t, "sarif", sample())
	change := render(t, "sarif", &report.Report{Results: report.DiffResults(compared(3), []string{"load"})})
	for _, d := range [][]byte{doc, change, render(t, "sarif", &report.Report{})} {
		if found := judge(d); len(found) > 0 {
			t.Errorf("%v in\n%s", found, d)
		}
	}
	// The judge is awake: GitHub needs a location, and a message ends in a period.
	noPlace := strings.ReplaceAll(string(doc), `"locations"`, `"codeFlows"`)
	if found := judge([]byte(noPlace)); len(found) == 0 {
		t.Error("a result without a location passes")
	}
}
