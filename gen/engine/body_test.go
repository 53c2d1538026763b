package engine

import (
	"context"
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
	"sync/atomic"
	"testing"
	"time"
)

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

// Every attempt has a body of its own, and net/http, which rewinds by itself where
// it can, has no part in that.
func TestEachAttemptHasABodyOfItsOwn(t *testing.T) {
	var bodies []string
	transport := newTransport(newRoutes(makeClasses([]spec{quick("PUT /work")})), roundTripper(func(r *http.Request) (*http.Response, error) {
		text, _ := io.ReadAll(r.Body)
		r.Body.Close()
		bodies = append(bodies, string(text))
		return &http.Response{StatusCode: 503, Status: "503", Body: http.NoBody, Header: http.Header{}}, nil
	}), nil)
	req, _ := http.NewRequest("PUT", "http://api.example/work", strings.NewReader("photo"))
	_, err := transport.RoundTrip(req)
	mustNotErr(t, err)
	if want := []string{"photo", "photo", "photo"}; !reflect.DeepEqual(bodies, want) {
		t.Errorf("sent %q, want %q", bodies, want)
	}
}

func TestALaterAttemptEndsTheViewBefore(t *testing.T) {
	closes := &closeCounter{Reader: strings.NewReader("")}
	f := &file{src: strings.NewReader("photo"), closer: readCloser{closes}}
	first, err := f.open()
	mustNotErr(t, err)
	first.Read(make([]byte, 2))
	second, err := f.open()
	mustNotErr(t, err)
	if n, err := first.Read(make([]byte, 2)); n != 0 || err != errSuperseded {
		t.Errorf("the first view reads %d, %v", n, err)
	}
	first.Close()
	if text, err := io.ReadAll(second); string(text) != "photo" || err != nil {
		t.Errorf("the second view reads %q, %v", text, err)
	}
	if f.finish(); closes.closed.Load() != 0 {
		t.Error("the source is closed under its reader")
	}
	if second.Close(); closes.closed.Load() != 1 {
		t.Errorf("closed %d times", closes.closed.Load())
	}
}

// Point 7: without a body there is no attempt, so none is counted or heard.
func TestPoint07ABodyThatCannotBeHadAgain(t *testing.T) {
	gone := errors.New("the file is gone")
	s, url := serve(t, 503)
	heard, counters := &recorder{}, &Counters{}
	client, _ := clientOf(t, &Options{Observer: Observers(heard, counters)}, quick("PUT /work"))
	req, _ := http.NewRequest("PUT", url+"/work", strings.NewReader("photo"))
	req.GetBody = func() (io.ReadCloser, error) { return nil, gone }
	_, err := client.Do(req)
	e := wantGaveUp(t, err, ReasonPrecondition, 1)
	if !errors.Is(err, gone) || s.count() != 1 || e.Condition != "503" {
		t.Errorf("%v after %d requests", err, s.count())
	}
	if got := counters.Class("work"); got.Attempts != 1 || got.Retries != 0 || heard.count(AttemptStarted) != 1 || heard.count(AttemptDone) != 1 {
		t.Errorf("counted %+v, heard %+v", got, heard.events)
	}
}

// A RoundTripper closes the body, whatever becomes of the request.
func TestTheBodyIsClosedOnEveryPath(t *testing.T) {
	keyless := quick("POST /keyed", keyed, func(s *spec) { s.Name = "keyed" })
	classes := makeClasses([]spec{quick("POST /work"), keyless})
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	attempt := func(req *http.Request) *http.Request { // as an attempt of Do sends it
		return req.WithContext(classes[0].mark(t.Context(), "", nil, true))
	}
	for name, row := range map[string]struct {
		path   string
		change func(*http.Request) *http.Request
		sent   bool
	}{
		"a call of no class": {"/work", func(r *http.Request) *http.Request { return r.WithContext(WithCall(t.Context(), Call{})) }, false},
		"a call of no class, with options": {"/work", func(r *http.Request) *http.Request {
			return r.WithContext(With(WithCall(t.Context(), Call{}), &Options{}))
		}, false},
		"a call of no class to nowhere": {"/other", func(r *http.Request) *http.Request { return r.WithContext(WithCall(t.Context(), Call{})) }, false},
		"a call without a key": {"/keyed", func(r *http.Request) *http.Request {
			return r.WithContext(WithCall(t.Context(), classes[1].callFields("")))
		}, false},
		"a key that cannot be sent": {"/keyed", func(r *http.Request) *http.Request {
			r.Header.Set("Idempotency-Key", "a\nb")
			return r
		}, false},
		"a context that has ended":   {"/work", func(r *http.Request) *http.Request { return r.WithContext(canceled) }, false},
		"canceled by its own field":  {"/work", func(r *http.Request) *http.Request { return cancelWithField(r, canceled.Done()) }, false},
		"a request of no class":      {"/other", func(r *http.Request) *http.Request { return r }, true},
		"a request of a class":       {"/work", func(r *http.Request) *http.Request { return r }, true},
		"an attempt's request":       {"/work", attempt, true},
		"an attempt's other request": {"/keyed", attempt, true},
	} {
		for _, seeks := range []bool{false, true} {
			sent := false
			base := roundTripper(func(r *http.Request) (*http.Response, error) {
				sent = true
				r.Body.Close()
				return nil, Unsent(nil)
			})
			body := &closeCounter{Reader: strings.NewReader("x")}
			req, _ := http.NewRequest("POST", "http://api.example"+row.path, readCloser{body})
			if seeks {
				req.Body = struct {
					readCloser
					io.Seeker
				}{readCloser{body}, body.Reader.(io.Seeker)}
			}
			resp, err := newTransport(newRoutes(classes), base, nil).RoundTrip(row.change(req))
			if resp != nil || err == nil || sent != row.sent || body.closed.Load() == 0 {
				t.Errorf("%s: %v, sent: %v, closed %d times", name, err, sent, body.closed.Load())
			}
		}
	}
}
