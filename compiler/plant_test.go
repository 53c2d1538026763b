package compiler_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/retryc/retryc/compiler"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("rapid.nofailfile", "true"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// slip is a wrong way to write what stands at a place of a policy, and part of
// what is said about it.
type slip struct{ wrong, says string }

// plantable are the slips by what they replace. Those of the kinds "syntax" and
// "schema" stand in the line of a field; "cross" are lines that do not fit the
// class.
var plantable = map[string][]slip{
	`http: "GET api.example/v1/%s"`: {
		{`http: "GETT api.example/v1/%s"`, `"GETT" is not a method of HTTP; did you mean "GET"?`},
		{`http: "get api.example/v1/%s"`, `method "get" must be upper case`},
		{`http: "GET https://api.example/v1/%s"`, `names a scheme`},
		{`http: 'GET api.example/v1/%s'`, `http holds bytes`},
		{`http: “GET api.example/v1/%s”`, `is a typographic quote`},
		{`htp: "GET api.example/v1/%s"`, `unknown field "htp"`},
	},
	`attempts: 3`: {
		{`atempts: 3`, `unknown field "atempts"`},
		{`attempts: 300`, `300 is not a number of attempts`},
		{`attempts: "3"`, `"3" is not a number of attempts`},
		{`attempts: 3 4`, `"4" cannot stand here`},
		{`attempts: int`, `attempts has no value`},
		{`attempts = 3`, `a field has a colon between name and value`},
		{`attempts 3`, `a colon is missing after attempts`},
		{`attempts: 3;`, `no semicolon`},
		{`attempts: 03`, `it has zeros in front`},
		{`attempts: 3 /* three */`, `a comment begins with //`},
		{`attempts?: 3`, `attempts? sets nothing`},
	},
	`attemptTimeout: "10s"`: {
		{`attemptTimeout: "10 s"`, `"10 s" is not a duration`},
		{`attemptTimeout: 10s`, `10s needs quotes`},
		{`attemptTimeout: 1m30s`, `1m30s needs quotes`},
		{`attemptTimeout: _nothing`, `nothing is named _nothing`},
		{`attemptTimeout: "10s" + 1`, `does not work`},
		{`attemptTimeout: "10s`, `has no closing quote`},
	},
	`deadline: within: "2m"`: {
		{`deadline: withn: "2m"`, `unknown field "withn"`},
		{`deadline: {within: "2m", extendAtMost: "1h"}`, "no effect without mode"},
		{`deadline: "2m"`, `deadline is "2m"`},
		{`deadline: within: "2m" | "3m"`, `within is left open`},
		{`deadline: within: {"2m"`, `this { is never closed`},
	},
	`backoff: {base: "1s", cap: "9s"}`: {
		{`backoff: {base: "10s", cap: "9s"}`, "below base"},
		{`backoff: {base: "1s", cap: "9s", jitter: "ful"}`, `"ful" is not a kind of jitter`},
		{`backoff: {base: "1s" cap: "9s"}`, `a comma is missing`},
		{`backoff: {base: "1s",, cap: "9s"}`, `one comma too many`},
		{`backoff: {base: "1s", cap: 9s}`, `9s needs quotes`},
	},
	`owner: "team"`: {
		{`owner: "team" & "other"`, "owner has two values"},
		{`owner: ""`, "owner is empty"},
		{`owner: team`, "nothing is named team"},
		{`owner: 'team`, "has no closing quote"},
		{`owner: "a\qb"`, `\q is no escape sequence`},
		{`# the team`, "a comment begins with //"},
	},
	`outcome: "409": "reread"`: {
		{`outcome: "49": "reread"`, `"49" is no HTTP status`},
		{`outcome: "409": "rered"`, `"rered" is not an outcome`},
		{`outcome: 5xx: "retry"`, `5xx needs quotes`},
		{`outcome: 409: "reread"`, `409 needs quotes`},
		{`outcome: "UNAVAILABLE": "retry"`, `"UNAVAILABLE" is a gRPC code`},
		{`outcome: "409": "reread")`, `")" closes nothing`},
	},
	`nested: "once"`: {
		{`startJitter: "1m"`, "startJitter has no effect inline"},
		{`retryAfter: max: "1m"`, `max has no effect with mode "override"`},
		{`idempotency: fields: ["a"]`, `fields has no effect without source`},
		{`aliases: ["%s"]`, `is the name that the class has now`},
		{`calls: [{name: "mesh"}]`, `has no attempts`},
	},
	`retryBudgets: shared: ratio: 0.1`: {
		{`retryBudgets: shared: ratio: 10`, `10 is not a ratio`},
		{`retryBudgets: shared: rato: 0.1`, `unknown field "rato"`},
		{`retryBudget: shared: ratio: 0.1`, `unknown field "retryBudget"`},
	},
	`lint: "missing-owner": "warning"`: {
		{`lint: "missing-owner": "warnin"`, `"warnin" is not a severity`},
		{`lints: "missing-owner": "warning"`, `unknown field "lints"`},
		{`lint: missing-owner: "warning"`, `a name with - in it needs quotes`},
	},
	`go: dir: "shopretry"`: {
		{`go: dir: "shop retry"`, `"shop retry" is not a folder`},
		{`go: dir: "../x"`, `"../x" is not a folder`},
	},
}

// place is a line of a policy that a slip may be planted in, and the classes that
// come from it.
type place struct {
	file, line int
	text       string // as in plantable
	name       string // for %s
	classes    []string
}

// garden is a random sound policy.
type garden struct {
	files   [][]string
	places  []place
	classes []string
	t       *rapid.T
}

func (g *garden) add(file int, line string) int {
	g.files[file] = append(g.files[file], line)
	return len(g.files[file]) - 1
}

// plantableLine adds a line that slips can be planted in.
func (g *garden) plantableLine(file int, indent, text, name string, classes ...string) {
	line := text
	if strings.Contains(text, "%s") {
		line = fmt.Sprintf(text, name)
	}
	g.places = append(g.places, place{file, g.add(file, indent+line), text, name, classes})
}

func (g *garden) often(what string) bool { return rapid.Float64Range(0, 1).Draw(g.t, what) < 0.6 }

func newGarden(t *rapid.T) *garden {
	g := &garden{t: t}
	n := rapid.IntRange(1, 3).Draw(t, "files")
	quick := -1
	for f := range n {
		g.files = append(g.files, nil)
		g.add(f, "package shop")
		g.add(f, "")
		if g.often("let") {
			g.add(f, "let wait = \"10s\"")
			g.add(f, fmt.Sprintf("_wait%d: wait", f))
			g.add(f, "")
		}
	}
	file := func() int { return rapid.IntRange(0, n-1).Draw(t, "file") }
	if g.often("set") {
		f := file()
		for _, s := range []string{`retryBudgets: shared: ratio: 0.1`, `lint: "missing-owner": "warning"`, `go: dir: "shopretry"`} {
			if g.often("field") {
				g.plantableLine(f, "", s, "")
			}
		}
	}
	fields := []string{`attempts: 3`, `attemptTimeout: "10s"`, `backoff: {base: "1s", cap: "9s"}`}
	own := []string{`http: "GET api.example/v1/%s"`, `deadline: within: "2m"`, `owner: "team"`, `outcome: "409": "reread"`, `nested: "once"`}
	var users []string
	count := rapid.IntRange(3, 9).Draw(t, "classes")
	for i := range count {
		name, f := fmt.Sprintf("c%d", i), file()
		lines := func(indent string, with []string, classes ...string) {
			order := rapid.Permutation(with).Draw(t, "order")
			for _, s := range order {
				if (s == own[2] || s == own[3] || s == own[4]) && !g.often("field") {
					continue
				}
				pattern := name
				if strings.HasPrefix(s, "http") && len(classes) > 1 {
					pattern = `\(n)`
				}
				g.plantableLine(f, indent, s, pattern, classes...)
			}
		}
		switch kind := rapid.SampledFrom([]string{"literal", "one field a line", "shared", "loop"}).Draw(t, "kind"); kind {
		case "literal":
			g.classes = append(g.classes, name)
			g.add(f, "class: "+name+": {")
			lines("\t", append(slices.Clone(fields), own...), name)
			g.add(f, "}")
		case "one field a line":
			g.classes = append(g.classes, name)
			lines("class: "+name+": ", append(slices.Clone(fields), own...), name)
		case "shared":
			g.classes, users = append(g.classes, name), append(users, name)
			g.add(f, "class: "+name+": {")
			g.add(f, "\t#Quick")
			lines("\t", own, name)
			g.add(f, "}")
		case "loop":
			a, b := name+"a", name+"b"
			g.classes = append(g.classes, a, b)
			g.add(f, fmt.Sprintf("for n in [%q, %q] {", a, b))
			g.add(f, "\tclass: (n): {")
			lines("\t\t", append(slices.Clone(fields), own...), a, b)
			g.add(f, "\t}")
			g.add(f, "}")
		}
		g.add(f, "")
	}
	if len(users) > 0 {
		quick = file()
		g.add(quick, "#Quick: {")
		for _, s := range fields {
			g.plantableLine(quick, "\t", s, "", users...)
		}
		g.add(quick, "\t...")
		g.add(quick, "}")
	}
	return g
}

func (g *garden) compile() compiler.Result {
	base := filepath.FromSlash("/shop")
	opt := compiler.Options{Base: base, Overlay: map[string][]byte{}}
	for f, lines := range g.files {
		opt.Overlay[filepath.Join(base, fmt.Sprintf("f%d.cue", f))] = []byte(strings.Join(lines, "\n") + "\n")
	}
	results, err := compiler.Compile(opt, []compiler.Folder{{Dir: ".", Named: true}})
	if err != nil {
		g.t.Fatal(err)
	}
	return results[0]
}

// Random sound policies, of several files with shared definitions, loops, lets and
// fields of the set: two to six slips at random places, several in one class, are
// found exactly, each at its line and with its own message, and every class that
// has none is sound.
func TestPlantedMistakes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := newGarden(rt)
		if r := g.compile(); r.Set == nil || len(r.Set.Classes) != len(g.classes) {
			rt.Fatalf("the policy is not sound:\n%s\n%s", printedFor(t, []compiler.Result{r}), g)
		}
		type expected struct {
			place
			slip
		}
		var want []expected
		bad := map[string]bool{}
		order := rapid.Permutation(seq(len(g.places))).Draw(rt, "where")
		most := rapid.IntRange(2, 6).Draw(rt, "mistakes")
		for _, i := range order {
			if len(want) == most {
				break
			}
			p := g.places[i]
			s := rapid.SampledFrom(plantable[p.text]).Draw(rt, "slip")
			indent := g.files[p.file][p.line][:len(g.files[p.file][p.line])-len(strings.TrimLeft(g.files[p.file][p.line], "\t"))]
			if rest := strings.TrimPrefix(g.files[p.file][p.line], indent); strings.HasPrefix(rest, "class: ") {
				indent = rest[:strings.Index(rest[len("class: "):], ": ")+len("class: ")+2]
				if strings.HasPrefix(s.wrong, "#") || s.wrong == `deadline: within: {"2m"` || strings.Contains(s.says, "no value") {
					continue // no field of a line of its own
				}
			}
			if len(p.classes) > 1 && strings.HasPrefix(s.wrong, "aliases") || strings.Contains(p.name, `\(`) && (strings.Contains(s.wrong, `'`) || strings.Contains(s.wrong, `“`)) {
				continue // another mistake there, or none
			}
			wrong := s.wrong
			if strings.Contains(wrong, "%s") {
				wrong = fmt.Sprintf(wrong, p.name)
			}
			if strings.HasPrefix(wrong, "attempts?") && p.name == "" {
				continue // a definition may well leave a field optional
			}
			g.files[p.file][p.line] = indent + wrong
			want = append(want, expected{p, s})
			for _, c := range p.classes {
				bad[c] = true
			}
		}
		r := g.compile()
		show := printedFor(t, []compiler.Result{r})
		if len(r.Mistakes) != len(want) {
			rt.Fatalf("%d mistakes, planted %d:\n%s\n%s", len(r.Mistakes), len(want), show, g)
		}
		for _, w := range want {
			found := false
			for _, d := range r.Mistakes {
				found = found || d.Span.File == fmt.Sprintf("f%d.cue", w.file) && d.Span.Start.Line == w.line+1 && strings.Contains(d.Message, w.says)
			}
			if !found {
				rt.Fatalf("not found at f%d.cue:%d: %s\n%s\n%s", w.file, w.line+1, w.says, show, g)
			}
		}
		sound := 0
		if r.Partial != nil {
			for _, c := range r.Partial.Classes {
				sound++
				if bad[c.Name] {
					rt.Fatalf("class %s has a mistake and is among the sound ones\n%s\n%s", c.Name, show, g)
				}
			}
		}
		if sound != len(g.classes)-len(bad) {
			rt.Fatalf("%d of %d classes are sound, %d have mistakes\n%s\n%s", sound, len(g.classes), len(bad), show, g)
		}
	})
}

func (g *garden) String() string {
	var b strings.Builder
	for f, lines := range g.files {
		fmt.Fprintf(&b, "-- f%d.cue --\n%s\n", f, strings.Join(lines, "\n"))
	}
	return b.String()
}

func printedFor(t *testing.T, results []compiler.Result) string {
	all, sources := said(results)
	return printed(t, all, sources)
}

func seq(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
