package lint_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/lint"
)

func all(string) bool { return true }

func finding(rule, set, class, field string, s ir.Severity) ir.Diagnostic {
	return ir.Diagnostic{Rule: rule, Set: set, Class: class, Field: field, Severity: s, Message: "m"}
}

func TestBaseline(t *testing.T) {
	found := []ir.Diagnostic{
		finding("missing-jitter", "pay", "charge", "backoff.jitter", ir.Error),
		finding("missing-description", "pay", "charge", "", ir.Warning),
		finding("missing-owner", "pay", "charge", "", ir.Info),
		finding("call-cycle", "pay", "charge", "calls.0", ir.Error),
		finding(ir.InvalidPolicy, "pay", "", "", ir.Error),
		finding("generated-changed", "pay", "", "", ir.Error),
		finding("missing-jitter", "shop", "order", "backoff.jitter", ir.Error),
	}
	b := (*lint.Baseline)(nil).Write(found, ir.Warning, all)
	want := `{
  "version": 1,
  "findings": [
    {"rule":"missing-description","set":"pay","class":"charge","severity":"warning"},
    {"rule":"missing-jitter","set":"pay","class":"charge","field":"backoff.jitter","severity":"error"},
    {"rule":"missing-jitter","set":"shop","class":"order","field":"backoff.jitter","severity":"error"}
  ]
}
`
	if got := string(b.Bytes()); got != want {
		t.Fatalf("wrote\n%s\nwant\n%s", got, want)
	}
	for i, known := range []bool{true, true, false, false, false, false, true} {
		if got := b.Knows(&found[i]); got != known {
			t.Errorf("%s of %s is known: %v", found[i].Rule, found[i].Set, got)
		}
	}
	graver := found[1]
	graver.Severity = ir.Error
	if b.Knows(&graver) {
		t.Error("a finding that has become graver is known")
	}
	// A run over pay alone, where the jitter has been mended.
	pay := func(set string) bool { return set == "pay" }
	if gone := b.Gone(found[1:3], pay); len(gone) != 1 || gone[0].Rule != "missing-jitter" || gone[0].Set != "pay" {
		t.Errorf("gone: %v", gone)
	}
	left := b.Write(found[1:3], ir.Warning, pay).Entries()
	if len(left) != 2 || left[0].Rule != "missing-description" || left[1].Set != "shop" {
		t.Errorf("after a run over pay the baseline has %v", left)
	}
	if (*lint.Baseline)(nil).Knows(&found[0]) || len((*lint.Baseline)(nil).Gone(found, all)) > 0 {
		t.Error("no baseline knows something")
	}
}

func TestBaselineIsRead(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "not a baseline: EOF",
		"[]":                              "not a baseline: a list where an object with version and findings belongs",
		`"x"`:                             "not a baseline: a text where an object with version and findings belongs",
		`{"version": "1"}`:                "not a baseline: version is a text",
		`{"version": 2, "findings": []}`:  "baseline version 2 is not 1",
		`{"version": 1, "finding": []}`:   `not a baseline: json: unknown field "finding"`,
		`{"version": 1} {}`:               "text follows its end",
		`{"version": 1, "findings": [1]}`: "finding 1 of the baseline: a number where an object with rule, set and severity belongs",
		`{"version": 1, "findings": [{"rule": "x", "set": "s", "severity": "error"}]}`:               `no rule is called "x"`,
		`{"version": 1, "findings": [{"rule": "call-cycle", "set": "s", "severity": "error"}]}`:      "call-cycle cannot be in a baseline",
		`{"version": 1, "findings": [{"rule": "missing-owner", "set": "s", "severity": "fatal"}]}`:   `"fatal" is not a severity`,
		`{"version": 1, "findings": [{"rule": "missing-owner", "severity": "error"}]}`:               "names no set",
		`{"version": 1, "findings": [{"rule": "missing-owner", "set": "s", "severity": "error"}]}`:   "",
		"{\"version\": 1,\r\n\"findings\": []}\r\n":                                                  "",
		`{"version": 1, "findings": [{"rule": "missing-owner", "set": "s", "severities": "error"}]}`: "unknown field",
	} {
		_, err := lint.ReadBaseline([]byte(text))
		if want == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// An entry of a list is known by what it is: a new one in its place is new, and an
// old one that has moved is not.
func TestBaselineKnowsEntriesByName(t *testing.T) {
	one := func(class ir.Class) []*ir.Set {
		class.Name, class.Set = "x", "a"
		return []*ir.Set{{Name: "a", Classes: []ir.Class{class}}}
	}
	for _, c := range []struct {
		field         string
		before, after ir.Class
		at            string // of the old one in the new list
	}{
		{"calls.0", ir.Class{Calls: []ir.Call{{Class: "b.y"}}}, ir.Class{Calls: []ir.Call{{Name: "mesh", Attempts: 3}, {Class: "b.y", Remote: true}}}, "calls.1"},
		{"calls.1", ir.Class{Calls: []ir.Call{{Name: "mesh"}, {Name: "mesh"}}}, ir.Class{Calls: []ir.Call{{Name: "mesh"}, {Class: "b.y"}, {Name: "mesh"}}}, "calls.2"},
		{"idempotency.fields.0", ir.Class{Idempotency: ir.Idempotency{Fields: []string{"now"}}}, ir.Class{Idempotency: ir.Idempotency{Fields: []string{"nonce", "now"}}}, "idempotency.fields.1"},
	} {
		before, after := lint.Stable(one(c.before)), lint.Stable(one(c.after))
		old := before(finding("nested-retry", "a", "x", c.field, ir.Warning))
		b := (*lint.Baseline)(nil).Write([]ir.Diagnostic{old}, ir.Warning, all)
		for i := range 3 {
			field := c.field[:len(c.field)-1] + string(rune('0'+i))
			d := after(finding("nested-retry", "a", "x", field, ir.Warning))
			if got, want := b.Knows(&d), field == c.at; got != want {
				t.Errorf("%s as %s in the new list is known: %v, want %v (%s)", c.field, field, got, want, d.Field)
			}
		}
	}
	d := finding("nested-retry", "a", "x", "calls.7", ir.Warning)
	if got := lint.Stable(one(ir.Class{}))(d); got.Field != d.Field {
		t.Errorf("an entry that is not there is %s", got.Field)
	}
}

// What is written is read back, and knows exactly what it was written from.
func TestBaselineRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var found []ir.Diagnostic
		for range rapid.IntRange(0, 20).Draw(t, "n") {
			found = append(found, finding(
				rapid.SampledFrom([]string{"missing-jitter", "tight-retry", "call-cycle", "load-amplification", ir.InvalidPolicy}).Draw(t, "rule"),
				rapid.SampledFrom([]string{"a", "b", "ü\"\\"}).Draw(t, "set"), rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "class"),
				rapid.SampledFrom([]string{"", "attempts", "calls.0"}).Draw(t, "field"),
				rapid.SampledFrom([]ir.Severity{ir.Info, ir.Warning, ir.Error}).Draw(t, "severity"),
			))
		}
		b := (*lint.Baseline)(nil).Write(found, ir.Warning, all)
		read, err := lint.ReadBaseline(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if string(read.Bytes()) != string(b.Bytes()) {
			t.Fatalf("wrote\n%s\nread\n%s", b.Bytes(), read.Bytes())
		}
		for _, d := range found {
			r := lint.Find(d.Rule)
			if want := r != nil && !r.Final && d.Severity >= ir.Warning; want && !read.Knows(&d) {
				t.Fatalf("%v is not known", d)
			} else if (r == nil || r.Final) && read.Knows(&d) {
				t.Fatalf("%v is known", d)
			}
		}
		if gone := read.Gone(found, all); len(gone) > 0 {
			t.Fatalf("gone: %v", gone)
		}
	})
}

func FuzzReadBaseline(f *testing.F) {
	f.Add([]byte(`{"version": 1, "findings": [{"rule": "missing-owner", "set": "s", "severity": "error"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := lint.ReadBaseline(text)
		if err != nil {
			return
		}
		if again, err := lint.ReadBaseline(b.Bytes()); err != nil || string(again.Bytes()) != string(b.Bytes()) {
			t.Fatalf("%v: %s", err, b.Bytes())
		}
	})
}
