package compiler_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/retryc/retryc/compiler"
	"github.com/retryc/retryc/compiler/ir"
)

// A branch is a field of a policy, or an element of a list, with what is in it,
// in order.
type branch struct {
	name string // of an element: its index
	text string // of a leaf
	kids []*branch
	kind branchKind
}

type branchKind uint8

const (
	aLeaf branchKind = iota
	aStruct
	aList
)

func leaf(name, text string) *branch { return &branch{name: name, text: text} }
func fork(name string, kids ...*branch) *branch {
	return &branch{name: name, kids: kids, kind: aStruct}
}
func many(name string, kids ...*branch) *branch {
	for i, k := range kids {
		k.name = fmt.Sprint(i)
	}
	return &branch{name: name, kids: kids, kind: aList}
}

func (b *branch) write(w *strings.Builder, indent string, element bool) {
	w.WriteString(indent)
	if !element {
		w.WriteString(b.name + ": ")
	}
	if b.kind == aLeaf {
		w.WriteString(b.text)
	} else {
		brackets := map[branchKind]string{aStruct: "{}", aList: "[]"}[b.kind]
		w.WriteString(brackets[:1] + "\n")
		for _, k := range b.kids {
			k.write(w, indent+"\t", b.kind == aList)
		}
		w.WriteString(indent + brackets[1:])
	}
	if element {
		w.WriteString(",")
	}
	w.WriteString("\n")
}

// find returns the branch at a path, what it is in, and the path by the names that
// are there; "*" is whatever child leads on.
func (b *branch) find(path []string) (at, in *branch, names []string) {
	for _, k := range b.kids {
		name := strings.Trim(k.name, `"`)
		if path[0] != "*" && name != path[0] {
			continue
		}
		if len(path) == 1 {
			return k, b, []string{name}
		}
		if at, in, names := k.find(path[1:]); at != nil {
			return at, in, append([]string{name}, names...)
		}
	}
	return nil, nil, nil
}

// The policies below have every field of the language between them: a queued
// HTTP operation, a scheduled task, and a gRPC method with the calls it makes.
var policies = map[string]func() []*branch{
	"queued": func() []*branch {
		return []*branch{fork("class", fork("work",
			leaf("http", `"POST api.example/v1/jobs/{id}"`),
			many("aliases", leaf("", `"job"`)),
			leaf("effect", `"idempotent"`), leaf("duplicates", `"tolerated"`), leaf("owner", `"team"`),
			leaf("attempts", "5"), leaf("attemptTimeout", `"10s"`),
			fork("deadline", leaf("within", `"1h"`), leaf("mode", `"extend"`), leaf("extendAtMost", `"2h"`)),
			leaf("timing", `"queue"`),
			fork("backoff", leaf("base", `"1s"`), leaf("factor", "2"), leaf("cap", `"1m"`), leaf("jitter", `"full"`)),
			leaf("startJitter", `"1m"`),
			fork("idempotency", leaf("source", `"fields"`), many("fields", leaf("", `"order_id"`)), leaf("sent", `"header"`), leaf("header", `"X-Key"`), leaf("quote", "true"), leaf("keptFor", `"24h"`)),
			fork("retryAfter", leaf("mode", `"clamp"`), leaf("max", `"1m"`)),
			fork("outcome", leaf(`slow_down`, `"retry"`)),
			fork("outcomeAfterAmbiguous", leaf(`"404"`, `"success"`)),
			fork("perOutcome", fork(`"429"`, leaf("attempts", "2"), leaf("base", `"2s"`), leaf("cap", `"1m"`))),
			many("conditions", leaf("", `"slow_down"`)),
			fork("retryBudget", leaf("ratio", "0.1"), leaf("floor", "1"), leaf("per", `"host"`)),
			leaf("nested", `"once"`), leaf("audience", `"background"`), leaf("whenOffline", `"suspend"`), leaf("whenConstrained", `"defer"`),
			fork("payload", leaf("max", `"8MiB"`)),
			fork("waive", fork(`"some-rule"`, leaf("reason", `"because"`), leaf("until", `"2027-06-30"`))),
		))}
	},
	"scheduled": func() []*branch {
		return []*branch{fork("class", fork("work",
			leaf("task", `"work"`), leaf("effect", `"idempotent"`), leaf("attempts", "5"), leaf("attemptTimeout", `"10s"`),
			fork("deadline", leaf("within", `"24h"`), leaf("mode", `"expire"`)),
			leaf("timing", `"scheduler"`),
			fork("scheduler", leaf("profile", `"workmanager@2"`), leaf("minBackoff", `"10s"`), leaf("maxBackoff", `"1h"`), leaf("maxGap", `"6h"`)),
			fork("idempotency", leaf("source", `"caller"`)),
		))}
	},
	"called": func() []*branch {
		return []*branch{fork("class", fork("work",
			leaf("grpc", `"work.Work/Do"`), leaf("effect", `"idempotent"`), leaf("attempts", "1"),
			fork("deadline", leaf("within", `"1m"`)),
			many("calls", leaf("", `"other.class"`), fork("", leaf("class", `"other.remote"`), leaf("remote", "true")), fork("", leaf("name", `"mesh"`), leaf("attempts", "3"))),
		))}
	},
	"set": func() []*branch {
		return []*branch{
			fork("go", leaf("package", `"workretry"`), leaf("dir", `"out"`)),
			fork("retryBudgets", fork("shared", leaf("ratio", "0.1"), leaf("floor", "1"), leaf("per", `"class"`))),
			fork("lint", fork(`"some-rule"`, leaf("severity", `"info"`), leaf("reason", `"because"`))),
			fork("waive", fork(`"some-rule"`, leaf("reason", `"because"`), leaf("until", `"2027-06-30"`))),
			fork("class", fork("work", leaf("http", `"GET /work"`), leaf("attempts", "1"), fork("deadline", leaf("within", `"1m"`)))),
		}
	},
}

// A spot is one field of the language in one of the policies above.
type spot struct {
	policy string // its name
	path   string // as the language has it
	field  string // as the policy has it
	tops   []*branch
	at, in *branch
}

func (s spot) String() string { return s.policy + " " + s.path }

// everySpot lists every field of the language in every policy that has it.
func everySpot(t *testing.T) []spot {
	t.Helper()
	var out []spot
	add := func(path string, around []string, in ...string) {
		before := len(out)
		for _, name := range in {
			tops := policies[name]()
			at, parent, names := fork("", tops...).find(append(slices.Clone(around), strings.Split(path, ".")...))
			if at != nil {
				out = append(out, spot{name, path, strings.Join(names[len(around):], "."), tops, at, parent})
			}
		}
		if len(out) == before {
			t.Fatalf("no policy here has %s", path)
		}
	}
	for _, path := range ir.Paths() {
		add(path, []string{"class", "work"}, "queued", "scheduled", "called")
	}
	for _, path := range ir.SetPaths() {
		if path != "class" {
			add(path, nil, "set")
		}
	}
	return out
}

func (s spot) compile(t *testing.T) (text string, all []ir.Diagnostic, show string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("package work\n\n")
	for _, p := range s.tops {
		p.write(&b, "", false)
	}
	base := filepath.FromSlash("/set")
	opt := compiler.Options{Base: base, Overlay: map[string][]byte{filepath.Join(base, "work.cue"): []byte(b.String())}}
	results, err := compiler.Compile(opt, []compiler.Folder{{Dir: ".", Named: true}})
	if err != nil {
		t.Fatal(err)
	}
	all, sources := said(results)
	return b.String(), all, printed(t, all, sources) + b.String()
}

// spotAs compiles every spot after a change, and hands on the one message that
// there has to be, with the text that it points at.
func spotAs(t *testing.T, change func(s spot) bool, check func(s spot, d ir.Diagnostic, at string) string) {
	t.Helper()
	for _, s := range everySpot(t) {
		if !change(s) {
			continue
		}
		text, all, show := s.compile(t)
		if len(all) != 1 {
			t.Errorf("%s: %d messages\n%s", s, len(all), show)
			continue
		}
		if wrong := check(s, all[0], text[all[0].Span.Start.Offset:all[0].Span.End.Offset]); wrong != "" {
			t.Errorf("%s: %s\n%s", s, wrong, show)
		}
	}
}

// The policies are sound as they are: what the tests below find is what they
// have changed.
func TestEveryFieldSound(t *testing.T) {
	for name, policy := range policies {
		if _, all, show := (spot{tops: policy()}).compile(t); len(all) != 0 {
			t.Errorf("%s:\n%s", name, show)
		}
	}
}

// Every field with a value of a wrong type is one mistake, of that field and at
// that value, which the message has: no rule speaks about a field that is broken.
func TestEveryFieldOfWrongType(t *testing.T) {
	wrong := func(s spot) string {
		if s.path == "idempotency.quote" || s.path == "calls.*.remote" {
			return `"yes"`
		}
		return "true"
	}
	spotAs(t, func(s spot) bool {
		s.at.text, s.at.kids, s.at.kind = wrong(s), nil, aLeaf
		return true
	}, func(s spot, d ir.Diagnostic, at string) string {
		switch {
		case at != wrong(s):
			return "the message is at " + at
		case d.Field != s.field:
			return "the message is of the field " + d.Field
		case !strings.Contains(d.Message, wrong(s)):
			return "the message does not have the value"
		}
		return ""
	})
}

// Every field with a slip in its name is one mistake, at that name, and both the
// message and the help have the right one.
func TestEveryFieldMisspelt(t *testing.T) {
	right := map[string]string{}
	spotAs(t, func(s spot) bool {
		if strings.HasSuffix(s.path, "*") {
			return false // a name of the author's own, or an element
		}
		name := s.at.name
		slip := name[:1] + name[2:]
		if name == "go" {
			slip = "Go" // one letter of two leaves nothing to recognise
		}
		s.at.name = slip
		right[s.String()] = name
		return true
	}, func(s spot, d ir.Diagnostic, at string) string {
		name := right[s.String()]
		switch {
		case at != s.at.name:
			return "the message is at " + at
		case d.Message != fmt.Sprintf("unknown field %q; did you mean %q?", at, name):
			return "the message does not have both names"
		case len(d.Help) != 1 || !strings.HasPrefix(d.Help[0], name+": "):
			return fmt.Sprintf("the help has not the name: %q", d.Help)
		}
		return ""
	})
}

// leftOut is what is said of the policies above when a field is not there, and the
// text that it is said at. What does not stand here may be left out.
var leftOut = map[string][2]string{
	"queued http":                  {`class "work" has no operation: exactly one of http, grpc, task`, "work"},
	"queued attempts":              {`class "work" has no attempts`, "work"},
	"queued attemptTimeout":        {`class "work" has no attemptTimeout, which is required with timing queue`, "work"},
	"queued deadline":              {`class "work" has no deadline`, "work"},
	"queued deadline.within":       {`deadline has no within`, "deadline"},
	"queued deadline.mode":         {`deadline has no mode, which is required with timing queue`, "deadline"},
	"queued deadline.extendAtMost": {`deadline has no extendAtMost, which is required with mode "extend"`, "deadline"},
	"queued timing":                {`deadline.mode, startJitter and whenConstrained need a timing: without one the class is inline, and nothing defers it`, "mode"},
	"queued backoff":               {`class "work" has no backoff, which is required with more than 1 attempt`, "work"},
	"queued backoff.base":          {`backoff has no base`, "backoff"},
	"queued backoff.cap":           {`backoff has no cap`, "backoff"},
	"queued idempotency":           {`class "work" has no idempotency.source, and timing queue needs a key from the caller or from fields: it is the row's identity`, "work"},
	"queued idempotency.source":    {`fields has no effect without source "fields"`, "fields"},
	"queued idempotency.fields":    {`idempotency has no fields, which is required with source "fields"`, "idempotency"},
	"queued idempotency.fields.*":  {`fields is empty: a key needs something to be made of`, "[\n\t\t\t]"},
	"queued retryAfter.mode":       {`retryAfter.max has no effect with mode "override", which is the default`, "max"},
	"queued conditions":            {`"slow_down" is not a code, a phase or a condition of the class`, "slow_down"},
	"queued conditions.*":          {`"slow_down" is not a code, a phase or a condition of the class`, "slow_down"},
	"queued retryBudget.ratio":     {`retryBudget has no ratio`, "retryBudget"},
	"queued waive.*.reason":        {`the waiver of "some-rule" has no reason`, `"some-rule"`},
	"scheduled task":               {`class "work" has no operation: exactly one of http, grpc, task`, "work"},
	"scheduled effect":             {`class "work" has no field effect: only the methods of HTTP say what repeating does`, "work"},
	"scheduled attempts":           {`class "work" has no attempts`, "work"},
	"scheduled attemptTimeout":     {`class "work" has no attemptTimeout, which is required with timing scheduler`, "work"},
	"scheduled deadline":           {`class "work" has no deadline`, "work"},
	"scheduled deadline.within":    {`deadline has no within`, "deadline"},
	"scheduled deadline.mode":      {`deadline has no mode, which is required with timing scheduler`, "deadline"},
	"scheduled timing":             {`scheduler has no effect inline`, "scheduler"},
	"scheduled scheduler":          {`class "work" has no scheduler, which is required with timing scheduler`, "work"},
	"scheduled scheduler.maxGap":   {`scheduler has no maxGap, which is required with timing scheduler`, "scheduler"},
	"scheduled idempotency":        {`class "work" has no idempotency.source, and timing scheduler needs a key from the caller or from fields: it is the row's identity`, "work"},
	"scheduled idempotency.source": {`class "work" has no idempotency.source, and timing scheduler needs a key from the caller or from fields: it is the row's identity`, "work"},
	"called grpc":                  {`class "work" has no operation: exactly one of http, grpc, task`, "work"},
	"called effect":                {`class "work" has no field effect: only the methods of HTTP say what repeating does`, "work"},
	"called attempts":              {`class "work" has no attempts`, "work"},
	"called deadline":              {`class "work" has no deadline`, "work"},
	"called deadline.within":       {`deadline has no within`, "deadline"},
	"called calls.*.class":         {`the call has neither class nor name`, "{\n\t\t\t\tremote: true\n\t\t\t}"},
	"called calls.*.name":          {`the call has neither class nor name`, "{\n\t\t\t\tattempts: 3\n\t\t\t}"},
	"called calls.*.attempts":      {`the call to "mesh" has no attempts: how many it makes in all`, "{\n\t\t\t\tname: \"mesh\"\n\t\t\t}"},
	"set retryBudgets.*.ratio":     {`retry budget "shared" has no ratio`, "shared"},
	"set lint.*.severity":          {`the entry of "some-rule" has no severity`, `"some-rule"`},
	"set waive.*.reason":           {`the waiver of "some-rule" has no reason`, `"some-rule"`},
}

// Every field that has to be there and is not is one mistake, which names it, at
// the name of what lacks it; every other field may be left out.
func TestEveryFieldLeftOut(t *testing.T) {
	met := map[string]bool{}
	for _, s := range everySpot(t) {
		s.in.kids = slices.DeleteFunc(slices.Clone(s.in.kids), func(b *branch) bool { return b == s.at })
		text, all, show := s.compile(t)
		want, needed := leftOut[s.String()]
		met[s.String()] = true
		switch {
		case !needed && len(all) > 0:
			t.Errorf("%s may be left out\n%s", s, show)
		case needed && len(all) != 1:
			t.Errorf("%s: %d messages\n%s", s, len(all), show)
		case needed:
			if got := all[0].Message; got != want[0] {
				t.Errorf("%s: want %s\n%s", s, want[0], show)
			}
			if got := text[all[0].Span.Start.Offset:all[0].Span.End.Offset]; got != want[1] {
				t.Errorf("%s: the message is at %q, not at %q\n%s", s, got, want[1], show)
			}
		}
	}
	for s := range leftOut {
		if !met[s] {
			t.Errorf("%s is no field of the policies here", s)
		}
	}
}
