package http_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"

	"github.com/retryc/retryc/policies/http/httpretry"
)

// via returns a transport that reaches a server on loopback under every host
// name, so that the examples can use the names of the policies.
func via(s *httptest.Server) *http.Transport {
	return &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, s.Listener.Addr().String())
	}}
}

// An existing client gains the policies by one line. The server here fails twice.
func Example() {
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()

	client := &http.Client{Transport: httpretry.NewTransport(via(server))}
	resp, err := client.Get("http://api.docs.example/v1/documents/42")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	_, attempts := httpretry.Result(resp)
	fmt.Println(resp.Status, "after", attempts, "attempts")
	// Output: 200 OK after 3 attempts
}

// A repeated delete that finds nothing has done its work.
func Example_delete() {
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) == 1 { // the document is gone, but the answer is lost
			if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
				conn.Close()
			}
			return
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	defer server.Close()

	client := &http.Client{Transport: via(server)}
	_, err := httpretry.Do(context.Background(), httpretry.Delete.Call(), func(ctx context.Context, a httpretry.Attempt) (struct{}, error) {
		req, err := http.NewRequestWithContext(ctx, "DELETE", "http://api.docs.example/v1/documents/42", nil)
		if err != nil {
			return struct{}{}, err
		}
		resp, err := client.Do(req)
		if err := a.Response(resp, err); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, resp.Body.Close()
	})
	fmt.Println(err, "after", requests.Load(), "requests")
	// Output: <nil> after 2 requests
}
