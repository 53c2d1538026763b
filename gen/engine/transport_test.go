package engine

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
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

// A redirect continues the call: class, key, count.
func TestRedirectContinuesTheCall(t *testing.T) {
	s := &seen{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := s.add(r)
		switch {
		case r.URL.Path == "/work" && n == 1:
			w.WriteHeader(503)
		case r.URL.Path == "/work":
			http.Redirect(w, r, "/moved", http.StatusTemporaryRedirect)
		case n == 3:
			w.WriteHeader(503)
		default:
			fmt.Fprint(w, "done")
		}
	}))
	defer server.Close()
	client, classes := clientOf(t, nil, quick("POST /work", keyed))
	call := classes[0].callFields("x")
	req, _ := http.NewRequestWithContext(WithCall(t.Context(), call), "POST", server.URL+"/work", strings.NewReader("body"))
	resp, err := client.Do(req)
	mustNotErr(t, err)
	if text := read(t, resp); text != "done" || s.count() != 4 {
		t.Fatalf("%s %q after %d requests", resp.Status, text, s.count())
	}
	for i, key := range s.keys() {
		if key != string(call.Key()) || s.bodies[i] != "body" {
			t.Errorf("request %d has key %q and body %q", i+1, key, s.bodies[i])
		}
	}
	if reason, attempts := Result(resp); reason != "" || attempts != 3 {
		t.Errorf("Result says %q after %d, want 3: the hop is no attempt of its own", reason, attempts)
	}
}

func TestARedirectToAnotherMethodCarriesNoKey(t *testing.T) {
	s := &seen{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.add(r); r.URL.Path == "/work" {
			http.Redirect(w, r, "/made", http.StatusSeeOther)
		}
	}))
	defer server.Close()
	heard := &recorder{}
	client, _ := clientOf(t, &Options{Observer: heard}, quick("POST /work", func(s *spec) { s.KeySource = keyRandom }))
	resp, err := client.Post(server.URL+"/work", "text/plain", strings.NewReader("x"))
	mustNotErr(t, err)
	read(t, resp)
	if keys := s.keys(); len(keys) != 2 || keys[0] == "" || keys[1] != "" || heard.count(TriedOnce) != 0 {
		t.Errorf("keys %q, heard %+v", keys, heard.events)
	}
}

func TestRedirectSpendsNoFurtherAttempts(t *testing.T) {
	s := &seen{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := s.add(r)
		if r.URL.Path == "/work" && n <= 2 {
			w.WriteHeader(503)
		} else if r.URL.Path == "/work" {
			http.Redirect(w, r, "/moved", http.StatusSeeOther)
		} else {
			w.WriteHeader(503)
		}
	}))
	defer server.Close()
	client, _ := clientOf(t, nil, quick("PUT /work"))
	req, _ := http.NewRequest("PUT", server.URL+"/work", strings.NewReader("body"))
	resp, err := client.Do(req)
	mustNotErr(t, err)
	read(t, resp)
	if reason, attempts := Result(resp); s.count() != 4 || reason != ReasonExhausted || attempts != 3 {
		t.Errorf("%d requests, %q after %d, want 3 attempts, the last with its hop", s.count(), reason, attempts)
	}
}

func TestBodies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "photo")
	mustNotErr(t, os.WriteFile(path, []byte("--photo"), 0o600))
	file := func() io.Reader {
		f, err := os.Open(path)
		mustNotErr(t, err)
		f.Seek(2, io.SeekStart) // a body begins where it stands
		return f
	}
	for _, row := range []struct {
		name string
		body func() io.Reader
		n    int
	}{
		{"GetBody", func() io.Reader { return strings.NewReader("photo") }, 3},
		{"a file", file, 3},
		{"a stream", func() io.Reader { return io.MultiReader(strings.NewReader("photo")) }, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, url := serve(t, 503, 503, 200)
			heard := &recorder{}
			client, _ := clientOf(t, &Options{Observer: heard}, quick("PUT /work"))
			body := &closeCounter{Reader: row.body()}
			req, _ := http.NewRequest("PUT", url+"/work", body.Reader)
			if f, ok := body.Reader.(*os.File); ok {
				req.Body = &seekCounter{f, body}
			}
			resp, err := client.Do(req)
			mustNotErr(t, err)
			read(t, resp)
			if s.count() != row.n {
				t.Errorf("%d attempts, want %d", s.count(), row.n)
			}
			for i, got := range s.bodies {
				if got != "photo" {
					t.Errorf("attempt %d sent %q", i+1, got)
				}
			}
			if once := reflect.DeepEqual(heard.limits(), []Limit{LimitNotRewindable}); once != (row.n == 1) {
				t.Errorf("heard %v", heard.limits())
			}
			if _, ok := body.Reader.(*os.File); ok {
				eventually(t, func() bool { return body.closed.Load() == 1 }, "the file is closed once")
			}
		})
	}
}

// closeCounter counts Close.
type closeCounter struct {
	io.Reader
	closed atomic.Int32
}

type seekCounter struct {
	*os.File
	counter *closeCounter
}

func (s *seekCounter) Close() error {
	s.counter.closed.Add(1)
	return s.File.Close()
}

// eventually waits for what happens on a goroutine of net/http.
func eventually(t *testing.T, ok func() bool, what string) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not so: %s", what)
		}
	}
}

func TestTheFirstErrorStaysVisible(t *testing.T) {
	client, _ := clientOf(t, nil, quick("PUT /work"))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	mustNotErr(t, err)
	address := listener.Addr().String()
	listener.Close()
	req, _ := http.NewRequest("PUT", "http://"+address+"/work", io.MultiReader(strings.NewReader("x")))
	_, err = client.Do(req)
	e := wantGaveUp(t, err, ReasonExhausted, 1)
	var dial *net.OpError
	if !errors.As(err, &dial) || e.Limit != LimitNotRewindable || e.Condition != "unsent" || e.MaybeApplied {
		t.Errorf("%+v", e)
	}
}

func TestABodyIsClosedWhereNothingIsSent(t *testing.T) {
	_, url := serve(t, 200)
	client, _ := clientOf(t, nil, quick("PUT /work"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	body := &closeCounter{Reader: strings.NewReader("x")}
	req, _ := http.NewRequestWithContext(ctx, "PUT", url+"/work", readCloser{body})
	_, err := client.Transport.RoundTrip(req)
	wantGaveUp(t, err, ReasonCanceled, 0)
	if body.closed.Load() != 1 {
		t.Errorf("closed %d times", body.closed.Load())
	}
}

type readCloser struct{ *closeCounter }

func (r readCloser) Close() error { r.closed.Add(1); return nil }

// A server that answers before it has read the body: attempts do not share what
// they read from. The race detector sees where they do.
func TestAnEarlyAnswerDoesNotRace(t *testing.T) {
	var n atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1) < 3 {
			w.WriteHeader(503)
			return
		}
		if size, _ := io.Copy(io.Discard, r.Body); size != 4<<20 {
			t.Errorf("the last attempt sent %d bytes", size)
		}
	}))
	defer server.Close()
	path := filepath.Join(t.TempDir(), "big")
	mustNotErr(t, os.WriteFile(path, make([]byte, 4<<20), 0o600))
	f, err := os.Open(path)
	mustNotErr(t, err)
	client, _ := clientOf(t, nil, quick("PUT /work", func(s *spec) { s.Attempts = 5 }))
	req, _ := http.NewRequest("PUT", server.URL+"/work", f)
	req.ContentLength = 4 << 20
	resp, err := client.Do(req)
	mustNotErr(t, err)
	if read(t, resp); resp.StatusCode != 200 {
		t.Errorf("%s after %d", resp.Status, n.Load())
	}
}

// Retried responses are drained and closed, so that a pool of one connection does
// not block, and a body that stalls does not hold the call.
func TestRetriedResponsesLetGo(t *testing.T) {
	var n atomic.Int32
	remotes := map[string]bool{}
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch n.Add(1) {
		case 1, 2:
			remotes[r.RemoteAddr] = true
			w.WriteHeader(503)
			w.Write(make([]byte, 16<<10))
		case 3:
			w.WriteHeader(503)
			w.(http.Flusher).Flush()
			<-release
		default:
			fmt.Fprint(w, "done")
		}
	}))
	defer server.Close()
	defer close(release)
	client, _ := clientOf(t, nil, quick("GET /work", func(s *spec) { s.Attempts = 4 }))
	client.Transport.(*transport).base.(*http.Transport).MaxConnsPerHost = 1
	began := time.Now()
	resp, err := client.Get(server.URL + "/work")
	mustNotErr(t, err)
	if text := read(t, resp); text != "done" || len(remotes) != 1 || time.Since(began) > 10*time.Second {
		t.Errorf("%q over %d connections in %v", text, len(remotes), time.Since(began))
	}
}

func TestAttemptTimeoutCoversTheBody(t *testing.T) {
	slow := make(chan struct{})
	var n atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1) == 1 {
			select { // no headers within the timeout
			case <-slow:
			case <-r.Context().Done():
			}
			return
		}
		fmt.Fprint(w, strings.Repeat("x", 100<<10))
		w.(http.Flusher).Flush()
		if r.URL.Query().Has("stall") {
			select {
			case <-slow:
			case <-r.Context().Done():
			}
		}
	}))
	defer server.Close()
	defer close(slow)
	client, _ := clientOf(t, nil, quick("GET /work", func(s *spec) { s.AttemptTimeout = 300 * time.Millisecond }))
	resp, err := client.Get(server.URL + "/work")
	mustNotErr(t, err)
	time.Sleep(20 * time.Millisecond) // a late read, within the timeout
	if text := read(t, resp); len(text) != 100<<10 || n.Load() != 2 {
		t.Errorf("%d bytes after %d attempts", len(text), n.Load())
	}
	resp, err = client.Get(server.URL + "/work?stall")
	mustNotErr(t, err)
	if _, err = io.ReadAll(resp.Body); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a body that stalls ends with %v", err)
	}
	resp.Body.Close()
}

func TestASwitchedConnectionIsLeftAlone(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, rw, _ := w.(http.Hijacker).Hijack()
		defer conn.Close()
		rw.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		rw.Flush()
		line, _ := rw.ReadString('\n')
		rw.WriteString(line)
		rw.Flush()
	}))
	defer server.Close()
	client, _ := clientOf(t, nil, quick("GET /work", func(s *spec) { s.AttemptTimeout = 5 * time.Second }))
	req, _ := http.NewRequest("GET", server.URL+"/work", nil)
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "echo")
	resp, err := client.Do(req)
	mustNotErr(t, err)
	conn, ok := resp.Body.(io.ReadWriteCloser)
	if !ok || resp.StatusCode != 101 {
		t.Fatalf("%s with a body of %T", resp.Status, resp.Body)
	}
	defer conn.Close()
	io.WriteString(conn, "hello\n")
	got := make([]byte, 6)
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != "hello\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// Point 8: the call of an attempt is adopted by the transport below it, another
// class's is nested.
func TestPoint08TransportAdopts(t *testing.T) {
	s, url := serve(t, 503)
	client, classes := clientOf(t, nil, quick("POST /work", keyed), quick("GET /other", func(s *spec) { s.Name = "other" }))
	call := classes[0].callFields("x")
	_, err := Do(t.Context(), call, func(ctx context.Context, a Attempt) (int, error) {
		req, _ := http.NewRequestWithContext(ctx, "POST", url+"/work", strings.NewReader("x"))
		return 0, a.Response(client.Do(req))
	})
	wantGaveUp(t, err, ReasonExhausted, 3)
	if got, k := s.keys(), string(call.Key()); !reflect.DeepEqual(got, []string{k, k, k}) {
		t.Errorf("keys %q, want 3 times %q", got, k)
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

// Point 10: a certificate that does not verify is one attempt.
func TestPoint10Certificate(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = nil
	server.StartTLS()
	defer server.Close()
	heard := &recorder{}
	client, _ := clientOf(t, &Options{Observer: heard}, quick("GET /work", func(s *spec) {
		s.Outcomes = []outcomeRule{{"error", retryable}, {"unsent", retryable}, {"connection", retryable}}
	}))
	_, err := client.Get(server.URL + "/work")
	e := wantGaveUp(t, err, ReasonRejected, 1)
	var unverified *tls.CertificateVerificationError
	if !errors.As(err, &unverified) || e.MaybeApplied {
		t.Errorf("%+v", e)
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

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

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

func TestResponse(t *testing.T) {
	c := retrying(asHTTP, func(s *spec) { s.Outcomes = []outcomeRule{{"404", success}} })
	for _, row := range []struct {
		status int
		ok     bool
	}{{200, true}, {304, true}, {404, true}, {503, false}, {400, false}} {
		body := &closeCounter{Reader: strings.NewReader("text")}
		resp := &http.Response{StatusCode: row.status, Status: http.StatusText(row.status), Body: readCloser{body}, Header: http.Header{}}
		err := Attempt{class: c}.Response(resp, nil)
		if (err == nil) != row.ok || (body.closed.Load() == 1) == row.ok {
			t.Errorf("%d: %v, closed %d times", row.status, err, body.closed.Load())
		}
	}
	if err := (Attempt{class: c}).Response(nil, errBroken); !errors.Is(err, errBroken) {
		t.Errorf("%v", err)
	}
	if err := (Attempt{}).Response(nil, nil); err == nil {
		t.Error("nothing is taken for success")
	}
	r := run{ctx: t.Context(), class: c}
	for text, want := range map[string]string{
		"net/http: TLS handshake timeout":                                          "unsent",
		"http2: Transport: cannot retry err [http2: … GOAWAY] after … was written": "refused",
		"anything": "error",
	} {
		if got := r.judge(withPhase(errors.New(text))).On.text(c.spec); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestHTTP2Refusal(t *testing.T) {
	var n atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1) == 1 {
			panic(http.ErrAbortHandler) // resets the stream
		}
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	classes := makeClasses([]spec{quick("GET /work")})
	heard := &recorder{}
	client := &http.Client{Transport: newTransport(newRoutes(classes), server.Client().Transport, []*Options{{Observer: heard}})}
	resp, err := client.Get(server.URL + "/work")
	mustNotErr(t, err)
	if read(t, resp); resp.ProtoMajor != 2 || n.Load() != 2 || heard.events[1].Condition != "connection" {
		t.Errorf("%s, %d requests, heard %+v", resp.Proto, n.Load(), heard.events)
	}
}
