package engine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// wantBroken sends one request by a class of one attempt that nothing makes safe to
// repeat, and checks what it ended in.
func wantBroken(t *testing.T, base *http.Transport, req *http.Request, condition string, reason Reason) {
	t.Helper()
	t.Cleanup(base.CloseIdleConnections)
	classes := makeClasses([]spec{quick("POST /work", func(s *spec) {
		s.Attempts, s.AttemptTimeout, s.Effect = 1, 10*time.Second, effectNonIdempotent
	})})
	resp, err := newTransport(newRoutes(classes), base, nil).RoundTrip(req)
	if err == nil {
		resp.Body.Close()
		t.Fatalf("answered with %s", resp.Status)
	}
	e := wantGaveUp(t, err, reason, 1)
	if may := condition == "connection" || condition == "error"; e.Condition != condition || e.MaybeApplied != may {
		t.Errorf("%v: ended in %q, may have been applied: %v, want %q, %v", e.Err, e.Condition, e.MaybeApplied, condition, may)
	}
	// A plain client's error reads the same, handed to Response or not.
	said := e.Err
	if f, ok := said.(*fact); ok {
		said = f.err
	}
	plain := error(&url.Error{Op: "Post", URL: req.URL.String(), Err: said})
	each := []error{Attempt{}.Response(nil, plain)}
	if tunnelRefused(said) == 0 { // which is Response's to tell
		each = append(each, plain, fmt.Errorf("charging: %w", plain))
	}
	for _, err := range each {
		r := run{ctx: t.Context(), class: &classes[0]}
		if got := r.judge(err).On.text(classes[0].spec); got != condition {
			t.Errorf("%v from a client is %q, want %q", err, got, condition)
		}
	}
}

func post(target string, body io.Reader) *http.Request {
	req, err := http.NewRequest("POST", target+"/work", body)
	if err != nil {
		panic(err)
	}
	return req
}

// once is a body that can be read once.
func once() io.Reader { return io.MultiReader(strings.NewReader("amount=1")) }

func TestHTTP2BreaksInKnownWays(t *testing.T) {
	for _, row := range []struct {
		name   string
		answer func(c h2conn, stream uint32)
		body   func() io.Reader
		want   string
		reason Reason
	}{
		{"GOAWAY covers the stream, then the end", func(c h2conn, stream uint32) { c.goAway(stream, 0); c.CloseWrite() }, once, "connection", ReasonAmbiguous},
		{"no sign of life", func(h2conn, uint32) {}, once, "connection", ReasonAmbiguous},
		{"the end", func(c h2conn, _ uint32) { c.CloseWrite() }, once, "connection", ReasonAmbiguous},
		{"GOAWAY below the stream", func(c h2conn, stream uint32) { c.goAway(stream-1, 0) }, once, "refused", ReasonExhausted},
		{"GOAWAY with an error below the stream", func(c h2conn, stream uint32) { c.goAway(stream-1, 11) }, once, "refused", ReasonExhausted},
		{"REFUSED_STREAM", func(c h2conn, stream uint32) { c.reset(stream, 7) }, once, "refused", ReasonExhausted},
		{"PROTOCOL_ERROR", func(c h2conn, stream uint32) { c.reset(stream, 1) }, once, "connection", ReasonAmbiguous},
		{"INTERNAL_ERROR", func(c h2conn, stream uint32) { c.reset(stream, 2) }, once, "connection", ReasonAmbiguous},
		{"no status", func(c h2conn, stream uint32) { c.frame(h2Headers, h2EndOfAll, stream, 0x90) }, once, "connection", ReasonAmbiguous},
		{"a broken frame", func(c h2conn, _ uint32) { c.frame(h2GoAway, 0, 7, 0) }, once, "connection", ReasonAmbiguous},
	} {
		t.Run(row.name, func(t *testing.T) {
			url, base, _ := serveH2(t, row.answer)
			base.HTTP2 = &http.HTTP2Config{SendPingTimeout: 50 * time.Millisecond, PingTimeout: 50 * time.Millisecond}
			wantBroken(t, base, post(url, row.body()), row.want, row.reason)
		})
	}
}

// serveRaw starts a server that reads a request's head and answers with bytes, then
// closes.
func serveRaw(t *testing.T, answer string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	mustNotErr(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			if req, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				io.Copy(io.Discard, req.Body)
			}
			io.WriteString(conn, answer)
			conn.Close()
		}
	}()
	return listener.Addr().String()
}

func TestHTTP1BreaksInKnownWays(t *testing.T) {
	for name, answer := range map[string]string{
		"no answer":                "",
		"cut in the protocol":      "HTT",
		"cut in the status":        "HTTP/1.1 20",
		"cut before the status":    "HTTP/1.1 ",
		"cut behind the status":    "HTTP/1.1 200",
		"cut in the name":          "HTTP/1.1 200 OK\r\nContent-Le",
		"cut in the value":         "HTTP/1.1 200 OK\r\nContent-Length: 1",
		"cut behind the value":     "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n",
		"no version that there is": "HTTP/x.y 200 OK\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			wantBroken(t, &http.Transport{}, post("http://"+serveRaw(t, answer), strings.NewReader("amount=1")), "connection", ReasonAmbiguous)
		})
	}
	t.Run("headers without end", func(t *testing.T) { // the next answer would be as long
		base := &http.Transport{MaxResponseHeaderBytes: 1 << 10}
		url := "http://" + serveRaw(t, "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 64<<10)+"\r\n\r\n")
		wantBroken(t, base, post(url, once()), "error", ReasonAmbiguous)
	})
}

func TestAProxyThatRefusesATunnelHasSentNothing(t *testing.T) {
	for answer, reason := range map[string]Reason{
		"HTTP/1.1 503 Service Unavailable\r\n\r\n":           ReasonExhausted,
		"HTTP/1.1 502 Bad Gateway\r\n\r\n":                   ReasonExhausted,
		"HTTP/1.1 429 Too Many Requests\r\n\r\n":             ReasonExhausted,
		"HTTP/1.1 503\r\n\r\n":                               ReasonExhausted,
		"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n": ReasonRejected,
		"HTTP/1.1 403 Forbidden\r\n\r\n":                     ReasonRejected,
	} {
		t.Run(strings.TrimSpace(answer), func(t *testing.T) {
			proxy := &url.URL{Scheme: "http", Host: serveRaw(t, answer)}
			wantBroken(t, &http.Transport{Proxy: http.ProxyURL(proxy)}, post("https://api.example", once()), "unsent", reason)
		})
	}
	// The text alone says nothing where there is no tunnel.
	said := errors.New(http.StatusText(http.StatusServiceUnavailable))
	if withPhase(said, said, false) != said {
		t.Error("a status text of http is taken for a proxy's")
	}
}

// A connection of the pool that the server closed before anything was written to it.
func TestAStaleConnectionHasSentNothing(t *testing.T) {
	var posts atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "POST" {
			posts.Add(1)
		}
	}))
	defer server.Close()
	for range 50 { // which of two goroutines of net/http notices first is chance
		closed := make(chan struct{})
		base := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
			return &closeTeller{Conn: conn, closed: closed}, err
		}}
		resp, err := (&http.Client{Transport: base}).Get(server.URL)
		mustNotErr(t, err)
		read(t, resp)
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
			server.CloseClientConnections()
			<-closed
		}})
		req := post(server.URL, once())
		_, err = base.RoundTrip(req.WithContext(ctx))
		base.CloseIdleConnections()
		if err == nil {
			t.Fatal("a closed connection answers")
		}
		if err.Error() == "http: server closed idle connection" {
			r := run{ctx: t.Context(), class: retrying()}
			if got := r.judge(withPhase(err, err, false)); got.On != conditionUnsent || got.Final || posts.Load() != 0 {
				t.Errorf("%v is %q, and %d requests arrived", err, got.On.text(r.class.spec), posts.Load())
			}
			return
		}
	}
	t.Error("net/http never says that the server closed an idle connection")
}

type closeTeller struct {
	net.Conn
	closed chan struct{}
	once   atomic.Bool
}

func (c *closeTeller) Close() error {
	err := c.Conn.Close()
	if c.once.CompareAndSwap(false, true) {
		close(c.closed)
	}
	return err
}

// What net/http refuses to send was not sent, and will not be another time.
func TestWhatIsNeverSent(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	client := plain.Client().Transport.(*http.Transport)
	for name, change := range map[string]func(*http.Request){
		"header":      func(r *http.Request) { r.Header.Set("X", "a\nb") },
		"header name": func(r *http.Request) { r.Header["a b"] = []string{"x"} },
		"scheme":      func(r *http.Request) { r.URL.Scheme = "gopher" },
		"http server": func(r *http.Request) { r.URL.Scheme = "https" },
		"no host":     func(r *http.Request) { r.URL.Host = "" },
	} {
		t.Run(name, func(t *testing.T) {
			req := post(plain.URL, once())
			change(req)
			wantBroken(t, client.Clone(), req, "unsent", ReasonRejected)
		})
	}
	_, err := plain.Client().Get("https://" + plain.Listener.Addr().String())
	r := run{ctx: t.Context(), class: retrying()}
	if e := r.judge(err); e.On != conditionUnsent || !e.Final {
		t.Errorf("%v: %+v", err, e)
	}
}

// An app's error that repeats a text is no word of the client's.
func TestTheClientAloneSaysThatNothingWasSent(t *testing.T) {
	r := run{ctx: t.Context(), class: retrying()}
	for _, text := range []string{
		"http: server closed idle connection",
		"http2: Transport received Server's graceful shutdown GOAWAY",
		"Service Unavailable",
	} {
		for _, err := range []error{
			errors.New(text), fmt.Errorf("upstream: %w", errors.New(text)),
			&url.Error{Op: "Post", URL: "http://x", Err: fmt.Errorf("502: %w", errors.New(text))},
			&url.Error{Op: "Post", URL: "http://x", Err: errors.New("502: " + text)},
		} {
			for _, err := range []error{err, Attempt{}.Response(nil, err)} {
				if on := r.judge(err).On; !on.ambiguous() {
					t.Errorf("%v is %q", err, on.text(r.class.spec))
				}
			}
		}
	}
}
