package compiler_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue/parser"
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
type slip struct {
	wrong, says string
	mended      bool   // the classes are read as if it were right, and may be sound
	use         string // of a declaration: the text of plantable that refers to it, where it is told
}

// plantable are the slips by what they replace: the line of a field, of a
// reference, or the one that a struct begins on.
var plantable = map[string][]slip{
	`http: "GET api.example/v1/%s"`: {
		{`http: "GETT api.example/v1/%s"`, `"GETT" is not a method of HTTP; did you mean "GET"?`, false, ""},
		{`http: "get api.example/v1/%s"`, `method "get" must be upper case`, false, ""},
		{`http: "GET https://api.example/v1/%s"`, `names a scheme`, false, ""},
		{`http: 'GET api.example/v1/%s'`, `http holds bytes`, false, ""},
		{`http: “GET api.example/v1/%s”`, `is a typographic quote`, false, ""},
		{`htp: "GET api.example/v1/%s"`, `unknown field "htp"`, false, ""},
		{`http: GET api.example/v1/%s"`, `has no opening quote`, false, ""},
		{`http: "GET api.example/v1/%s`, `has no closing quote`, false, ""},
		{`http "GET api.example/v1/%s"`, `a colon is missing after http`, false, ""},
	},
	`attempts: 3`: {
		{`atempts: 3`, `unknown field "atempts"`, false, ""},
		{`attempts: 300`, `300 is not a number of attempts`, false, ""},
		{`attempts: "3"`, `"3" is not a number of attempts`, false, ""},
		{`attempts: 3 4`, `"4" cannot stand here`, false, ""},
		{`attempts: int`, `attempts has no value`, false, ""},
		{`attempts = 3`, `a field has a colon between name and value`, false, ""},
		{`attempts 3`, `a colon is missing after attempts`, false, ""},
		{`attempts: 3;`, `no semicolon`, false, ""},
		{`attempts: 03`, `it has zeros in front`, false, ""},
		{`attempts: 3 /* three */`, `a comment begins with //`, false, ""},
		{`attempts?: 3`, `attempts? sets nothing`, false, ""},
	},
	`attemptTimeout: "10s"`: {
		{`attemptTimeout: "10 s"`, `"10 s" is not a duration`, false, ""},
		{`attemptTimeout: 10s`, `10s needs quotes`, false, ""},
		{`attemptTimeout: 1m30s`, `1m30s needs quotes`, false, ""},
		{`attemptTimeout: _nothing`, `nothing is named _nothing`, false, ""},
		{`attemptTimeout: "10s" + 1`, `does not work`, false, ""},
		{`attemptTimeout: "10s`, `has no closing quote`, false, ""},
		{`attemptTimeout: 10s"`, `has no opening quote`, false, ""},
	},
	`attemptTimeout: wait`: {
		{`attemptTimeout: wiat`, `nothing is named wiat; did you mean wait?`, false, ""},
		{`attemptTimeout: "wait"`, `"wait" is not a duration`, false, ""},
		{`attemptTimeout wait`, `a colon is missing after attemptTimeout`, false, ""},
	},
	`attemptTimeout: _wait%s`: {
		{`attemptTimeout: _wiat%s`, `nothing is named _wiat%s; did you mean _wait%s?`, false, ""},
		{`attemptTimeout: wait%s`, `nothing is named wait%s; did you mean `, false, ""},
		{`attemptTimeout: [_wait%s]`, `is not a duration`, false, ""},
	},
	`_wait%s: wait`: {
		{`_wait%s: wiat`, `nothing is named wiat; did you mean wait?`, false, ""},
		{`_wait%s wait`, `a colon is missing after _wait%s`, true, ""},
		{`_wiat%s: wait`, `nothing is named _wait%s; did you mean _w`, false, `attemptTimeout: _wait%s`},
	},
	`#Quick`: {
		{`#Quik`, `nothing is named #Quik; did you mean #Quick?`, false, ""},
		{`Quick`, `nothing is named Quick; did you mean #Quick?`, false, ""},
	},
	`class: %s: {`: {
		{`class: %s {`, `a colon is missing`, true, ""},
		{`class %s: {`, `a colon is missing after class`, true, ""},
		{`class: %s: {{`, `{ `, true, ""},
		{`class: %s": {`, `has no opening quote`, true, ""},
		{`class: "%s: {`, `has no closing quote`, true, ""},
		{`clas: %s: {`, `unknown field "clas"; did you mean "class"?`, false, ""},
	},
	`#Quick: {`: {
		{`#Quick {`, `a colon is missing after #Quick`, true, ""},
		{`#Quick: {{`, `{ `, true, ""},
		{`#Quik: {`, `nothing is named #Quick; did you mean #Quik?`, false, `#Quick`},
	},
	`deadline: within: "2m"`: {
		{`deadline: withn: "2m"`, `unknown field "withn"`, false, ""},
		{`deadline: {within: "2m", extendAtMost: "1h"}`, "extendAtMost has no effect inline", false, ""},
		{`deadline: "2m"`, `deadline is "2m"`, false, ""},
		{`deadline: within: "2m" | "3m"`, `within is left open`, false, ""},
		{`deadline: within: {"2m"`, `{ `, false, ""},
		{`deadline within: "2m"`, `a colon is missing after deadline`, false, ""},
		{`deadline: within: 2m"`, `has no opening quote`, false, ""},
		{`deadline: within: "2m`, `has no closing quote`, false, ""},
		{`deadline: {{within: "2m"}`, `{ `, false, ""},
	},
	`backoff: {base: "1s", cap: "9s"}`: {
		{`backoff: {base: "10s", cap: "9s"}`, "below base", false, ""},
		{`backoff: {base: "1s", cap: "9s", jitter: "ful"}`, `"ful" is not a kind of jitter`, false, ""},
		{`backoff: {base: "1s" cap: "9s"}`, `a comma is missing`, false, ""},
		{`backoff: {base: "1s",, cap: "9s"}`, `one comma too many`, false, ""},
		{`backoff: {base: "1s", cap: 9s}`, `9s needs quotes`, false, ""},
		{`backoff {base: "1s", cap: "9s"}`, `a colon is missing after backoff`, false, ""},
		{`backoff: {{base: "1s", cap: "9s"}`, `{ `, false, ""},
		{`backoff: {base: "1s", cap: "9s"}}`, `"}" closes nothing`, false, ""},
		{`backoff: {base: 1s", cap: "9s"}`, `has no opening quote`, false, ""},
		{`backoff: {base: "1s", cap: "9s}`, `has no closing quote`, false, ""},
	},
	`owner: "team"`: {
		{`owner: "team" & "other"`, "owner has two values", false, ""},
		{`owner: ""`, "owner is empty", false, ""},
		{`owner: team`, "nothing is named team", false, ""},
		{`owner: 'team`, "has no closing quote", false, ""},
		{`owner: "team`, "has no closing quote", false, ""},
		{`owner: team"`, "has no opening quote", false, ""},
		{`owner: "a\qb"`, `\q is no escape sequence`, false, ""},
		{`# the team`, "a comment begins with //", false, ""},
	},
	`outcome: "409": "reread"`: {
		{`outcome: "49": "reread"`, `"49" is no HTTP status`, false, ""},
		{`outcome: "409": "rered"`, `"rered" is not an outcome`, false, ""},
		{`outcome: 5xx: "retry"`, `5xx needs quotes`, false, ""},
		{`outcome: 409: "reread"`, `409 needs quotes`, false, ""},
		{`outcome: "UNAVAILABLE": "retry"`, `"UNAVAILABLE" is a gRPC code`, false, ""},
		{`outcome: "409": "reread")`, `")" closes nothing`, false, ""},
		{`outcome "409": "reread"`, `a colon is missing after outcome`, false, ""},
		{`outcome: 409": "reread"`, `has no opening quote`, false, ""},
		{`outcome: "409": reread"`, `has no opening quote`, false, ""},
	},
	`nested: "once"`: {
		{`startJitter: "1m"`, "startJitter has no effect inline", false, ""},
		{`retryAfter: max: "1m"`, `max has no effect with mode "override"`, false, ""},
		{`idempotency: fields: ["a"]`, `fields has no effect without source`, false, ""},
		{`aliases: ["%s"]`, `is the name that the class has now`, false, ""},
		{`calls: [{name: "mesh"}]`, `has no attempts`, false, ""},
	},
	`retryBudgets: shared: ratio: 0.1`: {
		{`retryBudgets: shared: ratio: 10`, `10 is not a ratio`, false, ""},
		{`retryBudgets: shared: rato: 0.1`, `unknown field "rato"`, false, ""},
		{`retryBudget: shared: ratio: 0.1`, `unknown field "retryBudget"`, false, ""},
	},
	`lint: "missing-owner": "warning"`: {
		{`lint: "missing-owner": "warnin"`, `"warnin" is not a severity`, false, ""},
		{`lints: "missing-owner": "warning"`, `unknown field "lints"`, false, ""},
		{`lint: missing-owner: "warning"`, `a name with - in it needs quotes`, false, ""},
	},
	`go: dir: "shopretry"`: {
		{`go: dir: "shop retry"`, `"shop retry" is not a folder`, false, ""},
		{`go: dir: "../x"`, `"../x" is not a folder`, false, ""},
	},
}

// place is a line of a policy that a slip may be planted in, and the classes that
// come from it.
type place struct {
	file, line int
	before     string // what the line has before it
	text       string // as in plantable
	name       string // for %s
	classes    []string
}

// write is a text of plantable as it stands at a place.
func (p place) write(text string) string { return strings.ReplaceAll(text, "%s", p.name) }

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
func (g *garden) plantableLine(file int, before, text, name string, classes ...string) {
	p := place{file, 0, before, text, name, classes}
	p.line = g.add(file, before+p.write(text))
	g.places = append(g.places, p)
}

func (g *garden) often(what string) bool { return rapid.Float64Range(0, 1).Draw(g.t, what) < 0.6 }

func newGarden(t *rapid.T) *garden {
	g := &garden{t: t}
	n := rapid.IntRange(1, 3).Draw(t, "files")
	quick := -1
	lets := make([]bool, n)
	var waits []string
	for f := range n {
		g.files = append(g.files, nil)
		g.add(f, "package shop")
		g.add(f, "")
		if lets[f] = g.often("let"); lets[f] {
			waits = append(waits, fmt.Sprint(f))
			g.add(f, "let wait = \"10s\"")
			g.plantableLine(f, "", "_wait%s: wait", fmt.Sprint(f))
			g.add(f, "_also: wait") // a let that nothing uses is a mistake of its own
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
				switch {
				case strings.HasPrefix(s, "http") && len(classes) > 1:
					pattern = `\(n)`
				case s == fields[1] && lets[f] && g.often("reference"):
					s = `attemptTimeout: wait`
				case s == fields[1] && len(waits) > 0 && g.often("reference"):
					s, pattern = `attemptTimeout: _wait%s`, rapid.SampledFrom(waits).Draw(t, "which")
				}
				g.plantableLine(f, indent, s, pattern, classes...)
				if strings.HasPrefix(s, `attemptTimeout: _wait`) {
					at := slices.IndexFunc(g.places, func(p place) bool { return p.text == `_wait%s: wait` && p.name == pattern })
					g.places[at].classes = append(g.places[at].classes, classes...)
				}
			}
		}
		switch kind := rapid.SampledFrom([]string{"literal", "one field a line", "shared", "loop"}).Draw(t, "kind"); kind {
		case "literal":
			g.classes = append(g.classes, name)
			g.plantableLine(f, "", "class: %s: {", name, name)
			lines("\t", append(slices.Clone(fields), own...), name)
			g.add(f, "}")
		case "one field a line":
			g.classes = append(g.classes, name)
			lines("class: "+name+": ", append(slices.Clone(fields), own...), name)
		case "shared":
			g.classes, users = append(g.classes, name), append(users, name)
			g.plantableLine(f, "", "class: %s: {", name, name)
			g.plantableLine(f, "\t", "#Quick", "", name)
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
		g.plantableLine(quick, "", "#Quick: {", "", users...)
		for _, s := range fields {
			g.plantableLine(quick, "\t", s, "", users...)
		}
		g.add(quick, "\t...")
		g.add(quick, "}")
	}
	return g
}

// fits reports whether a slip makes one mistake at a place, of the class alone.
func (g *garden) fits(p place, s slip) bool {
	switch {
	case s.use != "": // where it is used more often, each use says it
		return len(g.uses(s.use, p.name)) == 1
	case strings.HasPrefix(p.before, "class: "): // no field of a line of its own
		return !strings.HasPrefix(s.wrong, "#") && s.wrong != `deadline: within: {"2m"` && !strings.Contains(s.says, "no value")
	case strings.HasPrefix(s.wrong, "aliases") && len(p.classes) > 1:
		return false
	case strings.Contains(p.name, `\(`) && strings.ContainsAny(s.wrong, "'“"):
		return false // text that is no interpolation, and sound
	case strings.HasSuffix(s.wrong, "}}") && strings.TrimSpace(g.files[p.file][p.line+1]) == "}":
		return false // nothing says which of the two is too many
	case strings.HasPrefix(s.wrong, "attempts?") && p.name == "":
		return false // a definition may well leave a field optional
	}
	return true
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

// planted is a slip at its place.
type planted struct {
	place
	slip
}

// plant writes slips into a garden, and fails unless they are found exactly: as
// many messages, each at its line and with its own words, and every class that has
// none sound.
func (g *garden) plant(t *testing.T, rt *rapid.T, want []planted) {
	bad, mended := map[string]bool{}, map[string]bool{}
	for _, w := range want {
		g.files[w.file][w.line] = w.before + w.write(w.wrong)
		for _, c := range w.classes {
			if w.mended {
				mended[c] = true
			} else {
				bad[c] = true
			}
		}
	}
	r := g.compile()
	show := printedFor(t, []compiler.Result{r})
	if len(r.Mistakes) != len(want) {
		rt.Fatalf("%d mistakes, planted %d:\n%s\n%s", len(r.Mistakes), len(want), show, g)
	}
	for _, w := range want {
		found := false
		if w.use != "" {
			use := g.uses(w.use, w.name)[0]
			w.file, w.line = use.file, use.line
		}
		for _, d := range r.Mistakes {
			found = found || d.Span.File == fmt.Sprintf("f%d.cue", w.file) && d.Span.Start.Line == w.line+1 && strings.Contains(d.Message, w.write(w.says))
		}
		if !found {
			rt.Fatalf("not found at f%d.cue:%d: %s\n%s\n%s", w.file, w.line+1, w.write(w.says), show, g)
		}
	}
	sound := map[string]bool{}
	if r.Partial != nil {
		for _, c := range r.Partial.Classes {
			sound[c.Name] = true
		}
	}
	for _, c := range g.classes {
		if sound[c] == bad[c] && !mended[c] {
			rt.Fatalf("class %s is sound: %v; has a mistake: %v\n%s\n%s", c, sound[c], bad[c], show, g)
		}
	}
}

// Every slip alone, in random policies that have a place for it, is found exactly.
func TestPlantedAlone(t *testing.T) {
	checks := flag.Lookup("rapid.checks").Value
	if before := checks.String(); before == flag.Lookup("rapid.checks").DefValue {
		_ = checks.Set("10") // there are many slips, and the next test mixes them
		defer func() { _ = checks.Set(before) }()
	}
	for text, slips := range plantable {
		for _, s := range slips {
			t.Run(s.wrong, func(t *testing.T) {
				rapid.Check(t, func(rt *rapid.T) {
					g := newGarden(rt)
					for _, i := range rapid.Permutation(seq(len(g.places))).Draw(rt, "where") {
						if p := g.places[i]; p.text == text && g.fits(p, s) && !(text == "#Quick" && len(g.uses(text, "")) == 1) {
							g.plant(t, rt, []planted{{p, s}})
							return
						}
					}
				})
			})
		}
	}
}

// Random sound policies, of several files with shared definitions, loops, lets and
// fields of the set: up to six slips at random places, several in one class, are
// found exactly, each at its line and with its own message, and every class that
// has none is sound.
func TestPlantedMistakes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := newGarden(rt)
		if r := g.compile(); r.Set == nil || len(r.Set.Classes) != len(g.classes) {
			rt.Fatalf("the policy is not sound:\n%s\n%s", printedFor(t, []compiler.Result{r}), g)
		}
		var want []planted
		order := rapid.Permutation(seq(len(g.places))).Draw(rt, "where")
		most := rapid.IntRange(2, 6).Draw(rt, "mistakes")
		users := len(g.uses("#Quick", ""))
		broken := map[[2]int]bool{}                    // lines with a mistake of syntax
		syntax, open := map[int]bool{}, map[int]bool{} // files that do not parse, and those with a brace too many or too few
		for _, i := range order {
			if len(want) == most {
				break
			}
			p := g.places[i]
			s := rapid.SampledFrom(plantable[p.text]).Draw(rt, "slip")
			if !g.fits(p, s) || p.text == "#Quick" && users == 1 || s.use != "" {
				continue
			}
			if slices.ContainsFunc(want, func(w planted) bool { return hides(w, planted{p, s}) || hides(planted{p, s}, w) }) {
				continue
			}
			if breaks(p, s) {
				// Where a brace and something else of the syntax are wrong in one
				// file, several ways to mend it are as good as what was planted.
				// So it is in two lines that follow each other.
				nested := nesting(s.wrong) != nesting(p.text)
				if open[p.file] || nested && syntax[p.file] || broken[[2]int{p.file, p.line - 1}] || broken[[2]int{p.file, p.line + 1}] {
					continue
				}
				syntax[p.file], open[p.file], broken[[2]int{p.file, p.line}] = true, nested, true
			}
			if p.text == "#Quick" {
				users-- // what nothing refers to is not judged
			}
			want = append(want, planted{p, s})
		}
		g.plant(t, rt, want)
	})
}

// hides reports whether one slip of a class leaves open whether another is one. Not
// all that CUE would have to evaluate is judged under a misspelt class; and what a
// definition of a wrong name says, such as the timing, nobody knows.
func hides(a, b planted) bool {
	if !slices.ContainsFunc(a.classes, func(c string) bool { return slices.Contains(b.classes, c) }) {
		return false
	}
	return strings.HasPrefix(a.wrong, "clas:") || a.text == "#Quick" && (b.text == `nested: "once"` || strings.Contains(b.says, "no effect"))
}

// breaks reports whether a line with a slip is a mistake of syntax.
func breaks(p place, s slip) bool {
	line := strings.TrimLeft(p.before, "\t") + p.write(s.wrong) + "\n" + strings.Repeat("}", nesting(p.text))
	_, err := parser.ParseFile("slip.cue", line)
	return err != nil
}

// nesting is how many structs a line opens and does not close, outside of text.
func nesting(line string) (n int) {
	text := false
	for _, r := range line {
		switch {
		case r == '"':
			text = !text
		case text:
		case r == '{':
			n++
		case r == '}':
			n--
		}
	}
	return n
}

// uses are the places of a text, with that name if it has one.
func (g *garden) uses(text, name string) (out []place) {
	for _, p := range g.places {
		if p.text == text && (p.name == name || !strings.Contains(text, "%s")) {
			out = append(out, p)
		}
	}
	return out
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
