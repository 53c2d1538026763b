package compiler_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"github.com/retryc/retryc/compiler"
	"github.com/retryc/retryc/schema"
)

// bulk writes a set of n classes: literal ones, or such that share values.
func bulk(n int, shared bool) string {
	var b strings.Builder
	b.WriteString("package bulk\n\nlet wait = \"10s\"\n\n#Quick: {attempts: 3, attemptTimeout: wait, backoff: {base: \"200ms\", cap: *\"5s\" | _}}\n\n")
	for i := range n {
		if shared {
			fmt.Fprintf(&b, "// Class %d.\nclass: c%d: {\n\t#Quick\n\thttp: \"POST api.example/v1/c%d/{id}\"\n\tdeadline: within: \"2m\"\n\tidempotency: {source: \"fields\", fields: [\"order_id\"]}\n\toutcome: \"409\": \"reread\"\n}\n\n", i, i, i)
			continue
		}
		fmt.Fprintf(&b, "// Class %d.\nclass: c%d: {\n\thttp: \"POST api.example/v1/c%d/{id}\"\n\tattempts: 3\n\tattemptTimeout: \"10s\"\n\tbackoff: {base: \"200ms\", cap: \"5s\"}\n\tdeadline: within: \"2m\"\n\tidempotency: {source: \"fields\", fields: [\"order_id\"]}\n\toutcome: \"409\": \"reread\"\n}\n\n", i, i, i)
	}
	if !shared {
		return strings.Replace(b.String(), "let wait = \"10s\"\n\n#Quick: {attempts: 3, attemptTimeout: wait, backoff: {base: \"200ms\", cap: *\"5s\" | _}}\n\n", "", 1)
	}
	return b.String()
}

func bulkOptions(text string) (compiler.Options, []compiler.Folder) {
	base := filepath.FromSlash("/bulk")
	return compiler.Options{Base: base, Overlay: map[string][]byte{filepath.Join(base, "bulk.cue"): []byte(text)}}, []compiler.Folder{{Dir: ".", Named: true}}
}

// Evaluating some classes at a time gives what evaluating all at once gives,
// mistakes included.
func TestBatches(t *testing.T) {
	for _, text := range []string{
		bulk(45, true),
		strings.Replace(bulk(45, true), "class: c20: {\n\t#Quick", "class: c20: {\n\t#Quick\n\tattempts: 4\n\tbackoff: jitter: \"ful\"", 1),
		strings.Replace(bulk(45, true), "#Quick: {", "#Wrong: attempts: 3 & 4\n_x: \"a\" & \"b\"\n#Quick: {", 1),
		strings.Replace(bulk(45, true), "#Quick: {", "lint: \"missing-owner\": _level\n_level: \"fatal\"\n#Quick: {", 1),
		strings.Replace(bulk(45, true), "cap: *\"5s\" | _", "cap: *\"5 s\" | _", 1),
		strings.Replace(bulk(45, true), "class: c3: {\n\t#Quick", "class: c3: {\n\t#Quick\n\towner: class.c44.http", 1),
		strings.Replace(bulk(45, true), "class: c3: {\n\t#Quick", "class: {\n\tc3: owner: c4.owner\n\tc4: owner: \"four\"\n}\nclass: c3: {\n\t#Quick", 1),
		strings.Replace(bulk(45, true), "class: c3: {\n\t#Quick", "class: [string]: owner: *\"all\" | string\nclass: c3: {\n\t#Quick", 1),
	} {
		opt, folders := bulkOptions(text)
		undo := compiler.BatchSize(10)
		some, err := compiler.Compile(opt, folders)
		undo()
		if err != nil {
			t.Fatal(err)
		}
		all, err := compiler.Compile(opt, folders)
		if err != nil {
			t.Fatal(err)
		}
		a, sources := said(some)
		b, _ := said(all)
		if x, y := printed(t, a, sources), printed(t, b, sources); x != y {
			t.Errorf("in batches\n%s\nat once\n%s", x, y)
		}
		if !reflect.DeepEqual(some[0].Set, all[0].Set) {
			t.Errorf("sets differ")
		}
		if all[0].Set != nil && len(all[0].Set.Classes) != 45 {
			t.Errorf("%d classes", len(all[0].Set.Classes))
		}
	}
}

// One mistake among ten thousand classes is one message, at its line.
func TestOneMistakeAmongMany(t *testing.T) {
	const n = 10000
	for _, shared := range []bool{false, true} {
		text := strings.Replace(bulk(n, shared), "c7777/{id}\"", "c7777/{id}\"\n\tnestd: \"once\"", 1)
		opt, folders := bulkOptions(text)
		results, err := compiler.Compile(opt, folders)
		if err != nil {
			t.Fatal(err)
		}
		r := results[0]
		if len(r.Mistakes) != 1 || !strings.Contains(r.Mistakes[0].Message, `"nestd"`) || r.Mistakes[0].Class != "c7777" {
			t.Fatalf("%d mistakes: %v", len(r.Mistakes), r.Mistakes)
		}
		if line := 1 + strings.Count(text[:strings.Index(text, "nestd")], "\n"); r.Mistakes[0].Span.Start.Line != line {
			t.Errorf("line %d, want %d", r.Mistakes[0].Span.Start.Line, line)
		}
		if r.Partial == nil || len(r.Partial.Classes) != n-1 {
			t.Error("the sound classes are not among the partial set")
		}
	}
}

// vet does what cue vet does: it unifies the policy with the schema and
// validates, in one context. The rules between fields are left out, since they
// make it slower: the comparison is with the best that cue vet can do.
func vet(t testing.TB, text string) {
	t.Helper()
	ctx := build.NewContext()
	load := func(_ token.Pos, path string) *build.Instance {
		if path != schema.ImportPath {
			return nil
		}
		i := ctx.NewInstance(path, nil)
		i.ImportPath = path
		for _, name := range schema.Names() {
			if name == "rules.cue" {
				continue
			}
			f, err := parser.ParseFile(name, schema.File(name))
			if err != nil {
				t.Fatal(err)
			}
			if err := i.AddSyntax(f); err != nil {
				t.Fatal(err)
			}
		}
		if err := i.Complete(); err != nil {
			t.Fatal(err)
		}
		return i
	}
	i := ctx.NewInstance("", load)
	text = strings.Replace(text, "package bulk\n", "package bulk\n\nimport \""+schema.ImportPath+"\"\n\nschema.#Policy\n", 1)
	f, err := parser.ParseFile("bulk.cue", text)
	if err != nil {
		t.Fatal(err)
	}
	if err := i.AddSyntax(f); err != nil {
		t.Fatal(err)
	}
	if err := i.Complete(); err != nil {
		t.Fatal(err)
	}
	if err := cuecontext.New().BuildInstance(i).Validate(cue.Concrete(true)); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkCompile compares compiling with what cue vet does for validation
// alone, within one run: ratio is the time of the first by that of the second.
func BenchmarkCompile(b *testing.B) {
	for _, shared := range []bool{false, true} {
		kind := map[bool]string{false: "literal", true: "shared"}[shared]
		for _, n := range []int{10, 1000, 10000} {
			b.Run(fmt.Sprintf("%s/%d", kind, n), func(b *testing.B) {
				text := bulk(n, shared)
				opt, folders := bulkOptions(text)
				var ours, theirs time.Duration
				var ourBytes, theirBytes uint64
				for b.Loop() {
					ourBytes += allocated(func() {
						start := time.Now()
						r, err := compiler.Compile(opt, folders)
						ours += time.Since(start)
						if err != nil || len(r[0].Mistakes) > 0 || len(r[0].Set.Classes) != n {
							b.Fatal(err, r[0].Mistakes)
						}
					})
					theirBytes += allocated(func() {
						start := time.Now()
						vet(b, text)
						theirs += time.Since(start)
					})
				}
				b.ReportMetric(float64(ours)/float64(theirs), "ratio")
				b.ReportMetric(float64(ours.Microseconds())/float64(b.N)/float64(n), "µs/class")
				b.ReportMetric(float64(ourBytes)/float64(theirBytes), "bytes-ratio")
			})
		}
	}
}

func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
