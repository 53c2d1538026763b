package compiler_test

import (
	"path/filepath"
	"testing"

	"github.com/retryc/retryc/compiler"
)

// What looks like a habit of another language and is CUE all the same stays as it
// is.
func TestNoHabits(t *testing.T) {
	const class = "class: a: {http: \"GET /a\", attempts: 1, deadline: within: \"1m\"}\n"
	for name, text := range map[string]string{
		"a list that goes on":             "_x: [string, ...string]\n_x: [\"a\", \"b\"]\n",
		"less than a negative number":     "_n: 3\n_x: _n < -1\n",
		"an alias of a label":             "n=_y: {a: 1}\n_z: n.a + 1\n",
		"fields of the author's own":      "_x: {backoff: base: \"1s\", cap: \"5s\"}\n_y: _x.cap\n",
		"a name of time":                  "let time = {Second: 1}\n_x: wait: time.Second\n",
		"a comment behind an import":      "import \"strings\" // text\n_x: strings.ToUpper(\"a\")\n",
		"text of many lines":              "_x: \"\"\"\n\t: a\n\t---\n\tattempts -> 3\n\thttp: GET /a\n\t\"\"\"\n",
		"the value in the line below":     "_x:\n\ta: 1\n",
		"braces in the line below":        "_x:\n{\n\ta: 1\n}\n",
		"a loop in a list":                "_x: [for i, v in [\"a\"] {v + \"-\\(i)\"}]\n",
		"text that looks like code":       "_x: \"else { for n of list: a -> b }\"\n",
		"a name that is not":              "let not = {a: true}\n_x: {if (not.a) {b: 1}}\n_y: _x.b\n",
		"what is embedded behind a field": "#Q: {n: 1}\n_x: {a: #Q, {http: 2}}\n_y: _x.http\n",
		"operators in text":               "_x: \"a <> b ?. if not(a)\"\n",
		"optional fields":                 "#S: {a?: string, b?: {c?: int}}\n_x: #S & {a: \"b\"}\n",
		"names made in one line":          "class: {for n in [\"b\", \"c\"] {(n): {http: \"GET /\\(n)\", attempts: 1, deadline: within: \"1m\", conditions: [\"\\(n)_busy\"], outcome: \"\\(n)_busy\": \"retry\"}}}\n",
		"slices, choices and constraints": "_x: (*\"a\" | string) & =~\"^a\"\n_y: [for v in [1, 2] if v > 1 {v}]\n",
	} {
		base := filepath.FromSlash("/shop")
		// The import has to stand first.
		opt := compiler.Options{Base: base, Overlay: map[string][]byte{filepath.Join(base, "p.cue"): []byte("package shop\n\n" + text + "\n" + class)}}
		results, err := compiler.Compile(opt, []compiler.Folder{{Dir: ".", Named: true}})
		if err != nil {
			t.Fatal(err)
		}
		if results[0].Set == nil {
			t.Errorf("%s: not sound:\n%s", name, printedFor(t, results))
		}
	}
}

// A file that is no text is one mistake, whatever is in it.
func TestNoText(t *testing.T) {
	base := filepath.FromSlash("/shop")
	opt := compiler.Options{Base: base, Overlay: map[string][]byte{
		filepath.Join(base, "a.cue"): []byte("package shop\n\nclass: a: {http: \"GET /a\", attempts: 1, deadline: within: _long}\n"),
		filepath.Join(base, "b.cue"): []byte("\x7fELF\x02\x01\x01\x00\x00\x00{\x00\x03\x00>\x00\xff\xfe\n(\"\x00\x01"),
	}}
	results, err := compiler.Compile(opt, []compiler.Folder{{Dir: ".", Named: true}})
	if err != nil {
		t.Fatal(err)
	}
	if m := results[0].Mistakes; len(m) != 1 || m[0].Message != "the file is not text" || m[0].Span.File != "b.cue" {
		t.Errorf("want one mistake in b.cue:\n%s", printedFor(t, results))
	}
}
