package lint_test

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/retryc/retryc/lint"
)

// Help can be pasted: it brings no other finding, and no mistake.
func TestHelpCanBePasted(t *testing.T) {
	const c = "attempts: 3, attemptTimeout: \"2s\", deadline: within: \"20s\""
	for _, x := range []struct {
		what, class, rule string
		has, hasNot       string // of the help
	}{
		{"a name that ends in a number", "\"charge-3\": {http: \"POST d.example/c\", " + c + ", backoff: {base: \"200ms\", cap: \"2s\"}}",
			"unsafe-retry-without-key", `fields: ["charge_id"]`, "3_id"},
		{"a delay that is cut at a written max", "one: {http: \"GET d.example/c\", " + c + ", backoff: {base: \"200ms\", cap: \"2s\"}, retryAfter: {mode: \"clamp\", max: \"5s\"}}",
			"retry-after-clamped", "without max: mode: \"override\"", "\nmode: \"override\""},
		{"waits beyond all measure", "one: {http: \"PUT d.example/c\", attempts: 60, attemptTimeout: \"2s\", deadline: within: \"20s\", backoff: {base: \"1s\", cap: \"1000h\"}}",
			"unreachable-attempts", "attempts: ", "within"},
		{"a key that is forgotten before the first grant", "one: {task: \"sync\", effect: \"non-idempotent\", attempts: 3, attemptTimeout: \"1m\", timing: \"scheduler\", scheduler: {profile: \"cron\", maxGap: \"6h\"}, deadline: {within: \"24h\", mode: \"expire\"}, idempotency: {source: \"caller\", sent: \"app\", keptFor: \"5m\"}}",
			"key-forgotten-too-soon", "keptFor: \"24h\"", "within"},
		{"a key that is forgotten later", "one: {task: \"sync\", effect: \"non-idempotent\", attempts: 3, attemptTimeout: \"1m\", timing: \"scheduler\", scheduler: {profile: \"cron\", maxGap: \"6h\"}, deadline: {within: \"24h\", mode: \"expire\"}, idempotency: {source: \"caller\", sent: \"app\", keptFor: \"12h\"}}",
			"key-forgotten-too-soon", "within: \"12h\"", "\x00"},
		{"a chain with a layer outside", "one: {http: \"GET d.example/c\", " + c + ", backoff: {base: \"200ms\", cap: \"2s\"}, calls: [{name: \"mesh\", attempts: 5}]}",
			"load-amplification", "to leave 3 requests, tell mesh not to retry, and say so: calls: [{name: \"mesh\", attempts: 1}]", "leaves"},
		{"no description", "one: {http: \"GET d.example/c\", " + c + ", backoff: {base: \"200ms\", cap: \"2s\"}}", "missing-description", "// what it does", "{"},
	} {
		sets, got := run(t, []txtar.File{{Name: "p.cue", Data: []byte("package p\n\nclass: " + x.class + "\n")}})
		help := ""
		for _, d := range got.Findings {
			if d.Rule == x.rule {
				help += "\n" + strings.Join(d.Help, "\n")
			}
		}
		if !strings.Contains(help, x.has) || strings.Contains(help, x.hasNot) {
			t.Errorf("%s: help%s\nof\n%s", x.what, help, text(t, sets, got.Findings))
		}
	}
}

// Two rules do not contradict each other about one class.
func TestOneAnswerAboutGrants(t *testing.T) {
	_, got := run(t, []txtar.File{{Name: "p.cue", Data: []byte("package p\n\nclass: one: {task: \"sync\", effect: \"idempotent\", idempotency: source: \"caller\", attempts: 5, attemptTimeout: \"1m\", timing: \"scheduler\", scheduler: {profile: \"cron\", maxGap: \"6h\"}, deadline: {within: \"6h\", mode: \"expire\"}}\n")}})
	said := map[string]bool{}
	for _, d := range got.Findings {
		said[d.Rule] = true
	}
	if !said["expires-between-grants"] || said["attempts-exceed-grants"] {
		t.Errorf("found %v", said)
	}
}

// A severity that a set has lowered for nothing is found like a waiver for nothing,
// not while sets are missing that it may be for, and it can be waived itself.
func TestLoweredForNothing(t *testing.T) {
	const c = "// One.\nclass: one: {http: \"GET d.example/c\", attempts: 3, attemptTimeout: \"2s\", deadline: within: \"20s\", backoff: {base: \"200ms\", cap: \"2s\", jitter: %}}\n"
	for _, x := range []struct {
		what, set, jitter string
		opt               lint.Options
		want              string
	}{
		{"nothing to lower", `lint: "missing-jitter": {severity: "info", reason: "x"}`, `"full"`, lint.Options{}, "warning  waiver-unused"},
		{"something to lower", `lint: "missing-jitter": {severity: "info", reason: "x"}`, `"none"`, lint.Options{}, "info one missing-jitter"},
		{"raised", `lint: "missing-owner": "error"`, `"full"`, lint.Options{}, ""},
		{"of calls, some unknown", `lint: "nested-retry": {severity: "info", reason: "x"}`, `"full"`, lint.Options{CallsUnknown: true}, ""},
		{"of calls", `lint: "nested-retry": {severity: "info", reason: "x"}`, `"full"`, lint.Options{}, "warning  waiver-unused"},
		{"waived", "lint: \"missing-jitter\": {severity: \"info\", reason: \"x\"}\nwaive: \"waiver-unused\": {reason: \"soon\", until: \"2026-09-01\"}", `"full"`, lint.Options{}, ""},
		{"the rule about it, lowered", "lint: {\"missing-jitter\": {severity: \"info\", reason: \"x\"}, \"waiver-unused\": {severity: \"info\", reason: \"x\"}}", `"full"`, lint.Options{}, "info  waiver-unused"},
	} {
		sets := compile(t, []txtar.File{{Name: "p.cue", Data: []byte("package p\n\n" + x.set + "\n" + strings.Replace(c, "%", x.jitter, 1))}})
		x.opt.Today = today
		got := summary(lint.Results{Findings: lint.Run(sets, x.opt).Findings})
		if got != x.want {
			t.Errorf("%s: %q, want %q", x.what, got, x.want)
		}
	}
}
