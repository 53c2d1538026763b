package engine_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/retryc/retryc/gen/engine"
	"pgregory.net/rapid"
)

func pattern(t testing.TB, k engine.Kind, text string) engine.Pattern {
	t.Helper()
	p, err := engine.ParsePattern(k, text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return p
}

func TestCompare(t *testing.T) {
	for _, row := range []struct {
		kind engine.Kind
		a, b string
		want engine.Relation
	}{
		{engine.KindHTTP, "GET /a", "POST /a", engine.Disjoint},
		{engine.KindHTTP, "GET /a", "GET /a", engine.Equal},
		{engine.KindHTTP, "GET /{x}", "GET /{y}", engine.Equal},
		{engine.KindHTTP, "GET /a", "GET /{x}", engine.Narrower},
		{engine.KindHTTP, "GET /{x...}", "GET /a/b", engine.Wider},
		{engine.KindHTTP, "GET h/a", "GET i/a", engine.Disjoint},
		{engine.KindHTTP, "GET h/{x...}", "GET /a", engine.Narrower},
		{engine.KindHTTP, "GET /a/{x}", "GET /{x}/b", engine.Overlap},
		{engine.KindHTTP, "GET /{x}:go", "GET /{x}", engine.Narrower},
		{engine.KindHTTP, "GET /{x}:go", "GET /a:go", engine.Wider},
		{engine.KindHTTP, "GET /{x}:go", "GET /{x}:stop", engine.Disjoint},
		{engine.KindHTTP, "GET /{x...}:go", "GET /a/{x}", engine.Overlap},
		{engine.KindHTTP, "GET /{x...}:go", "GET /a/{x}:go", engine.Wider},
		{engine.KindHTTP, "GET /a/{x...}", "GET /{x...}", engine.Narrower},
		{engine.KindHTTP, "GET /a/{x...}", "GET /a", engine.Disjoint},
		{engine.KindHTTP, "GET /a%2Fb", "GET /a/b", engine.Disjoint},
		{engine.KindHTTP, "GET /a%20b", "GET /a%20b", engine.Equal},
		{engine.KindGRPC, "p.S/M", "p.S/*", engine.Narrower},
		{engine.KindGRPC, "p.S/*", "p.S/M", engine.Wider},
		{engine.KindGRPC, "p.S/M", "p.S/M", engine.Equal},
		{engine.KindGRPC, "p.S/M", "p.S/N", engine.Disjoint},
		{engine.KindGRPC, "p.S/*", "p.T/*", engine.Disjoint},
		{engine.KindTask, "x", "x", engine.Disjoint},
	} {
		a, b := pattern(t, row.kind, row.a), pattern(t, row.kind, row.b)
		if got := engine.Compare(a, b); got != row.want {
			t.Errorf("%s to %s is %v, want %v", row.a, row.b, got, row.want)
		}
	}
	if got := engine.Compare(pattern(t, engine.KindHTTP, "GET p.s/M"), pattern(t, engine.KindGRPC, "p.S/M")); got != engine.Disjoint {
		t.Errorf("patterns of two kinds are %v", got)
	}
}

func TestParsePattern(t *testing.T) {
	for _, row := range []struct {
		kind   engine.Kind
		text   string
		offset int
		says   string
	}{
		{engine.KindGRPC, "/p.S/M", 0, "without the first"},
		{engine.KindGRPC, "p.S", 3, "lacks"},
		{engine.KindGRPC, "p..S/M", 0, "service"},
		{engine.KindGRPC, "p.S/", 4, "method"},
		{engine.KindGRPC, "p.S/M/N", 4, "method"},
		{engine.KindGRPC, "", 0, "lacks"},
		{engine.KindTask, " ", 0, "description"},
		{engine.KindHTTP, "GET", 0, "no method"},
	} {
		_, err := engine.ParsePattern(row.kind, row.text)
		var e *engine.PatternError
		if !errors.As(err, &e) || e.Offset != row.offset || !strings.Contains(e.Msg, row.says) {
			t.Errorf("%q: %#v, want %q at %d", row.text, err, row.says, row.offset)
		}
	}
	p := pattern(t, engine.KindHTTP, "POST api.example/v1/{id}:cancel")
	if p.Method() != "POST" || p.Host() != "api.example" || p.String() != "POST api.example/v1/{id}:cancel" {
		t.Errorf("%s, %s, %s", p.Method(), p.Host(), p)
	}
	p = pattern(t, engine.KindGRPC, "pkg.v1.Service/*")
	if p.Method() != "*" || p.Host() != "pkg.v1.Service" {
		t.Errorf("%s, %s", p.Method(), p.Host())
	}
}

// Compare agrees with what the patterns match, over all paths of a small world.
func TestCompareIsWhatMatches(t *testing.T) {
	parts := []string{"", "a", "b", "a:x", "b:x", "a:y", ":x", "ab"}
	var world []string
	for _, p := range parts {
		world = append(world, p)
		for _, q := range parts {
			world = append(world, p+"/"+q)
			for _, r := range parts[:6] {
				world = append(world, p+"/"+q+"/"+r)
				for _, last := range []string{"a", "a:x", ":x", ""} {
					world = append(world, p+"/"+q+"/"+r+"/"+last)
				}
			}
		}
	}
	segments := []string{"a", "b", "{p}", "{p}:x", "{p}:y", "a:x", ""}
	ends := append(segments, "{r...}", "{r...}:x")
	path := rapid.Custom(func(t *rapid.T) string {
		text := ""
		for i, n := 0, rapid.IntRange(0, 2).Draw(t, "n"); i < n; i++ {
			s := rapid.SampledFrom([]string{"a", "b", "{p" + string(rune('0'+i)) + "}", "a:x", ""}).Draw(t, "segment")
			text += "/" + s
		}
		return text + "/" + rapid.SampledFrom(ends).Draw(t, "end")
	})
	rapid.Check(t, func(t *rapid.T) {
		ta, tb := "GET "+path.Draw(t, "a"), "GET "+path.Draw(t, "b")
		a, err := engine.ParsePattern(engine.KindHTTP, ta)
		if err != nil {
			t.Fatalf("%q: %v", ta, err)
		}
		b, err := engine.ParsePattern(engine.KindHTTP, tb)
		if err != nil {
			t.Fatalf("%q: %v", tb, err)
		}
		var both, onlyA, onlyB bool
		for _, path := range world {
			req := &http.Request{Method: "GET", URL: &url.URL{Path: "/" + path}}
			inA, inB := engine.Matches(a, req), engine.Matches(b, req)
			both, onlyA, onlyB = both || inA && inB, onlyA || inA && !inB, onlyB || inB && !inA
		}
		want := engine.Overlap
		switch {
		case !both:
			want = engine.Disjoint
		case !onlyA && !onlyB:
			want = engine.Equal
		case !onlyA:
			want = engine.Narrower
		case !onlyB:
			want = engine.Wider
		}
		if got := engine.Compare(a, b); got != want {
			t.Fatalf("%s to %s is %v, and what they match is %v", ta, tb, got, want)
		}
	})
}
