package engine

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func request(method, target string) *http.Request {
	u, err := url.Parse("https://" + target)
	if err != nil {
		panic(err)
	}
	return &http.Request{Method: method, URL: u, Header: http.Header{}}
}

func httpClasses(patterns ...string) []class {
	specs := make([]spec, len(patterns))
	for i, p := range patterns {
		specs[i] = spec{Name: fmt.Sprint(i), Kind: kindHTTP, Pattern: p, Attempts: 1}
	}
	return makeClasses(specs)
}

func TestPatternsMatch(t *testing.T) {
	for _, row := range []struct {
		pattern, method, target string
		want                    bool
	}{
		{"GET api.example/v1/charges", "GET", "api.example/v1/charges", true},
		{"GET api.example/v1/charges", "", "api.example/v1/charges", true},
		{"GET api.example/v1/charges", "HEAD", "api.example/v1/charges", false},
		{"GET api.example/v1/charges", "GET", "API.Example:8443/v1/charges?expand=all", true},
		{"GET api.example/v1/charges", "GET", "api.example./v1/charges", true},
		{"GET api.example/v1/charges", "GET", "other.example/v1/charges", false},
		{"GET api.example/v1/charges", "GET", "api.example/v1/charges/", false},
		{"GET api.example/v1/charges", "GET", "api.example/v1//charges", false},
		{"GET api.example/v1/charges", "GET", "api.example/v1/x/../charges", false},
		{"GET api.example/v1/charges/", "GET", "api.example/v1/charges/", true},
		{"GET /v1/charges", "GET", "any.example/v1/charges", true},
		{"GET [::1]/v1", "GET", "[::1]:80/v1", true},
		{"POST /", "POST", "any.example/", true},
		{"POST /", "POST", "any.example", true},
		{"POST /", "POST", "any.example/x", false},
		{"POST /{rest...}", "POST", "any.example/", true},
		{"POST /{rest...}", "POST", "any.example/a/b/c", true},
		{"GET /a/{rest...}", "GET", "h/a", false},
		{"GET /a/{rest...}", "GET", "h/a/", true},
		{"GET /v1/{id}", "GET", "h/v1/7", true},
		{"GET /v1/{id}", "GET", "h/v1/", false},
		{"GET /v1/{id}", "GET", "h/v1/7/8", false},
		{"GET /v1/{id}", "GET", "h/v1/7:cancel", true},
		{"GET /v1/{id}", "GET", "h/v1/a%2Fb", true},
		{"GET /v1/a b", "GET", "h/v1/a%20b", false}, // refused: written with a space
		{"GET /v1/a%20b", "GET", "h/v1/a%20b", true},
		{"GET /v1/a%2Fb", "GET", "h/v1/a%2Fb", true},
		{"GET /v1/a%2Fb", "GET", "h/v1/a/b", false},
		{"GET /v1/100%25", "GET", "h/v1/100%25", true},
		{"POST /v1/{id}:cancel", "POST", "h/v1/7:cancel", true},
		{"POST /v1/{id}:cancel", "POST", "h/v1/a:b:cancel", true},
		{"POST /v1/{id}:cancel", "POST", "h/v1/:cancel", false},
		{"POST /v1/{id}:cancel", "POST", "h/v1/7", false},
		{"POST /v1/things:batchGet", "POST", "h/v1/things:batchGet", true},
		{"POST /v1/{name...}:cancel", "POST", "h/v1/projects/p/jobs/7:cancel", true},
		{"POST /v1/{name...}:cancel", "POST", "h/v1/projects/p/jobs/7", false},
		{"POST /v1/{name...}:cancel", "POST", "h/v1/:cancel", false},
	} {
		classes := httpClasses(row.pattern)
		r := newRoutes(classes)
		req := request(row.method, row.target)
		if got := r.find(req) != nil; got != row.want {
			t.Errorf("%q finds %s %s: %v, want %v", row.pattern, row.method, row.target, got, row.want)
		}
		if got := r.fits(&classes[0], req); got != row.want {
			t.Errorf("%q fits %s %s: %v, want %v", row.pattern, row.method, row.target, got, row.want)
		}
	}
}

func TestTheMoreSpecificPatternWins(t *testing.T) {
	patterns := []string{
		"GET /{rest...}", "GET /v1/{id}", "GET /v1/special", "GET api.example/{rest...}", "GET /v1/{id}:cancel",
		"GET /v1/{id}/parts", "GET /v1/{a}/{b...}", "POST /graphql", "POST /graphql",
	}
	r := newRoutes(httpClasses(patterns...))
	for target, want := range map[string]string{
		"h/x": "0", "h/v1/7": "1", "h/v1/special": "2", "api.example/v1/special": "3", "h/v1/7:cancel": "4",
		"h/v1/7/parts": "5", "h/v1/special/parts": "5", "h/v1/7/other": "6", "h/v1/": "0",
	} {
		if c := r.find(request("GET", target)); c == nil || c.spec.Name != want {
			t.Errorf("%s is of %+v, want %s", target, c, patterns[want[0]-'0'])
		}
	}
	if c := r.find(request("POST", "h/graphql")); c != nil {
		t.Error("one of two classes that share a pattern was chosen")
	}
}

func TestPatternMistakes(t *testing.T) {
	for _, row := range []struct {
		text   string
		offset int
		says   string
	}{
		{"", 0, "no method"},
		{"/v1", 0, "no method"},
		{" GET /v1", 0, "begins with a space"},
		{"get /v1", 0, "upper case"},
		{"G\"T /v1", 1, "cannot have"},
		{"GET  /v1", 4, "space after"},
		{"GET https://api.example/v1", 4, "names a scheme"},
		{"GET api.example", 15, "no path"},
		{"GET Api.example/v1", 4, "lower case"},
		{"GET api.example:8080/v1", 15, "without a port"},
		{"GET [::1]:80/v1", 9, "without a port"},
		{"GET [::1/v1", 4, "closing"},
		{"GET {host}/v1", 4, "wildcard"},
		{"GET bücher.example/v1", 5, "ASCII form"},
		{"GET api.example./v1", 15, "last dot"},
		{"GET /v1/{id", 8, "whole segment"},
		{"GET /v1/a{id}", 8, "whole segment"},
		{"GET /v1/{id}x", 12, "only a verb"},
		{"GET /v1/{id}:", 12, "only a verb"},
		{"GET /v1/{id}:a:b", 12, "only a verb"},
		{"GET /v1/{}", 9, "wildcard name"},
		{"GET /v1/{$}", 9, "wildcard name"},
		{"GET /v1/{a-b}", 9, "wildcard name"},
		{"GET /{a}/{a}", 9, "used twice"},
		{"GET /{a...}/b", 5, "must be the last"},
		{"GET /{a}:cancel/b", 5, "end of the path"},
		{"GET /v1?x=1", 7, "query"},
		{"GET /v1/%zz", 8, "invalid escape"},
	} {
		_, err := parseHTTPPattern(row.text)
		e, ok := err.(*patternError)
		if !ok || e.Offset != row.offset || !strings.Contains(e.Msg, row.says) {
			t.Errorf("%q: %#v, want %q at %d", row.text, err, row.says, row.offset)
		}
	}
}

func TestFindingAClassAllocatesNothing(t *testing.T) {
	classes := httpClasses("GET api.example/v1/{id}/parts/{part}", "POST /v1/{name...}:cancel", "GET /{rest...}")
	r := newRoutes(classes)
	a, b := request("GET", "api.example:443/v1/7/parts/8?q=1"), request("POST", "h/v1/a/b:cancel")
	if n := testing.AllocsPerRun(100, func() {
		if r.find(a) != &classes[0] || r.find(b) != &classes[1] || !r.fits(&classes[0], a) {
			t.Error("not found")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzPattern(f *testing.F) {
	for _, s := range []string{"GET api.example/v1/{id}:cancel", "POST /{rest...}", "GET /a%2fb/", "PUT [::1]/{a}/{b...}:x", "GET h/v1/?"} {
		f.Add(s, "https://api.example/v1/7:cancel")
	}
	f.Fuzz(func(t *testing.T, text, target string) {
		p, err := parseHTTPPattern(text)
		if err != nil {
			if e, ok := err.(*patternError); !ok || e.Offset < 0 || e.Offset > len(text) || e.Msg == "" {
				t.Fatalf("%q: %#v", text, err)
			}
			return
		}
		u, err := url.Parse(target)
		if err != nil {
			return
		}
		classes := httpClasses(text)
		r := newRoutes(classes)
		req := &http.Request{Method: p.method, URL: u}
		if found, fits := r.find(req) != nil, r.fits(&classes[0], req); found != fits {
			t.Fatalf("%q and %q: the tree says %v, the pattern %v", text, target, found, fits)
		}
	})
}
