package engine

import (
	"crypto/tls"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

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
		if got := r.judge(withPhase(errors.New(text), errors.New(text), false)).On.text(c.spec); got != want {
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
