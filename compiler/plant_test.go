package compiler_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
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

// A planted mistake replaces one line of a sound class by a wrong one.
type planted struct {
	old, wrong string
	says       string // part of the message
	offset     int    // lines from the replaced one to the one to edit
}

var plantable = []planted{
	{"\tattempts: 3\n", "\tatempts: 3\n", `unknown field "atempts"`, 0},
	{"\tattempts: 3\n", "\tattempts: 300\n", "300 is not a number of attempts", 0},
	{"\tattempts: 3\n", "\tattempts: \"3\"\n", `"3" is not a number of attempts`, 0},
	{"\tattempts: 3\n", "\tattempts: 3 4\n", `"4" cannot stand here`, 0},
	{"\tattempts: 3\n", "\tattempts: int\n", "attempts has no value", 0},
	{"\tattemptTimeout: \"10s\"\n", "\tattemptTimeout: \"10 s\"\n", `"10 s" is not a duration`, 0},
	{"\tattemptTimeout: \"10s\"\n", "\tattemptTimeout: 10s\n", "10s needs quotes", 0},
	{"\tattemptTimeout: \"10s\"\n", "\tattemptTimeout: _wait\n", "nothing is named _wait", 0},
	{"\tdeadline: within: \"2m\"\n", "\tdeadline: withn: \"2m\"\n", `unknown field "withn"`, 0},
	{"\tdeadline: within: \"2m\"\n", "\tdeadline: {within: \"2m\", mode: \"extend\", extendAtMost: \"1h\"}\n", "no effect inline", 0},
	{"\tdeadline: within: \"2m\"\n", "\tdeadline: \"2m\"\n", `deadline is "2m"`, 0},
	{"\tbackoff: {base: \"1s\", cap: \"9s\"}\n", "\tbackoff: {base: \"10s\", cap: \"9s\"}\n", "below base", 0},
	{"\tbackoff: {base: \"1s\", cap: \"9s\"}\n", "\tbackoff: {base: \"1s\", cap: \"9s\", jitter: \"ful\"}\n", `"ful" is not a kind of jitter`, 0},
	{"\towner: \"team\"\n", "\towner: \"team\" & \"other\"\n", "owner has two values", 0},
	{"\towner: \"team\"\n", "\towner: \"\"\n", "owner is empty", 0},
	{"\toutcome: \"409\": \"reread\"\n", "\toutcome: \"49\": \"reread\"\n", `"49" is no HTTP status`, 0},
	{"\toutcome: \"409\": \"reread\"\n", "\toutcome: \"409\": \"rered\"\n", `"rered" is not an outcome`, 0},
}

// Two to six mistakes at random places of random policies: exactly those are
// found, each at its line and with its own message.
func TestPlantedMistakes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(7, 12).Draw(rt, "classes")
		how := rapid.IntRange(2, 6).Draw(rt, "mistakes")
		bodies := make([]string, n)
		for i := range bodies {
			bodies[i] = fmt.Sprintf("// Class %d.\nclass: c%d: {\n\thttp: \"GET api.example/v1/c%d\"\n\tattempts: 3\n\tattemptTimeout: \"10s\"\n\tdeadline: within: \"2m\"\n\tbackoff: {base: \"1s\", cap: \"9s\"}\n\towner: \"team\"\n\toutcome: \"409\": \"reread\"\n}\n\n", i, i, i)
		}
		type expected struct {
			class int
			what  planted
		}
		var want []expected
		at := rapid.Permutation(seq(n)).Draw(rt, "where")
		for _, class := range at[:how] {
			what := rapid.SampledFrom(plantable).Draw(rt, "what")
			bodies[class] = strings.Replace(bodies[class], what.old, what.wrong, 1)
			want = append(want, expected{class, what})
		}
		text := "package shop\n\n" + strings.Join(bodies, "")
		base := filepath.FromSlash("/shop")
		opt := compiler.Options{Base: base, Overlay: map[string][]byte{filepath.Join(base, "shop.cue"): []byte(text)}}
		results, err := compiler.Compile(opt, []compiler.Folder{{Dir: ".", Named: true}})
		if err != nil {
			rt.Fatal(err)
		}
		got := results[0].Mistakes
		show := printedFor(t, results)
		if len(got) != how {
			rt.Fatalf("%d mistakes, planted %d:\n%s\n%s", len(got), how, show, text)
		}
		for _, w := range want {
			start := strings.Index(text, fmt.Sprintf("class: c%d: {", w.class))
			line := 1 + strings.Count(text[:start+strings.Index(text[start:], w.what.wrong)], "\n") + w.what.offset
			found := false
			for _, d := range got {
				found = found || d.Span.Start.Line == line && strings.Contains(d.Message, w.what.says)
			}
			if !found {
				rt.Fatalf("not found at line %d: %s\n%s", line, w.what.says, show)
			}
		}
		if results[0].Partial == nil {
			rt.Fatal("no partial set")
		}
		for _, c := range results[0].Partial.Classes {
			for _, w := range want {
				if c.Name == fmt.Sprintf("c%d", w.class) {
					rt.Fatalf("class %s has a mistake and is among the sound ones", c.Name)
				}
			}
		}
		if len(results[0].Partial.Classes) != n-how {
			rt.Fatalf("%d of %d classes are sound, planted %d", len(results[0].Partial.Classes), n, how)
		}
	})
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
