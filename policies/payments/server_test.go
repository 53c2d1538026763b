package payments_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// arrival is one line of the server's log.
type arrival struct {
	at   time.Time
	key  string
	body string
}

// provider is a payment provider on loopback. It follows a script, keeps a log,
// and remembers keys: a charge whose key it knows is answered from memory.
type provider struct {
	*httptest.Server
	script []step

	mu      sync.Mutex
	log     []arrival
	asked   []time.Time // the instant each answer told the client to wait for; zero: none
	charges map[string]int
}

// step answers one request; the zero step is a plain 200.
type step struct {
	status     int
	retryAfter func(now time.Time) (header string, notBefore time.Time)
	drop       bool // apply the charge, then cut the connection without an answer
}

func newProvider(t testing.TB, script ...step) *provider {
	p := &provider{script: script, charges: map[string]int{}}
	p.Server = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(p.Close)
	return p
}

func (p *provider) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	now := time.Now()
	key := r.Header.Get("Idempotency-Key")
	p.mu.Lock()
	var s step
	if n := len(p.log); n < len(p.script) {
		s = p.script[n]
	}
	p.log = append(p.log, arrival{now, key, string(body)})
	var notBefore time.Time
	if s.retryAfter != nil {
		var header string
		header, notBefore = s.retryAfter(now)
		w.Header().Set("Retry-After", header)
	}
	p.asked = append(p.asked, notBefore)
	if s.drop || s.status == 0 {
		if key == "" || p.charges[key] == 0 {
			p.charges[key]++
		}
	}
	p.mu.Unlock()
	if s.drop {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.Close()
		}
		return
	}
	if s.status == 0 {
		s.status = http.StatusOK
	}
	w.WriteHeader(s.status)
	fmt.Fprintf(w, `{"status":%d}`, s.status)
}

func (p *provider) arrivals() []arrival {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]arrival(nil), p.log...)
}

// base is a transport that reaches the provider under every host name.
func (p *provider) base() *http.Transport { return via(p.Server) }

func via(s *httptest.Server) *http.Transport {
	return &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, s.Listener.Addr().String())
	}}
}
