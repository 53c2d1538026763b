package lint_test

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/retryc/retryc/compiler"
	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/lint"
)

// checked compiles and lints policies in memory, whatever mistakes they have.
func checked(t testing.TB, files []txtar.File) *lint.Checked {
	t.Helper()
	base := filepath.FromSlash("/policies")
	opt := compiler.Options{Base: base, Overlay: map[string][]byte{}}
	var folders []compiler.Folder
	for _, f := range files {
		opt.Overlay[filepath.Join(base, filepath.FromSlash(f.Name))] = f.Data
		dir := compiler.Folder{Dir: path.Dir(f.Name), Named: true}
		if strings.HasSuffix(f.Name, ".cue") && !strings.Contains(f.Name, "cue.mod") && !slices.Contains(folders, dir) {
			folders = append(folders, dir)
		}
	}
	results, err := compiler.Compile(opt, folders)
	if err != nil {
		t.Fatal(err)
	}
	out := &lint.Checked{}
	for _, r := range results {
		out.Mistakes = append(append(out.Mistakes, r.Mistakes...), r.Warnings...)
		if r.Set != nil {
			out.Sets = append(out.Sets, r.Set)
		}
	}
	out.Results = lint.Run(out.Sets, lint.Options{Today: today})
	return out
}

func mend(t testing.TB, files []txtar.File) *lint.Mended {
	t.Helper()
	source := func(name string) []byte {
		for _, f := range files {
			if f.Name == name {
				return f.Data
			}
		}
		return nil
	}
	done, err := lint.Mend(lint.Mending{Source: source, Check: func(texts map[string][]byte) (*lint.Checked, error) {
		with := slices.Clone(files)
		for i := range with {
			if text, ok := texts[with[i].Name]; ok {
				with[i].Data = text
			}
		}
		return checked(t, with), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// A fix that is safe where it stands is not made where it would reach further.
// after is "" where nothing may change; why is part of the reason.
func TestFixesThatDoNotHold(t *testing.T) {
	const (
		c   = "http: \"GET d.example/one\", attempts: 3, attemptTimeout: \"2s\", deadline: within: \"20s\""
		two = "http: \"GET d.example/two\", attempts: 3, attemptTimeout: \"2s\", deadline: within: \"20s\""
		b   = "backoff: {base: \"200ms\", cap: \"2s\"}"
	)
	for _, x := range []struct{ what, before, after, why string }{
		{"a value that is written twice",
			"// One.\nclass: one: {" + c + ", " + b + "}\nclass: one: backoff: jitter: \"none\"\nclass: one: backoff: {jitter: \"none\"}\n", "",
			"has a mistake"},
		{"a constraint elsewhere refuses the new value",
			"// One.\nclass: one: {" + c + ", backoff: {base: \"200ms\", cap: \"2s\", jitter: \"none\"}}\nclass: [string]: backoff: jitter: \"none\" | \"equal\"\n", "",
			"has a mistake"},
		{"another class refers to the field that would go",
			"// One.\nclass: one: {" + c + ", " + b + ", outcome: {\"404\": \"retry\", \"500\": \"retry\"}}\n// Two.\nclass: two: {" + two + ", " + b + ", outcome: \"500\": class.one.outcome[\"404\"]}\n", "",
			"has a mistake"},
		{"another class refers to the value",
			"// One.\nclass: one: {" + c + ", backoff: {base: \"200ms\", cap: \"2s\", jitter: \"none\"}}\n// Two.\nclass: two: {" + two + ", backoff: class.one.backoff, waive: \"missing-jitter\": {reason: \"one client\", until: \"2027-01-01\"}}\n", "",
			"it would change p.two, too (backoff)"},
		{"a class that says nothing of itself takes the value over",
			"// One.\nclass: one: {" + c + ", " + b + ", outcome: \"401\": \"retry\"}\n// Two.\nclass: two: {" + two + ", " + b + ", outcome: \"500\": class.one.outcome[\"401\"]}\n", "",
			"it would change p.two, too (outcome.500)"},
		{"classes of one comprehension, one of which waives it",
			"class: {for n in [\"one\", \"two\"] {(n): {\n\t// Does it.\n\thttp: \"GET d.example/\\(n)\", attempts: 3, attemptTimeout: \"2s\", deadline: within: \"20s\", backoff: {base: \"200ms\", cap: \"2s\", jitter: \"none\"}}}}\nclass: two: waive: \"missing-jitter\": {reason: \"x\", until: \"2027-01-01\"}\n", "",
			"it would change p.two, too"},
		{"of several those that hold are made",
			"// One.\nclass: one: {" + c + ", " + b + ", outcome: {\"404\": \"retry\", \"422\": \"retry\", \"410\": \"retry\", \"500\": \"retry\"}}\n// Two.\nclass: two: {" + two + ", " + b + ", outcome: \"500\": class.one.outcome[\"422\"]}\n",
			"// One.\nclass: one: {" + c + ", " + b + ", outcome: {\"422\": \"retry\", \"500\": \"retry\"}}\n// Two.\nclass: two: {" + two + ", " + b + ", outcome: \"500\": class.one.outcome[\"422\"]}\n",
			"has a mistake"},
	} {
		const head = "package p\n\n"
		files := []txtar.File{{Name: "p/p.cue", Data: []byte(head + x.before)}}
		if first := checked(t, files); len(first.Mistakes) > 0 {
			t.Fatalf("%s: not a valid policy: %v", x.what, first.Mistakes)
		}
		done := mend(t, files)
		got := head + x.before
		if text, ok := done.Files["p/p.cue"]; ok {
			got = string(text)
		}
		want := head + x.after
		if x.after == "" {
			want = head + x.before
		}
		if got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", x.what, got, want)
		}
		if !slices.ContainsFunc(done.Refused, func(r lint.Refused) bool { return strings.Contains(r.Why, x.why) }) {
			t.Errorf("%s: refused %+v", x.what, done.Refused)
		}
	}
}

// A waiver that is needed does not become idle by a fix, and then go: somebody
// gave a reason for it. One that never was needed goes.
func TestNeededWaiversStay(t *testing.T) {
	files := []txtar.File{{Name: "p/p.cue", Data: []byte(`package p

// One.
class: one: {
	http: "GET d.example/one", attempts: 3, attemptTimeout: "2s", deadline: within: "20s"
	backoff: {base: "200ms", cap: "2s"}
	retryAfter: mode: "ignore"
	waive: "throttled-like-dropped": {reason: "the server has no limits", until: "2027-01-01"}
	waive: "tight-retry": {reason: "never needed", until: "2027-01-01"}
}
`)}}
	done := mend(t, files)
	text := string(done.Files["p/p.cue"])
	if !strings.Contains(text, "no limits") || strings.Contains(text, "never needed") || len(done.Applied) != 1 ||
		len(done.Refused) != 1 || !strings.Contains(done.Refused[0].Why, "waiver-unused") {
		t.Errorf("applied %v, refused %+v:\n%s", done.Applied, done.Refused, text)
	}
}

// Sets share texts by imports: what a fix in one does to the other counts.
func TestFixesReachOtherSets(t *testing.T) {
	files := []txtar.File{
		{Name: "cue.mod/module.cue", Data: []byte("module: \"shop.example\"\nlanguage: version: \"v0.9.0\"\n")},
		{Name: "p/p.cue", Data: []byte("package p\n\n// One.\nclass: one: {http: \"GET d.example/one\", attempts: 3, attemptTimeout: \"2s\", deadline: within: \"20s\", backoff: {base: \"200ms\", cap: \"2s\", jitter: \"none\"}}\n")},
		{Name: "q/q.cue", Data: []byte("package q\n\nimport \"shop.example/p\"\n\n// Two.\nclass: two: {http: \"GET d.example/two\", attempts: 3, attemptTimeout: \"2s\", deadline: within: \"20s\", backoff: p.class.one.backoff}\n")},
	}
	if first := checked(t, files); len(first.Mistakes) > 0 || len(first.Sets) != 2 {
		t.Fatalf("not valid policies: %v", first.Mistakes)
	}
	done := mend(t, files)
	if len(done.Files) > 0 || len(done.Refused) != 1 || !strings.Contains(done.Refused[0].Why, "q.two") {
		t.Errorf("refused %+v, wrote %s", done.Refused, done.Files)
	}
}

// Whatever the corpus and the archives hold, mending keeps its promises: no class
// means anything else but in the fields of findings that were fixed, no finding is
// new, and a second pass finds nothing to do.
func TestMendingHolds(t *testing.T) {
	type policy struct {
		name    string
		files   []txtar.File
		refuses bool // some fixes may not hold
	}
	var all []policy
	for _, r := range lint.Rules() {
		p, err := lint.PageOf(r.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range p.Bad {
			all = append(all, policy{r.ID + "/" + e.Name, e.Files, false})
		}
	}
	paths, err := filepath.Glob(filepath.Join("..", "testdata", "lint", "*", "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no corpus", err)
	}
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, policy{path, a.Files[:len(a.Files)-1], true})
	}
	applied := 0
	for _, p := range all {
		done := mend(t, p.files)
		applied += len(done.Applied)
		if len(done.Refused) > 0 && !p.refuses {
			t.Errorf("%s: refused %+v", p.name, done.Refused)
		}
		files := slices.Clone(p.files)
		for i := range files {
			if text, ok := done.Files[files[i].Name]; ok {
				files[i].Data = text
			}
		}
		if again := mend(t, files); len(again.Applied) > 0 {
			t.Errorf("%s: a second pass fixes %v", p.name, again.Applied)
		}
		before := map[string]int{}
		for _, d := range done.Before.Results.Findings {
			before[d.Rule+d.Class+d.Field]++
		}
		after := checked(t, files)
		for _, d := range slices.Concat(after.Mistakes, after.Results.Findings) {
			if before[d.Rule+d.Class+d.Field] == 0 {
				t.Errorf("%s: mending brings %s", p.name, text(t, after.Sets, []ir.Diagnostic{d}))
			}
		}
	}
	if applied < 12 {
		t.Errorf("%d fixes made", applied)
	}
}

// What the edit says is not believed: the finding has to be gone, and the code to
// mean what the finding asked for.
func TestFixesAreJudgedByWhatTheyGive(t *testing.T) {
	policy := func(outcome string) []txtar.File {
		return []txtar.File{{Name: "p/p.cue", Data: []byte("package p\n\n// One.\nclass: one: {\n\thttp: \"GET d.example/one\", attempts: 3, attemptTimeout: \"2s\", deadline: within: \"20s\", backoff: {base: \"200ms\", cap: \"2s\"}\n\toutcome: " + outcome + "\n}\n")}}
	}
	for _, c := range []struct{ before, gives, why string }{
		{`{"404": "retry"}`, `{"404": "retry"}`, "is found all the same"},
		{`{"404": "retry"}`, `{"404": "success"}`, "404 means something else than the finding asks for"},
		{`{"501": "retry"}`, `{"501": "success"}`, "501 means something else than the finding asks for"},
		{`{"401": "retry"}`, `{"401": "success"}`, "401 means something else than the finding asks for"},
		{`{"404": "retry"}`, `{"404": "terminal"}`, ""},
	} {
		before := policy(c.before)
		done, err := lint.Mend(lint.Mending{
			Source: func(string) []byte { return before[0].Data },
			Check: func(texts map[string][]byte) (*lint.Checked, error) {
				if len(texts) == 0 {
					return checked(t, before), nil
				}
				return checked(t, policy(c.gives)), nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case c.why == "" && len(done.Applied) != 1:
			t.Errorf("%s, which gives %s: refused %+v", c.before, c.gives, done.Refused)
		case c.why != "" && (len(done.Applied) > 0 || len(done.Refused) != 1 || !strings.Contains(done.Refused[0].Why, c.why)):
			t.Errorf("%s, which gives %s: applied %v, refused %+v", c.before, c.gives, done.Applied, done.Refused)
		}
	}
}
