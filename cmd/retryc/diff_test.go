package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/golden"
)

// TestDiffs compares the sections before.cue and after.cue of each archive in
// testdata/diff, in a repository that git made, both ways: "diff" is what the change
// prints, "mirror" what taking it back prints. A section "both" names the harms that
// the way back does not mirror: one quantity of theirs rises and another falls, or
// the way back is no harm to undo.
func TestDiffs(t *testing.T) {
	archives, err := filepath.Glob("../../testdata/diff/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(archives) < 50 {
		t.Errorf("%d diffs, want 50 at least", len(archives))
	}
	var mu sync.Mutex
	fields := map[string]bool{}
	for _, file := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			for _, f := range diffArchive(t, file) {
				mu.Lock()
				fields[f] = true
				mu.Unlock()
			}
		})
	}
	t.Cleanup(func() { everyFieldChanges(t, fields) })
}

// everyFieldChanges holds the archives to the language: each of its fields is
// changed by one at least.
func everyFieldChanges(t *testing.T, fields map[string]bool) {
	for _, path := range append(ir.Paths(), "go.package", "go.dir", "lint.*", "class") {
		if f := diffField(path); !fields[f] {
			t.Errorf("no archive of testdata/diff changes %s", f)
		}
	}
}

// diffField is the field of a change that a path of the language shows as.
func diffField(path string) string {
	switch parts := strings.Split(path, "."); parts[0] {
	case "http", "grpc", "task":
		return "operation"
	case "deadline", "backoff", "scheduler", "idempotency", "retryAfter", "payload":
		if len(parts) == 1 {
			return map[string]string{
				"deadline": "deadline.within", "backoff": "backoff.base", "scheduler": "scheduler.maxGap",
				"idempotency": "idempotency.source", "retryAfter": "retryAfter.mode", "payload": "payload.max",
			}[path]
		}
		return strings.Join(parts[:2], ".")
	case "retryBudget", "calls", "aliases", "conditions":
		return parts[0]
	case "outcome", "outcomeAfterAmbiguous", "waive":
		return parts[0] + ".*"
	case "perOutcome":
		if len(parts) < 3 {
			return "perOutcome.*.attempts"
		}
	}
	return path
}

// generic turns the field of a change into a path with "*" for the author's keys.
func generic(field string) string {
	parts := strings.Split(field, ".")
	switch parts[0] {
	case "outcome", "outcomeAfterAmbiguous", "waive", "lint", "perOutcome":
		if len(parts) > 1 {
			parts[1] = "*"
		}
	}
	return strings.Join(parts, ".")
}

// told is what the JSON form says of a change.
type told struct {
	Kind, Mirror, Field, Before, After string
	Harms                              map[string]struct{ Direction, Text string }
	API                                struct{ Direction string }
	Rises                              []string
}

func diffArchive(t *testing.T, file string) (fields []string) {
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(string(a.Comment)) == "" {
		t.Error("the archive does not say what it shows")
	}
	sections := map[string]string{}
	for _, f := range a.Files {
		sections[f.Name] = string(f.Data)
	}
	both := strings.Fields(sections["both"])
	there, forth := diffIn(t, sections, "before", "after")
	back, forthBack := diffIn(t, sections, "after", "before")

	for _, c := range forth {
		fields = append(fields, generic(c.Field))
		i := slices.IndexFunc(forthBack, func(m told) bool { return m.Field == c.Field && m.Before == c.After })
		if c.Field == "class" || i < 0 {
			continue // a renamed or added class is another one on the way back
		}
		m := forthBack[i]
		if len(forth) > 1 || len(forthBack) > 1 {
			continue // what one does depends on the others
		}
		if m.Kind != c.Mirror {
			t.Errorf("%s: its mirror is said to be %s, and is %s", c.Kind, c.Mirror, m.Kind)
		}
		for name, h := range c.Harms {
			want := map[string]string{"up": "down", "down": "up", "same": "same", "unknown": "unknown"}[h.Direction]
			if got := m.Harms[name].Direction; got != want && !slices.Contains(both, name) {
				t.Errorf("%s: %s is %s, and %s on the way back", c.Kind, name, h.Direction, got)
			}
		}
	}
	for i := range a.Files {
		switch a.Files[i].Name {
		case "diff":
			a.Files[i].Data = []byte(there)
		case "mirror":
			a.Files[i].Data = []byte(back)
		}
	}
	if golden.Update() {
		golden.Compare(t, file, txtar.Format(a))
		return fields
	}
	if there != sections["diff"] || back != sections["mirror"] {
		t.Errorf("to accept it: RETRYC_UPDATE=1 go test ./...\n--- want\n%s%s\n--- got\n%s%s", sections["diff"], sections["mirror"], there, back)
	}
	return fields
}

// diffIn commits one state on main and puts the other into the working tree of a
// branch. Files are named "before/..." and "after/..." or just before.cue, after.cue.
func diffIn(t *testing.T, sections map[string]string, before, after string) (text string, changes []told) {
	t.Helper()
	dir := t.TempDir()
	lay := func(state string) {
		for name, text := range sections {
			switch rest, ok := strings.CutPrefix(name, state+"/"); {
			case ok:
				writeTestFile(t, filepath.Join(dir, rest), []byte(text))
			case name == state+".cue":
				writeTestFile(t, filepath.Join(dir, "p/p.cue"), []byte(text))
			}
		}
	}
	sh := func(script string) {
		cmd := exec.Command("sh", "-ec", script)
		cmd.Dir = dir
		cmd.Env = append(cmd.Environ(), sessionEnv(dir)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	lay(before)
	sh("git init -q -b main . && git add -A && git commit -q -m before && git checkout -q -b branch && git rm -q -r .")
	lay(after)
	var stdout, stderr bytes.Buffer
	args := []string{"-C", dir, "diff", "--against", "main", "--today", "2026-06-01", "--fail-on-rise", "any", "--output", "text", "--output", "json:out.json"}
	if code := Run(args, nil, &stdout, &stderr); code > exitFix {
		t.Fatalf("exit %d\n%s%s", code, &stdout, &stderr)
	}
	summary, _, _ := strings.Cut(stderr.String(), "\n")
	text = fmt.Sprintf("%s2> %s\n", stdout.String(), summary)
	out, err := os.ReadFile(filepath.Join(dir, "out.json"))
	if err != nil {
		t.Fatal(err)
	}
	var parsed struct {
		Groups []struct{ Changes []told }
	}
	if err := json.Unmarshal(out, &parsed); err != nil {
		t.Fatal(err)
	}
	for _, g := range parsed.Groups {
		changes = append(changes, g.Changes...)
	}
	return text, changes
}
