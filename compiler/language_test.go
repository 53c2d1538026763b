package compiler

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/retryc/retryc/compiler/ir"
)

// The schema, the paths of the compiled form and the words of its enums are one
// language: no field and no word is in one only.
func TestOneLanguage(t *testing.T) {
	s := theShape()
	for _, c := range []struct {
		what string
		typ  *typ
		ir   []string
	}{{"class", s.class, ir.Paths()}, {"set", s.policy, ir.SetPaths()}} {
		var paths []string
		var visit func(t *typ, path string)
		visit = func(t *typ, path string) {
			if path != "" {
				paths = append(paths, path)
			}
			if c.what == "set" && path == "class" {
				return
			}
			switch t.kind {
			case structType:
				for _, f := range t.fields {
					visit(f.typ, join(path, f.name))
				}
			case mapType, listType:
				visit(t.elem, join(path, "*"))
			case unionType:
				for _, f := range t.body.fields {
					visit(f.typ, join(path, f.name))
				}
			}
		}
		visit(c.typ, "")
		slices.Sort(paths)
		paths = slices.Compact(paths)
		want := slices.Clone(c.ir)
		slices.Sort(want)
		if !slices.Equal(paths, want) {
			t.Errorf("%s: the schema has\n%q\nthe compiled form\n%q", c.what, paths, want)
		}
	}
	for path, typ := range enums(s.class) {
		words := ir.Words(strings.TrimSuffix(path, ".*"))
		a, b := slices.Sorted(slices.Values(words)), slices.Sorted(slices.Values(typ.words))
		if !slices.Equal(a, b) {
			t.Errorf("%s: the schema has the words %q, the compiled form %q", path, typ.words, words)
		}
		if enumNouns[typ.name] == "" {
			t.Errorf("%s has no noun for messages", typ.name)
		}
	}
	for path := range examples {
		if !slices.Contains(ir.Paths(), path) && !slices.Contains(ir.SetPaths(), path) {
			t.Errorf("an example for %s, which is not of the language", path)
		}
	}
}

func enums(t *typ) map[string]*typ {
	out := map[string]*typ{}
	var visit func(t *typ, path string)
	visit = func(t *typ, path string) {
		switch t.kind {
		case scalarType:
			if t.words != nil {
				out[path] = t
			}
		case structType:
			for _, f := range t.fields {
				visit(f.typ, join(path, f.name))
			}
		case mapType, listType:
			visit(t.elem, join(path, "*"))
		case unionType:
			visit(t.body, path)
		}
	}
	visit(t, "")
	return out
}

// LanguageField is a field of the language as the schema has it, for the tests
// from outside.
type LanguageField struct {
	Path   string   // from the top of a set; "*" is a name of the author's or an index
	Names  []string // of a struct: its fields; of a union: those of its struct
	Kinds  []string // the kinds of literals that it takes
	Judged bool     // whether it refuses some values of a kind that it takes
	Own    bool     // whether its name is the author's, and some names are refused
}

// Language lists the fields of the language.
func Language() []LanguageField {
	var out []LanguageField
	var visit func(t *typ, path string, own bool)
	visit = func(t *typ, path string, own bool) {
		f := LanguageField{Path: path, Own: own}
		scalar := func(t *typ) {
			s := scalars[t.name]
			switch {
			case t.words != nil:
				f.Kinds, f.Judged = append(f.Kinds, "string"), true
			case s.other != 0:
				f.Kinds = append(f.Kinds, kindNames[s.other])
				fallthrough
			default:
				f.Kinds, f.Judged = append(f.Kinds, kindNames[s.kind]), t.name != "bool"
			}
		}
		body := t
		switch t.kind {
		case scalarType:
			scalar(t)
		case listType:
			f.Kinds = []string{"list"}
		case unionType:
			scalar(t.text)
			body = t.body
			fallthrough
		case structType, mapType:
			f.Kinds, f.Names = append(f.Kinds, "struct"), body.names()
		}
		if path != "" {
			out = append(out, f)
		}
		if t.kind == mapType || t.kind == listType {
			visit(t.elem, join(path, "*"), t.kind == mapType)
		}
		for _, x := range body.fields {
			visit(x.typ, join(path, x.name), false)
		}
	}
	visit(theShape().policy, "", false)
	return out
}

var kindNames = map[nodeKind]string{stringNode: "string", numberNode: "number", boolNode: "bool"}

// Every example can be pasted: it is right where it stands.
func TestExamplesAreRight(t *testing.T) {
	for path, text := range examples {
		if strings.Contains(text, "…") {
			continue
		}
		n := (reader{}).text(text)
		if n == nil {
			t.Errorf("%s: %s is not literal", path, text)
			continue
		}
		typ := theShape().class
		if !slices.Contains(ir.Paths(), path) {
			typ = theShape().policy
		}
		for _, name := range strings.Split(path, ".") {
			switch {
			case typ.kind == mapType || typ.kind == listType:
				typ = typ.elem
			case typ.kind == unionType:
				typ = typ.body.field(name).typ
			default:
				typ = typ.field(name).typ
			}
		}
		c := &checker{sources: sources{}}
		c.check(n, typ, path)
		for _, d := range c.mistakes {
			t.Errorf("%s: %s: %s", path, text, d.Message)
		}
	}
}

// What a duration is printed as is read as the same, and so is what Go prints.
func TestDurationsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, math.MaxInt64/2).Draw(t, "d"))
		for _, text := range []string{d.String(), ir.FormatDuration(d)} {
			if got, reason, _ := parseDuration(text); reason != "" || got != d {
				t.Fatalf("%v as %q is read as %v, %s", d, text, got, reason)
			}
		}
	})
}

// What a size is printed as is read as the same.
func TestSizesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 1<<53).Draw(t, "n")
		if got, reason, _ := parseSize(ir.FormatSize(n)); reason != "" || got != n {
			t.Fatalf("%d as %q is read as %d, %s", n, ir.FormatSize(n), got, reason)
		}
	})
}

// Whatever is refused, the suggestion is not.
func TestSuggestionsAreRight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.StringMatching(`-?[0-9]{1,3}(\.[0-9])?`).Draw(t, "number")
		unit := rapid.SampledFrom([]string{"", " s", "sec", "min", "d", "m30", "week", " weeks", "MB", "mib", "KB", "ms", " h", "M"}).Draw(t, "unit")
		if _, reason, right := parseDuration(number + unit); reason != "" && right != "" {
			if _, again, _ := parseDuration(right); again != "" {
				t.Fatalf("%q: suggested %q: %s", number+unit, right, again)
			}
		}
		if _, reason, right := parseSize(number + unit); reason != "" && right != "" {
			if _, again, _ := parseSize(right); again != "" && !strings.Contains(again, "more than 0") && !strings.Contains(again, "whole number") {
				t.Fatalf("%q: suggested %q: %s", number+unit, right, again)
			}
		}
	})
}

func FuzzUnits(f *testing.F) {
	for _, s := range []string{"10s", "1.5d", "-5s", "5m30", "8MiB", "1e3s", "٣s", "9999999999999999999s", ".5s", "1.s", "."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, reason, right := parseDuration(s)
		if reason == "" && d < 0 {
			t.Fatalf("%q is read as %v", s, d)
		}
		if std, err := time.ParseDuration(s); err == nil && reason == "" && std != d {
			t.Fatalf("%q is %v, Go reads %v", s, d, std)
		}
		if right != "" {
			if _, again, _ := parseDuration(right); again != "" {
				t.Fatalf("%q: suggested %q: %s", s, right, again)
			}
		}
		if n, reason, _ := parseSize(s); reason == "" && n <= 0 {
			t.Fatalf("%q is read as %d bytes", s, n)
		}
	})
}
