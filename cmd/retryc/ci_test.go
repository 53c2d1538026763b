package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/encoding/yaml"
)

// yamlBlocks decodes the YAML blocks of docs/ci.md, in their order.
func yamlBlocks(t *testing.T) []map[string]any {
	t.Helper()
	var out []map[string]any
	for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(mustRead(t, "../../docs/ci.md")), -1) {
		f, err := yaml.Extract("ci.md", m[1])
		if err != nil {
			t.Fatal(err)
		}
		var v map[string]any
		if err := cuecontext.New().BuildFile(f).Decode(&v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	if len(out) != 3 {
		t.Fatalf("%d YAML blocks in docs/ci.md, want those of pre-commit, GitHub and GitLab", len(out))
	}
	return out
}

// The script of the GitLab snippet runs line by line on a merge request.
func TestGitLabSnippet(t *testing.T) {
	job := yamlBlocks(t)[2]["retryc"].(map[string]any)
	dir := pullRequest(t)
	shell(t, dir, "git update-ref refs/remotes/origin/main main")
	env := append(append(os.Environ(), sessionEnv(dir)...), "CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main")
	run := func(line string) (string, int) {
		cmd := exec.Command("bash", "-c", line)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.CombinedOutput()
		if exit, ok := err.(*exec.ExitError); ok {
			return string(out), exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		return string(out), 0
	}
	wants := map[string]int{"retryc check": exitOK, "retryc diff": exitFix} // attempts were raised
	for _, line := range job["script"].([]any) {
		line := line.(string)
		if strings.HasPrefix(line, "go install ") {
			continue // the build under test stands in for the released one
		}
		words := strings.Fields(line)
		want, known := wants[words[0]+" "+words[1]]
		if !known {
			t.Errorf("nothing shows what this line does: %s", line)
			continue
		}
		delete(wants, words[0]+" "+words[1])
		if out, code := run(line); code != want {
			t.Errorf("%s: exit %d, want %d\n%s", line, code, want, out)
		}
	}
	if len(wants) > 0 {
		t.Errorf("the snippet no longer runs %v", wants)
	}
	artifact := job["artifacts"].(map[string]any)["reports"].(map[string]any)["codequality"].(string)
	var issues []map[string]any
	if err := json.Unmarshal(mustRead(t, filepath.Join(dir, artifact)), &issues); err != nil {
		t.Errorf("%s is not what GitLab reads: %v", artifact, err)
	}
}

// What the page says of pre-commit and GitHub fits what the repository offers.
func TestSnippetsFitTheRepository(t *testing.T) {
	blocks := yamlBlocks(t)
	hooks := string(mustRead(t, "../../.pre-commit-hooks.yaml"))
	for _, h := range blocks[0]["repos"].([]any)[0].(map[string]any)["hooks"].([]any) {
		if id := h.(map[string]any)["id"].(string); !strings.Contains(hooks, "- id: "+id+"\n") {
			t.Errorf("no hook is called %s", id)
		}
	}
	inputs := readAction(t).Inputs
	steps := blocks[1]["jobs"].(map[string]any)["policies"].(map[string]any)["steps"].([]any)
	for name := range steps[len(steps)-1].(map[string]any)["with"].(map[string]any) {
		if _, ok := inputs[name]; !ok {
			t.Errorf("the action has no input %s", name)
		}
	}
}

// The two lines for git do what the page says.
func TestGitDriverLines(t *testing.T) {
	m := regexp.MustCompile("(?s)```sh\n(git config .*?)```").FindStringSubmatch(string(mustRead(t, "../../docs/ci.md")))
	if m == nil {
		t.Fatal("docs/ci.md has lost the lines")
	}
	dir := pullRequest(t)
	shell(t, dir, m[1]+"\nsed -i 's/attempts:       5/attempts:       2/' payments/payments.cue")
	cmd := exec.Command("git", "diff", "payments/payments.cue")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), sessionEnv(dir)...)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "payments.charge: attempts 5 -> 2") {
		t.Errorf("%v\n%s", err, out)
	}
}
