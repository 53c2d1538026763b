package engine

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// seen is what a test server was asked.
type seen struct {
	mu       sync.Mutex
	requests []*http.Request
	bodies   []string
}

func (s *seen) add(r *http.Request) int {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	s.bodies = append(s.bodies, string(body))
	return len(s.requests)
}

func (s *seen) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

func (s *seen) keys() (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		all = append(all, r.Header.Get("Idempotency-Key"))
	}
	return all
}

// serve starts a server that answers the n-th request with the n-th status, and
// with the last one from then on.
func serve(t testing.TB, statuses ...int) (*seen, string) {
	t.Helper()
	s := &seen{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := s.add(r)
		status := statuses[min(n, len(statuses))-1]
		w.WriteHeader(status)
		fmt.Fprintf(w, "answer %d", n)
	}))
	t.Cleanup(server.Close)
	return s, server.URL
}

// quick makes a class with short waits of requests that match pattern.
func quick(pattern string, change ...func(*spec)) spec {
	s := spec{
		Set: "test", Name: "work", KeyName: "work", Kind: kindHTTP, Pattern: pattern, Effect: effectIdempotent,
		Attempts: 3, Within: time.Minute, Base: time.Millisecond, Factor: 2, Cap: 2 * time.Millisecond,
		KeyHeader: "Idempotency-Key",
	}
	for _, c := range change {
		c(&s)
	}
	return s
}

func keyed(s *spec) { s.KeySource, s.KeyFields, s.Effect = keyFromFields, 1, effectNonIdempotent }

// clientOf is a client with a connection pool of its own and the classes' policies.
func clientOf(t testing.TB, options *Options, specs ...spec) (*http.Client, []class) {
	t.Helper()
	classes := makeClasses(specs)
	base := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(base.CloseIdleConnections)
	return &http.Client{Transport: newTransport(newRoutes(classes), base, []*Options{options})}, classes
}

func mustNotErr(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, resp *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(resp.Body)
	mustNotErr(t, err)
	resp.Body.Close()
	return string(text)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
