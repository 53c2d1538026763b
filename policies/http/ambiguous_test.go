package http_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/retryc/retryc/policies/http/httpretry"
)

// server starts a server on loopback, and returns a transport that reaches it
// under every host name.
func server(t testing.TB, handler http.HandlerFunc) *http.Transport {
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	base := &http.Transport{
		MaxIdleConnsPerHost: 256,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, s.Listener.Addr().String())
		},
	}
	t.Cleanup(base.CloseIdleConnections)
	return base
}

// A comment has no key, so a connection that breaks after the server read it ends
// the call: one request, and the program is told that the comment may be there.
func TestAmbiguousCommentIsSentOnce(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	requests := 0
	base := server(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		mu.Lock()
		requests++
		mu.Unlock()
		if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
			conn.Close()
		}
	})
	client := &http.Client{Transport: httpretry.NewTransport(base)}
	_, err := client.Post("http://api.docs.example/v1/documents/1/comments", "text/plain", strings.NewReader("first!"))
	var gaveUp *httpretry.GaveUp
	if !errors.As(err, &gaveUp) {
		t.Fatalf("the error is %v", err)
	}
	if gaveUp.Reason != httpretry.ReasonAmbiguous || !gaveUp.MaybeApplied || gaveUp.Attempts != 1 {
		t.Errorf("gave up: %s after %d attempts, may have been applied: %v", gaveUp.Reason, gaveUp.Attempts, gaveUp.MaybeApplied)
	}
	mu.Lock()
	defer mu.Unlock()
	if requests != 1 {
		t.Errorf("%d requests reached the server, want 1", requests)
	}
}
