package engine

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestTransportRepeats(t *testing.T) {
	s, url := serve(t, 503, 503, 200)
	client, _ := clientOf(t, nil, quick("GET /work"))
	resp, err := client.Get(url + "/work")
	mustNotErr(t, err)
	if text := read(t, resp); resp.StatusCode != 200 || text != "answer 3" || s.count() != 3 {
		t.Errorf("%s %q after %d", resp.Status, text, s.count())
	}
	if reason, attempts := Result(resp); reason != "" || attempts != 3 {
		t.Errorf("Result says %q after %d", reason, attempts)
	}
}

func TestTransportReturnsTheLastResponseOpen(t *testing.T) {
	s, url := serve(t, 503)
	client, _ := clientOf(t, nil, quick("GET /work"))
	client.Timeout = time.Minute // wraps the body once more
	resp, err := client.Get(url + "/work")
	mustNotErr(t, err)
	if text := read(t, resp); resp.StatusCode != 503 || text != "answer 3" || s.count() != 3 {
		t.Errorf("%s %q after %d", resp.Status, text, s.count())
	}
	if reason, attempts := Result(resp); reason != ReasonExhausted || attempts != 3 {
		t.Errorf("Result says %q after %d", reason, attempts)
	}
	if resp.Request.URL.Path != "/work" {
		t.Errorf("the response is of %v", resp.Request.URL)
	}
}

func TestTransportPassesThroughWhatIsOfNoClass(t *testing.T) {
	s, url := serve(t, 503)
	heard := &recorder{}
	client, _ := clientOf(t, &Options{Observer: heard}, quick("GET /work"))
	resp, err := client.Get(url + "/other")
	mustNotErr(t, err)
	read(t, resp)
	if s.count() != 1 || heard.count(PassedThrough) != 1 || len(heard.events) != 1 {
		t.Errorf("%d requests, heard %+v", s.count(), heard.events)
	}
	if reason, attempts := Result(resp); reason != "" || attempts != 0 {
		t.Errorf("Result says %q after %d", reason, attempts)
	}
}

func TestTransportKey(t *testing.T) {
	for _, row := range []struct {
		name    string
		change  func(*spec)
		header  string
		call    bool
		want    string // of each attempt; "*": a drawn one
		n       int
		limited bool
	}{
		{"of the call", keyed, "", true, "KEY", 3, false},
		{"the header wins", keyed, "mine", true, "mine", 3, false},
		{"of the header alone", keyed, "mine", false, "mine", 3, false},
		{"none: once", keyed, "", false, "", 1, true},
		{"drawn", func(s *spec) { s.KeySource = keyRandom }, "", false, "*", 3, false},
		{"put in by the app", func(s *spec) { keyed(s); s.KeySent = sentByApp }, "", true, "", 3, false},
		{"quoted", func(s *spec) { keyed(s); s.KeyQuote = true }, "", true, `"KEY"`, 3, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, url := serve(t, 503, 503, 200)
			heard := &recorder{}
			client, classes := clientOf(t, &Options{Observer: heard}, quick("POST /work", row.change))
			req, _ := http.NewRequest("POST", url+"/work", strings.NewReader("amount=1"))
			call := classes[0].callFields("order-1")
			if row.call {
				req = req.WithContext(WithCall(req.Context(), call))
			}
			if row.header != "" {
				req.Header.Set("Idempotency-Key", row.header)
			}
			before := req.Header.Clone()
			resp, err := client.Do(req)
			mustNotErr(t, err)
			read(t, resp)
			keys := s.keys()
			want := strings.ReplaceAll(row.want, "KEY", string(call.Key()))
			if want == "*" {
				if want = keys[0]; len(want) != 36 {
					t.Errorf("drew %q", want)
				}
			}
			if len(keys) != row.n {
				t.Fatalf("%d attempts, want %d", len(keys), row.n)
			}
			for i := range keys {
				if keys[i] != want || s.bodies[i] != "amount=1" {
					t.Errorf("attempt %d has key %q and body %q, want %q", i+1, keys[i], s.bodies[i], want)
				}
			}
			if limited := reflect.DeepEqual(heard.limits(), []Limit{LimitUnkeyed}); limited != row.limited {
				t.Errorf("heard %v", heard.limits())
			}
			if !reflect.DeepEqual(before, req.Header) {
				t.Errorf("the caller's request was written to: %v", req.Header)
			}
		})
	}
}

func TestWithCall(t *testing.T) {
	s, url := serve(t, 200)
	client, classes := clientOf(t, nil,
		quick("POST /graphql", keyed, func(s *spec) { s.Name = "a" }),
		quick("POST /graphql", keyed, func(s *spec) { s.Name = "b"; s.KeyName = "b" }))
	call := classes[1].callFields("x")
	ctx := WithCall(t.Context(), call)
	for _, target := range []string{"POST /graphql", "GET /graphql", "POST /other"} {
		method, path, _ := strings.Cut(target, " ")
		req, _ := http.NewRequestWithContext(ctx, method, url+path, nil)
		resp, err := client.Do(req)
		mustNotErr(t, err)
		read(t, resp)
	}
	if got, want := s.keys(), []string{string(call.Key()), "", ""}; !reflect.DeepEqual(got, want) {
		t.Errorf("keys %q, want %q: a call is honoured only where the request fits its class", got, want)
	}
	req, _ := http.NewRequestWithContext(WithCall(t.Context(), Call{}), "POST", url+"/graphql", strings.NewReader("x"))
	if _, err := client.Do(req); !errors.Is(err, errNoClass) || s.count() != 3 {
		t.Errorf("a zero Call: %v after %d", err, s.count())
	}
	ctx = WithCall(t.Context(), classes[0].callFields(""))
	req, _ = http.NewRequestWithContext(ctx, "POST", url+"/graphql", strings.NewReader("x"))
	_, err := client.Do(req)
	if wantGaveUp(t, err, ReasonPrecondition, 0); s.count() != 3 {
		t.Error("a call without an identity was sent")
	}
}

// Point 8: the call of an attempt is adopted by the transport below it, another
// class's is nested.
func TestPoint08TransportAdopts(t *testing.T) {
	s, url := serve(t, 503)
	client, classes := clientOf(t, nil, quick("POST /work", keyed), quick("GET /other", func(s *spec) { s.Name = "other" }))
	call := classes[0].callFields("x")
	heard := &recorder{}
	_, err := Do(With(t.Context(), &Options{Observer: heard}), call, func(ctx context.Context, a Attempt) (int, error) {
		req, _ := http.NewRequestWithContext(ctx, "POST", url+"/work", strings.NewReader("x"))
		return 0, a.Response(client.Do(req))
	})
	wantGaveUp(t, err, ReasonExhausted, 3)
	if got, k := s.keys(), string(call.Key()); !reflect.DeepEqual(got, []string{k, k, k}) {
		t.Errorf("keys %q, want 3 times %q", got, k)
	}
	if heard.count(AttemptStarted) != 3 || heard.count(TriedOnce) != 0 {
		t.Errorf("an attempt is heard twice: %+v", heard.events)
	}
	s, url = serve(t, 503)
	_, err = Do(t.Context(), call, func(ctx context.Context, a Attempt) (int, error) {
		req, _ := http.NewRequestWithContext(ctx, "GET", url+"/other", nil)
		return 0, a.Response(client.Do(req))
	})
	wantGaveUp(t, err, ReasonExhausted, 3)
	if got := s.keys(); !reflect.DeepEqual(got, []string{"", "", ""}) {
		t.Errorf("keys %q, want 3 requests without one", got)
	}
}

func TestStackedTransportsDoNotMultiply(t *testing.T) {
	s, url := serve(t, 503)
	client, classes := clientOf(t, nil, quick("GET /work"))
	client.Transport = newTransport(newRoutes(classes), client.Transport, nil)
	resp, err := client.Get(url + "/work")
	mustNotErr(t, err)
	read(t, resp)
	if s.count() != 3 {
		t.Errorf("%d requests, want 3", s.count())
	}
	s, url = serve(t, 503)
	client, _ = clientOf(t, nil, quick("GET /work"))
	client.Transport = newTransport(newRoutes(makeClasses([]spec{quick("GET /{rest...}")})), client.Transport, nil)
	resp, err = client.Get(url + "/work")
	mustNotErr(t, err)
	read(t, resp)
	if s.count() != 3 {
		t.Errorf("%d requests below another class, want 3", s.count())
	}
}

func TestServerDelayInTheTransport(t *testing.T) {
	var n atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/work":
			if n.Add(1) == 1 {
				w.Header().Set("Retry-After-Ms", "150")
				w.WriteHeader(429)
			}
		default:
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(503)
			fmt.Fprint(w, "later")
		}
	}))
	defer server.Close()
	client, _ := clientOf(t, nil, quick("GET /work"), quick("GET /down"))
	began := time.Now()
	resp, err := client.Get(server.URL + "/work")
	mustNotErr(t, err)
	if read(t, resp); resp.StatusCode != 200 || time.Since(began) < 150*time.Millisecond {
		t.Errorf("%s after %v", resp.Status, time.Since(began))
	}
	began = time.Now()
	resp, err = client.Get(server.URL + "/down")
	mustNotErr(t, err)
	if text := read(t, resp); text != "later" || time.Since(began) > 10*time.Second {
		t.Errorf("%q after %v", text, time.Since(began))
	}
	if reason, attempts := Result(resp); reason != ReasonDeadline || attempts != 1 {
		t.Errorf("Result says %q after %d", reason, attempts)
	}
}

func TestRefreshInTheTransport(t *testing.T) {
	var token atomic.Value
	token.Store("old")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "new" {
			w.WriteHeader(401)
		}
	}))
	defer server.Close()
	client, _ := clientOf(t, &Options{Refresh: func(context.Context, string, error) error { token.Store("new"); return nil }}, quick("GET /work"))
	signer := client.Transport.(*transport)
	base := signer.base
	signer.base = roundTripper(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", token.Load().(string))
		return base.RoundTrip(r)
	})
	resp, err := client.Get(server.URL + "/work")
	mustNotErr(t, err)
	read(t, resp)
	if reason, attempts := Result(resp); resp.StatusCode != 200 || reason != "" || attempts != 2 {
		t.Errorf("%s, %q after %d", resp.Status, reason, attempts)
	}
}

func TestCancelDuringAWait(t *testing.T) {
	_, url := serve(t, 503)
	client, _ := clientOf(t, nil, quick("GET /work", func(s *spec) { s.Base, s.Cap, s.Jitter = time.Minute/2, time.Minute/2, jitterNone }))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(30*time.Millisecond, cancel)
	req, _ := http.NewRequestWithContext(ctx, "GET", url+"/work", nil)
	_, err := client.Do(req)
	e := wantGaveUp(t, err, ReasonCanceled, 1)
	if !errors.Is(err, context.Canceled) || e.Condition != "503" {
		t.Errorf("%+v", e)
	}
}

// A 2xx that the policy repeats names its time like any other answer.
func TestServerDelayOfASuccessThatIsRepeated(t *testing.T) {
	var n atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1) == 1 {
			w.Header().Set("Retry-After-Ms", "150")
			w.WriteHeader(202)
		}
	}))
	defer server.Close()
	repeat := func(s *spec) { s.Outcomes = []outcomeRule{{"202", retryable}} }
	client, classes := clientOf(t, nil, quick("GET /work", repeat))
	began := time.Now()
	resp, err := client.Get(server.URL + "/work")
	mustNotErr(t, err)
	if read(t, resp); resp.StatusCode != 200 || time.Since(began) < 150*time.Millisecond {
		t.Errorf("%s after %v", resp.Status, time.Since(began))
	}
	n.Store(0)
	began = time.Now()
	err = Run(t.Context(), classes[0].call(), func(ctx context.Context, a Attempt) error {
		return a.Response(server.Client().Get(server.URL + "/work"))
	})
	if err != nil || time.Since(began) < 150*time.Millisecond {
		t.Errorf("Do: %v after %v", err, time.Since(began))
	}
}

// Result speaks of the request's own call, not of the one around it.
func TestResultBelowAnAttempt(t *testing.T) {
	_, url := serve(t, 200)
	client, classes := clientOf(t, nil, quick("GET /work"), quick("GET /other", func(s *spec) { s.Name = "other" }))
	task := retrying(func(s *spec) { s.Pattern = "GET /none" }) // text, and no pattern
	for _, outer := range []*class{&classes[0], task} {
		err := Run(t.Context(), outer.call(), func(ctx context.Context, a Attempt) error {
			for path, want := range map[string]int{"/work": 1, "/other": 1, "/none": 0} {
				req, _ := http.NewRequestWithContext(ctx, "GET", url+path, nil)
				resp, err := client.Do(req)
				mustNotErr(t, err)
				read(t, resp)
				if reason, attempts := Result(resp); reason != "" || attempts != want {
					t.Errorf("%s below %s: %q after %d, want %d", path, outer.spec.Pattern, reason, attempts, want)
				}
			}
			return nil
		})
		mustNotErr(t, err)
	}
}

func cancelWithField(req *http.Request, cancel <-chan struct{}) *http.Request {
	//lint:ignore SA1019 what is tested
	req.Cancel = cancel
	return req
}

// The Cancel of a request, which http.Request still has, ends waits and attempts as
// its context does.
func TestARequestsOwnCancel(t *testing.T) {
	stall := make(chan struct{})
	var n atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1); r.URL.Path == "/stall" {
			<-stall
		}
		w.WriteHeader(503)
	}))
	defer server.Close()
	defer close(stall)
	long := func(s *spec) { s.Base, s.Cap, s.Jitter = time.Minute/2, time.Minute/2, jitterNone }
	for _, path := range []string{"/work", "/stall"} {
		client, _ := clientOf(t, nil, quick("GET "+path, long))
		n.Store(0)
		cancel := make(chan struct{})
		time.AfterFunc(50*time.Millisecond, func() { close(cancel) })
		req, _ := http.NewRequest("GET", server.URL+path, nil)
		cancelWithField(req, cancel)
		began := time.Now()
		_, err := client.Transport.RoundTrip(req)
		if wantGaveUp(t, err, ReasonCanceled, 1); time.Since(began) > 10*time.Second || n.Load() != 1 || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v after %v and %d requests", path, err, time.Since(began), n.Load())
		}
		_, err = client.Transport.RoundTrip(req) // and before
		if wantGaveUp(t, err, ReasonCanceled, 0); n.Load() != 1 {
			t.Errorf("%s: a canceled request was sent", path)
		}
	}
	t.Run("offline", func(t *testing.T) {
		base := roundTripper(func(*http.Request) (*http.Response, error) { return nil, Offline(nil) })
		online := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		cancel := make(chan struct{})
		time.AfterFunc(50*time.Millisecond, func() { close(cancel) })
		req, _ := http.NewRequest("GET", "http://api.example/work", nil)
		cancelWithField(req, cancel)
		_, err := newTransport(newRoutes(makeClasses([]spec{quick("GET /work")})), base, []*Options{{Online: online}}).RoundTrip(req)
		if e := wantGaveUp(t, err, ReasonCanceled, 1); e.Elapsed > 10*time.Second {
			t.Errorf("%+v", e)
		}
	})
}
