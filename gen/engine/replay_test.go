package engine

import (
	"context"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
)

// leaving answers each request with GOAWAY below its stream: nothing was processed.
func leaving(c h2conn, stream uint32) { c.goAway(stream-1, 0) }

// What net/http would repeat by itself, on a connection after the other, the policy
// repeats where the request has a body.
func TestAServerThatGoesAwayIsAskedAtThePolicysPace(t *testing.T) {
	for name, row := range map[string]struct {
		body io.Reader
		want int
	}{
		"GetBody":    {strings.NewReader("amount=1"), 3},
		"rewound":    {&seekCloser{strings.NewReader("amount=1")}, 3},
		"not at all": {once(), 1},
	} {
		t.Run(name, func(t *testing.T) {
			url, base, connections := serveH2(t, leaving)
			heard := &recorder{}
			classes := makeClasses([]spec{quick("POST /work", func(s *spec) { s.Effect = effectNonIdempotent })}) // and keyless
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)                                       // net/http would go on for ever
			defer cancel()
			_, err := newTransport(newRoutes(classes), base, []*Options{{Observer: heard}}).RoundTrip(post(url, row.body).WithContext(ctx))
			e := wantGaveUp(t, err, ReasonExhausted, row.want)
			if e.Condition != "refused" || e.MaybeApplied || int(connections.Load()) != row.want || heard.count(AttemptStarted) != row.want {
				t.Errorf("%d connections, %+v", connections.Load(), e)
			}
		})
	}
}

// seekCloser is a body without GetBody, which can be rewound.
type seekCloser struct{ io.ReadSeeker }

func (*seekCloser) Close() error { return nil }

func TestAServerThatComesBack(t *testing.T) {
	url, base, connections := serveH2(t, func(c h2conn, stream uint32) {
		if c.number == 1 {
			leaving(c, stream)
		} else {
			c.ok(stream)
		}
	})
	classes := makeClasses([]spec{quick("POST /work", keyed)})
	call := classes[0].callFields("order-1")
	req := post(url, strings.NewReader("amount=1"))
	resp, err := newTransport(newRoutes(classes), base, nil).RoundTrip(req.WithContext(WithCall(t.Context(), call)))
	mustNotErr(t, err)
	resp.Body.Close()
	if reason, attempts := Result(resp); resp.StatusCode != 200 || reason != "" || attempts != 2 || connections.Load() != 2 {
		t.Errorf("%s, %q after %d, %d connections", resp.Status, reason, attempts, connections.Load())
	}
}

// What net/http repeats within one attempt, because there is no body or no attempt
// left that would repeat it, is slowed down.
func TestWhatNetHTTPRepeatsIsPaced(t *testing.T) {
	for _, row := range []struct {
		name   string
		method string
		body   io.Reader
		change func(*spec)
	}{
		{"no body", "GET", nil, func(*spec) {}},
		{"NoBody", "GET", http.NoBody, func(*spec) {}},
		{"a single attempt", "POST", strings.NewReader("amount=1"), func(s *spec) { s.Attempts, s.Base, s.Cap = 1, 0, 0 }},
		{"deferred", "POST", strings.NewReader("amount=1"), scheduled},
	} {
		t.Run(row.name, func(t *testing.T) {
			url, base, connections := serveH2(t, leaving)
			classes := makeClasses([]spec{quick(row.method+" /work", func(s *spec) {
				s.Base, s.Cap, s.Jitter = 100*time.Millisecond, time.Second, jitterNone
				row.change(s)
				s.AttemptTimeout, s.Within = 500*time.Millisecond, 100*time.Millisecond // one attempt
			})})
			req, err := http.NewRequest(row.method, url+"/work", row.body)
			mustNotErr(t, err)
			_, err = newTransport(newRoutes(classes), base, nil).RoundTrip(req)
			if err == nil {
				t.Fatal("nobody answers")
			}
			// 3 at once, then after 100, 200 and 400 ms; net/http asks up to twice for each.
			if n := connections.Load(); n < 2 || n > 6 {
				t.Errorf("%d connections in half a second: %v", n, err)
			}
		})
	}
}

// The clone of an attempt, and nothing else, goes without GetBody.
func TestGetBodyIsTheCallers(t *testing.T) {
	for scheme, want := range map[string][]bool{"https": {false}, "http": {true}} {
		classes := makeClasses([]spec{quick("POST /work")})
		var has []bool
		base := roundTripper(func(r *http.Request) (*http.Response, error) {
			has = append(has, r.GetBody != nil)
			return &http.Response{StatusCode: 200, Body: http.NoBody, Header: http.Header{}, Request: r}, nil
		})
		transport := newTransport(newRoutes(classes), base, nil)
		transport.replays = true // as over net/http's own
		req := post(scheme+"://api.example", strings.NewReader("x"))
		resp, err := transport.RoundTrip(req)
		mustNotErr(t, err)
		resp.Body.Close()
		if !reflect.DeepEqual(has, want) || req.GetBody == nil {
			t.Errorf("%s: %v, want %v", scheme, has, want)
		}
	}
	if newTransport(newRoutes(nil), roundTripper(nil), nil).replays || !newTransport(newRoutes(nil), nil, nil).replays {
		t.Error("net/http's transport is not told from others")
	}
}
