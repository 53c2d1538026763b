package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/encoding/yaml"
)

// action is what action.yml says, as far as a runner needs it.
type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Using string
		Steps []struct {
			ID    string
			If    string
			Uses  string
			Shell string
			Run   string
			Env   map[string]string
		}
	}
}

func readAction(t *testing.T) *action {
	t.Helper()
	f, err := yaml.Extract("action.yml", mustRead(t, "../../action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	a := &action{}
	if err := cuecontext.New().BuildFile(f).Decode(a); err != nil {
		t.Fatal(err)
	}
	return a
}

func mustRead(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// forge stands in for GitHub's API: the comments of one pull request. It is a real
// HTTP server that the action's curl talks to.
type forge struct {
	*httptest.Server
	mu       sync.Mutex
	comments []forgeComment
	readOnly bool
	log      []string
}

type forgeComment struct {
	ID   int    `json:"id"`
	Body string `json:"body"`
}

func newForge(t *testing.T) *forge {
	f := &forge{}
	f.Server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(f.Close)
	for i := range 120 { // more than a page of other people's comments
		f.comments = append(f.comments, forgeComment{i + 1, "a remark"})
	}
	return f
}

func (f *forge) serve(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, r.Method+" "+r.URL.Path)
	if r.Header.Get("Authorization") != "Bearer secret" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	const list = "/repos/example/shop/issues/7/comments"
	var in forgeComment
	if body, _ := io.ReadAll(r.Body); len(body) > 0 {
		if err := json.Unmarshal(body, &in); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
	}
	switch {
	case r.Method == "GET" && r.URL.Path == list:
		var page int
		fmt.Sscan(r.URL.Query().Get("page"), &page)
		start := min(len(f.comments), (page-1)*100)
		json.NewEncoder(w).Encode(f.comments[start:min(len(f.comments), start+100)])
	case f.readOnly:
		w.WriteHeader(http.StatusForbidden)
	case r.Method == "POST" && r.URL.Path == list:
		f.comments = append(f.comments, forgeComment{len(f.comments) + 1, in.Body})
		w.WriteHeader(http.StatusCreated)
	case r.Method == "PATCH" && strings.HasPrefix(r.URL.Path, "/repos/example/shop/issues/comments/"):
		for i := range f.comments {
			if fmt.Sprint(f.comments[i].ID) == filepath.Base(r.URL.Path) {
				f.comments[i].Body = in.Body
				return
			}
		}
		w.WriteHeader(http.StatusNotFound)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// ours lists the comments that the action wrote.
func (f *forge) ours() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []string
	for _, c := range f.comments {
		if strings.HasPrefix(c.Body, "<!-- retryc diff -->") {
			out = append(out, c.Body)
		}
	}
	return out
}

// runner runs the shell steps of action.yml as GitHub's runner does.
type runner struct {
	action  *action
	inputs  map[string]string
	outputs map[string]string // "step.name"
	event   string
	output  bytes.Buffer
	summary string
}

var (
	expression = regexp.MustCompile(`\$\{\{ *([\w.-]+) *\}\}`)
	comparison = regexp.MustCompile(`^([\w.-]+) *(==|!=) *'([^']*)'$`)
)

func (r *runner) value(name string) string {
	if input, ok := strings.CutPrefix(name, "inputs."); ok {
		if v, ok := r.inputs[input]; ok {
			return v
		}
		return expression.ReplaceAllString(r.action.Inputs[input].Default, "secret")
	}
	if step, ok := strings.CutPrefix(name, "steps."); ok {
		return r.outputs[strings.Replace(step, ".outputs.", ".", 1)]
	}
	return map[string]string{"github.event_name": r.event}[name]
}

func (r *runner) wanted(t *testing.T, condition string) bool {
	for part := range strings.SplitSeq(condition, "&&") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		m := comparison.FindStringSubmatch(part)
		if m == nil {
			t.Fatalf("a condition that this runner does not know: %s", part)
		}
		if (r.value(m[1]) == m[3]) != (m[2] == "==") {
			return false
		}
	}
	return true
}

// run runs all steps in dir and returns the exit status of the first that fails.
func (r *runner) run(t *testing.T, dir, api string) int {
	t.Helper()
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	paths := filepath.Join(temp, "path")
	for _, s := range r.action.Runs.Steps {
		if s.Run == "" || !r.wanted(t, s.If) {
			continue
		}
		out := filepath.Join(temp, "output-"+s.ID)
		cmd := exec.Command(s.Shell, "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", s.Run)
		cmd.Dir = dir
		path := os.Getenv("PATH")
		if added, err := os.ReadFile(paths); err == nil {
			path = strings.ReplaceAll(strings.TrimSpace(string(added)), "\n", ":") + ":" + path
		}
		cmd.Env = append(append(os.Environ(), sessionEnv(dir)...), "PATH="+path,
			"GITHUB_ACTION_PATH="+module, "RUNNER_TEMP="+temp, "GITHUB_PATH="+paths, "GITHUB_OUTPUT="+out,
			"GITHUB_STEP_SUMMARY="+filepath.Join(temp, "summary"), "GITHUB_EVENT_PATH="+filepath.Join(dir, ".git", "event.json"),
			"GITHUB_API_URL="+api, "GITHUB_REPOSITORY=example/shop", "GOFLAGS=-buildvcs=false")
		for name, value := range s.Env {
			cmd.Env = append(cmd.Env, name+"="+expression.ReplaceAllStringFunc(value, func(e string) string {
				return r.value(expression.FindStringSubmatch(e)[1])
			}))
		}
		cmd.Stdout, cmd.Stderr = &r.output, &r.output
		err := cmd.Run()
		if said, readErr := os.ReadFile(out); readErr == nil {
			for line := range strings.SplitSeq(strings.TrimSpace(string(said)), "\n") {
				if name, value, ok := strings.Cut(line, "="); ok {
					r.outputs[s.ID+"."+name] = value
				}
			}
		}
		if err != nil {
			exit, ok := err.(*exec.ExitError)
			if !ok {
				t.Fatalf("%s: %v", s.ID, err)
			}
			return exit.ExitCode()
		}
	}
	if text, err := os.ReadFile(filepath.Join(temp, "summary")); err == nil {
		r.summary = string(text)
	}
	return 0
}

// pullRequest makes a repository with a branch that raises attempts, and the event
// file of its pull request.
func pullRequest(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeTestFile(t, filepath.Join(dir, "payments/payments.cue"), []byte(`package payments

// Charge a customer's card.
class: charge: {
	http:           "POST api.payments.example/v1/charges"
	attempts:       4
	attemptTimeout: "10s"
	deadline: within: "2m"
	backoff: {base: "1s", cap: "20s"}
	idempotency: {source: "fields", fields: ["order_id"], keptFor: "24h"}
}
`))
	shell(t, dir, `retryc gen && git init -q -b main && git add -A && git commit -qm base && git checkout -q -b faster &&
sed -i 's/attempts:       4/attempts:       5/' payments/payments.cue && retryc gen && git commit -qam "more attempts"
base=$(git rev-parse main) head=$(git rev-parse HEAD)
sed "s/BASE_SHA/$base/; s/HEAD_SHA/$head/" "$1" > .git/event.json`)
	return dir
}

func shell(t *testing.T, dir, script string) {
	t.Helper()
	event, err := filepath.Abs("../../testdata/action/pull_request.json")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "-ec", script, "bash", event)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), sessionEnv(dir)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func needPrograms(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("SKIP: the program %s is not installed", name)
		}
	}
}

func TestAction(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIP: builds retryc as the action does")
	}
	needPrograms(t, "bash", "jq", "curl", "git")
	act := readAction(t)
	dir := pullRequest(t)
	api := newForge(t)
	run := func(inputs map[string]string) (*runner, int) {
		r := &runner{action: act, inputs: inputs, outputs: map[string]string{}, event: "pull_request"}
		return r, r.run(t, dir, api.URL)
	}

	r, code := run(nil)
	if code != 0 || len(api.ours()) != 1 || !strings.Contains(api.ours()[0], "payments.charge: attempts 4 -") {
		t.Fatalf("exit %d, comments %q\n%s", code, api.ours(), &r.output)
	}
	if !strings.Contains(r.summary, "<!-- retryc diff -->") {
		t.Errorf("the summary lacks the diff:\n%s", r.summary)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "retryc.sarif")); err != nil || !strings.Contains(string(text), `"2.1.0"`) {
		t.Errorf("no SARIF file: %v", err)
	}

	// The next push updates the same comment.
	shell(t, dir, `sed -i 's/attempts:       5/attempts:       3/' payments/payments.cue && retryc gen && git commit -qam "fewer attempts"`)
	if r, code := run(nil); code != 0 || len(api.ours()) != 1 || !strings.Contains(api.ours()[0], "attempts 4 -&gt; 3") {
		t.Errorf("exit %d, comments %q\n%s", code, api.ours(), &r.output)
	}

	// A rise that is gated fails the run, after the comment was written.
	shell(t, dir, `sed -i 's/attempts:       3/attempts:       5/' payments/payments.cue && retryc gen && git commit -qam "more again"`)
	if r, code := run(map[string]string{"fail-on-rise": "load"}); code != exitFix || r.outputs["verdict.code"] != "1" || !strings.Contains(api.ours()[0], "Retryc-Accept:") {
		t.Errorf("exit %d, outputs %v, comments %q\n%s", code, r.outputs, api.ours(), &r.output)
	}

	// A fork may not write: a notice, and no failure.
	api.readOnly = true
	if r, code := run(nil); code != 0 || !strings.Contains(r.output.String(), "::notice title=retryc::the comment could not be written (status 403)") {
		t.Errorf("exit %d\n%s", code, &r.output)
	}

	// A finding is an annotation, and fails the run.
	shell(t, dir, `sed -i 's/base: "1s"/base: "10ms"/; s/attempts:       5/attempts:       3/' payments/payments.cue && retryc gen`)
	if r, code := run(nil); code != exitFix || !strings.Contains(r.output.String(), "::error file=payments/payments.cue,line=9") {
		t.Errorf("exit %d\n%s", code, &r.output)
	}
}

// The steps that a test cannot see fail are linted: actionlint reads the workflows,
// shellcheck every script.
func TestActionIsLinted(t *testing.T) {
	scripts, err := filepath.Glob("../../.github/action/*.sh")
	if err != nil || len(scripts) < 5 {
		t.Fatal("the action's scripts are gone", err)
	}
	act := readAction(t)
	used := string(mustRead(t, "../../action.yml"))
	for _, s := range scripts {
		if !strings.Contains(used, ".github/action/"+filepath.Base(s)) {
			t.Errorf("no step runs %s", s)
		}
	}
	if act.Runs.Using != "composite" {
		t.Errorf("using %s", act.Runs.Using)
	}
	t.Run("shellcheck", func(t *testing.T) {
		needPrograms(t, "shellcheck")
		if out, err := exec.Command("shellcheck", append(scripts, "../../.ci/run")...).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	t.Run("actionlint", func(t *testing.T) {
		needPrograms(t, "actionlint")
		// The workflow that init writes is one, too.
		dir := t.TempDir()
		if code := Run([]string{"-C", dir, "init"}, nil, io.Discard, io.Discard); code != 0 {
			t.Fatal("init failed", code)
		}
		workflows, _ := filepath.Glob("../../.github/workflows/*.yml")
		for _, w := range append(workflows, filepath.Join(dir, ".github/workflows/retryc.yml")) {
			if out, err := exec.Command("actionlint", w).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", filepath.Base(w), err, out)
			}
		}
	})
}
