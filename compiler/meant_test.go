package compiler_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retryc/retryc/compiler"
)

// CUE that only a policy can mean is a set for "./...", whatever mistake keeps it
// from being one; CUE of other tools is none.
func TestMeant(t *testing.T) {
	const class = `{http: "GET /a", attempts: 1, deadline: within: "1m"}`
	for _, text := range []string{
		// a slip of the keyboard, whatever the value
		"clas: 3", "calss: true", "Class: []", "CLASS: _", "\"clas\": \"POST /a\"", "clases: \"POST /a\"", "clsas: {}", "xclass: 1",
		"clas?: a: {}", "\uFEFFclas: 3", "   clas: 3",
		// further off: what it holds
		"classes: a: " + class, "classes: [" + class + "]", "klases: a: attempts: 3", "classes: " + class,
		"let classes = {a: " + class + "}", "#class: a: " + class, "_class: a: " + class,
		"classes: #all\n#all: a: " + class,
		// in what makes classes
		"for x in [1] {class: \"a\\(x)\": {}}", "if true {clas: 3}", "{class: {}}", "if true {{class: {}}}",
		// in another field
		"policy: class: a: " + class, "policy: {owner: 1, class: {a: " + class + "}}",
		"operation: a: " + class, "charge: " + class, "operations: {a: 1, b: " + class + "}",
		// by reference
		"#P: class: a: {}\n#P", "_P: class: {}\nif true {_P}", "#P: class: {}\n#Q: #P\n#Q & {go: {}}", "#lib: P: class: {}\n#lib.P", "let P = {class: {}}\nP",
		"import \"x.example/lib\"\nlib.#P", "import l \"x.example/lib\"\n(l.#P)", "import \"x.example/lib\"\n#Q: lib.#Over\n#Q", "#P: *{class: a: {}} | {}\n#P", "#P: class: a: {}\n#P" + strings.Repeat(" & {}", 300),
		"#P: {_n: 1, if _n > 0 {class: a: {}}}\n#P",
		// with a mistake of syntax
		"for n in [\"a\", \"b\"]\n\tclass: (n): {}", "for n in [\"a\"] class: (n): {}", "for n in [\"a\" {\n\tclass: (n): {\n\t\thttp: \"GET\"\n\t}\n}",
		"_x: 10s\nif true {\n  class: a: " + class + "\n}", "if x\n{\n\tclas: {}", "class \"a\" {", "class = a: {}\n}", "clas a: {", "'class': {", "policy: {\n\tclass: a: " + class,
		"classes: a: " + class + "}", "#P: class: a: {}\n#P\nx: 10s",
	} {
		if !isSet(t, text) {
			t.Errorf("not taken for a policy set:\n%s", text)
		}
	}
	for _, text := range []string{
		"", "// class: a: {}", "x: 1", "glass: {big: 1}", "clash: true", "clasp: {class: 1}", "lass: {}",
		"classes: [\"math\", \"art\"]", "classes: {web: http: [\"/\"]}", "classes: web: http: port: 80", "classes: 3", "Classes: {}",
		"spec: ingress: class: \"nginx\"", "spec: class: {a: {http: \"GET /\"}, b: {attempts: 3}}", "#Class: {attempts: 3}", "_class: 3", "#class: string",
		"#Quick: {attempts: 3, deadline: within: \"1s\"}", "#Shared: class: a: " + class, "_shared: class: a: " + class, "#P: class: a: {}", "#P: class: {}\nx: #P",
		"import \"x.example/lib\"\nx: lib.#P", "import \"x.example/lib\"\nlib.#Other", "import \"x.example/lib\"\nlib.#Optional", "import \"x.example/none\"\nnone.#P", "import \"list\"\nlist.#P",
		"#A: #B\n#B: #A\n#A", "#A: " + strings.Repeat("#A & ", 300) + "#A\n#A", "let class = 3\nx: class", "import \"github.com/retryc/retryc/schema\"\nschema.#Policy",
		"services: web: {http: \"/\", deadline: \"1s\"}", "#operations: a: " + class, "metadata: labels: class: \"a\"\nhttp: port: 80\ndeadline: 3\n",
		// with a mistake of syntax
		"spec: {\n\tclass: \"nginx\"\n", "x: {", "// class: a\nx: {", "x: 10s\nglass: 1", "spec: ingress: {\n\tclass: \"nginx\"\n\thttp: port: 80\n",
	} {
		if isSet(t, text) {
			t.Errorf("taken for a policy set:\n%s", text)
		}
	}
}

// isSet reports whether a folder with that text is found beside another set, in a
// module with a package of definitions.
func isSet(t *testing.T, text string) bool {
	t.Helper()
	base := filepath.FromSlash("/meant")
	overlay := map[string][]byte{}
	for name, text := range map[string]string{
		"cue.mod/module.cue": "module: \"x.example\"\nlanguage: version: \"v0.9.0\"\n",
		"lib/lib.cue":        "package lib\n\n#P: class: a: {}\n#Over: #P & {go: {}}\n#Other: x: 1\n#Optional: class?: [string]: {}\n",
		"good/g.cue":         "package good\n\n" + sound,
		"it/p.cue":           "package p\n\n" + text + "\n",
	} {
		overlay[filepath.Join(base, filepath.FromSlash(name))] = []byte(text)
	}
	folders, err := compiler.Find(compiler.Options{Base: base, Overlay: overlay}, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, f := range folders {
		found = found || f.Dir == "it"
		if f.Dir == "lib" {
			t.Errorf("the package of definitions is taken for a policy set")
		}
	}
	return found
}

// Where no set is found, the files that were looked at are named.
func TestNoSet(t *testing.T) {
	for _, c := range []struct {
		files map[string]string
		want  string
	}{
		{map[string]string{"readme.txt": "class: {}"}, "no policy set in ./...: there is no CUE file"},
		{map[string]string{"d/a.cue": "\uFEFF\r\n"}, "no policy set in ./...: d/a.cue is empty"},
		{map[string]string{"a.cue": "// class: {}\n"}, "no policy set in ./...: a.cue has nothing but comments"},
		{map[string]string{"a.cue": "package a\n"}, "no policy set in ./...: a.cue has no field class"},
		{map[string]string{"a.cue": "@ignore()\npackage a\n"}, "no policy set in ./...: a.cue is left out by @ignore"},
		{map[string]string{"a.cue": "", "b.cue": "x: 1\n"}, "no policy set in ./...: a.cue is empty, b.cue has no field class"},
		{map[string]string{"a.cue": "", "b.cue": "x: 1\n", "c.cue": ""}, "no policy set in ./...: none of a.cue, b.cue and c.cue has a field class"},
		{map[string]string{"a.cue": "", "b.cue": "x: 1\n", "c.cue": "", "d.cue": "", "e.cue": ""}, "no policy set in ./...: none of a.cue, b.cue, c.cue and 2 more has a field class"},
	} {
		dir := onDisk(t, c.files)
		_, err := compiler.Find(compiler.Options{Base: dir}, nil)
		if !errors.Is(err, compiler.ErrNoSet) || err.Error() != c.want {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
