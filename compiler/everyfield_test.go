package compiler_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retryc/retryc/compiler"
	"github.com/retryc/retryc/compiler/ir"
)

// tree is a policy as nested fields, in order.
type branch struct {
	name string
	text string // of a leaf
	kids []*branch
}

func leaf(name, text string) *branch            { return &branch{name: name, text: text} }
func fork(name string, kids ...*branch) *branch { return &branch{name: name, kids: kids} }
func (b *branch) write(w *strings.Builder, indent string) {
	if b.kids == nil {
		fmt.Fprintf(w, "%s%s: %s\n", indent, b.name, b.text)
		return
	}
	fmt.Fprintf(w, "%s%s: {\n", indent, b.name)
	for _, k := range b.kids {
		k.write(w, indent+"\t")
	}
	fmt.Fprintf(w, "%s}\n", indent)
}

// find returns the branch at a path; "*" is the first child.
func (b *branch) find(path []string) *branch {
	if len(path) == 0 {
		return b
	}
	for _, k := range b.kids {
		if path[0] == "*" || strings.Trim(k.name, `"`) == path[0] {
			return k.find(path[1:])
		}
	}
	return nil
}

// queued and scheduled have every field of a class between them, once.
func queued() *branch {
	return fork("class", fork("work",
		leaf("http", `"POST api.example/v1/jobs/{id}"`),
		leaf("aliases", `["job"]`), leaf("effect", `"idempotent"`), leaf("duplicates", `"tolerated"`), leaf("owner", `"team"`),
		leaf("attempts", "5"), leaf("attemptTimeout", `"10s"`),
		fork("deadline", leaf("within", `"1h"`), leaf("mode", `"extend"`), leaf("extendAtMost", `"2h"`)),
		leaf("timing", `"queue"`),
		fork("backoff", leaf("base", `"1s"`), leaf("factor", "2"), leaf("cap", `"1m"`), leaf("jitter", `"full"`)),
		leaf("startJitter", `"1m"`),
		fork("idempotency", leaf("source", `"fields"`), leaf("fields", `["order_id"]`), leaf("sent", `"header"`), leaf("header", `"X-Key"`), leaf("quote", "true"), leaf("keptFor", `"24h"`)),
		fork("retryAfter", leaf("mode", `"clamp"`), leaf("max", `"1m"`)),
		fork("outcome", leaf(`slow_down`, `"retry"`)),
		fork("outcomeAfterAmbiguous", leaf(`"404"`, `"success"`)),
		fork("perOutcome", fork(`"429"`, leaf("attempts", "2"), leaf("base", `"2s"`), leaf("cap", `"1m"`))),
		leaf("conditions", `["slow_down"]`),
		fork("retryBudget", leaf("ratio", "0.1"), leaf("floor", "1"), leaf("per", `"host"`)),
		leaf("nested", `"once"`), leaf("audience", `"background"`), leaf("whenOffline", `"suspend"`), leaf("whenConstrained", `"defer"`),
		fork("payload", leaf("max", `"8MiB"`)),
		leaf("calls", `["other.class"]`),
		fork("waive", fork(`"some-rule"`, leaf("reason", `"because"`), leaf("until", `"2027-06-30"`))),
	))
}

func scheduled() *branch {
	return fork("class", fork("work",
		leaf("task", `"work"`), leaf("effect", `"idempotent"`), leaf("attempts", "5"), leaf("attemptTimeout", `"10s"`),
		fork("deadline", leaf("within", `"24h"`), leaf("mode", `"expire"`)),
		leaf("timing", `"scheduler"`),
		fork("scheduler", leaf("profile", `"workmanager@2"`), leaf("minBackoff", `"10s"`), leaf("maxBackoff", `"1h"`), leaf("maxGap", `"6h"`)),
		fork("idempotency", leaf("source", `"caller"`)),
	))
}

func setFields() []*branch {
	return []*branch{
		fork("go", leaf("package", `"workretry"`), leaf("dir", `"out"`)),
		fork("retryBudgets", fork("shared", leaf("ratio", "0.1"), leaf("floor", "1"), leaf("per", `"class"`))),
		fork("lint", fork(`"some-rule"`, leaf("severity", `"info"`), leaf("reason", `"because"`))),
		fork("waive", fork(`"some-rule"`, leaf("reason", `"because"`), leaf("until", `"2027-06-30"`))),
	}
}

// where a path of the language is in the policies above.
type spot struct {
	path   string
	policy []*branch
	at     *branch
}

func everySpot(t *testing.T) []spot {
	t.Helper()
	var out []spot
	for _, path := range ir.Paths() {
		if strings.HasPrefix(path, "calls.") || path == "grpc" || path == "aliases.*" || path == "conditions.*" || path == "idempotency.fields.*" {
			continue // elements of lists have archives of their own; grpc is as http
		}
		names := append([]string{"work"}, strings.Split(path, ".")...)
		policy := queued()
		at := policy.find(names)
		if at == nil {
			policy = scheduled()
			at = policy.find(names)
		}
		if at == nil {
			t.Fatalf("no policy here has %s", path)
		}
		out = append(out, spot{path, []*branch{policy}, at})
	}
	for _, path := range ir.SetPaths() {
		if path == "class" {
			continue
		}
		set := setFields()
		at := fork("", set...).find(strings.Split(path, "."))
		if at == nil {
			t.Fatalf("no set here has %s", path)
		}
		out = append(out, spot{path, append(set, queued()), at})
	}
	return out
}

func compilePolicy(t *testing.T, policy []*branch) (string, []ir.Diagnostic, string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("package work\n\n")
	for _, p := range policy {
		p.write(&b, "")
	}
	base := filepath.FromSlash("/set")
	opt := compiler.Options{Base: base, Overlay: map[string][]byte{filepath.Join(base, "work.cue"): []byte(b.String())}}
	results, err := compiler.Compile(opt, []compiler.Folder{{Dir: ".", Named: true}})
	if err != nil {
		t.Fatal(err)
	}
	all, sources := said(results)
	return b.String(), all, printed(t, all, sources)
}

// Every field with a value of a wrong type is one mistake, at that value: no
// rule speaks about a field that is broken.
func TestEveryFieldOfWrongType(t *testing.T) {
	for _, s := range everySpot(t) {
		wrong := "true"
		if strings.HasSuffix(s.path, "quote") {
			wrong = `"yes"`
		}
		s.at.text, s.at.kids = wrong, nil
		text, all, show := compilePolicy(t, s.policy)
		if len(all) != 1 {
			t.Errorf("%s: %d messages\n%s", s.path, len(all), show)
			continue
		}
		if got := text[all[0].Span.Start.Offset:all[0].Span.End.Offset]; got != wrong {
			t.Errorf("%s: the message is at %q\n%s", s.path, got, show)
		}
	}
}

// Every field with a slip in its name is one mistake, at that name, and the
// message has the right name.
func TestEveryFieldMisspelt(t *testing.T) {
	for _, s := range everySpot(t) {
		if strings.HasSuffix(s.path, "*") {
			continue // names of the author's own
		}
		name := s.at.name
		s.at.name = name[:1] + name[2:]
		if len(name) == 2 {
			continue // no slip leaves "go" recognisable
		}
		text, all, show := compilePolicy(t, s.policy)
		if len(all) != 1 {
			t.Errorf("%s: %d messages\n%s", s.path, len(all), show)
			continue
		}
		if got := text[all[0].Span.Start.Offset:all[0].Span.End.Offset]; got != s.at.name || !strings.Contains(all[0].Message, fmt.Sprintf("did you mean %q?", name)) {
			t.Errorf("%s: at %q: %s", s.path, got, all[0].Message)
		}
	}
}

// Every field that is left out leaves at most one message, and it names the
// field or what needs it.
func TestEveryFieldLeftOut(t *testing.T) {
	for _, s := range everySpot(t) {
		if strings.HasSuffix(s.path, "*") {
			continue
		}
		s.at.name = "_" + strings.Trim(s.at.name, `"`) // hidden: not there
		_, all, show := compilePolicy(t, s.policy)
		if len(all) > 2 {
			t.Errorf("%s: %d messages\n%s", s.path, len(all), show)
		}
	}
}
