package engine

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func deferred(s *spec) {
	s.Timing, s.KeySource, s.KeyFields, s.Effect = timingQueue, keyFromFields, 1, effectNonIdempotent
	s.Attempts, s.AttemptTimeout, s.Extend, s.ExtendAtMost = 8, time.Minute, true, time.Hour
}

// scheduled is deferred work that waits for nothing of its own.
func scheduled(s *spec) {
	deferred(s)
	s.Timing, s.Base, s.Cap = timingScheduler, 0, 0
}

// Deferred work is a row's to repeat. Reached by its pattern, it is sent once.
func TestDeferredWorkIsNotRepeatedInTheCaller(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*spec)
		key    string
		status int
		reason Reason
	}{
		{"queue", deferred, "mine", 503, ReasonExhausted},
		{"scheduler", scheduled, "mine", 503, ReasonExhausted},
		{"scheduler, refused", scheduled, "mine", 429, ReasonExhausted},
		{"rejected", scheduled, "mine", 404, ReasonRejected},
		{"credentials", scheduled, "mine", 401, ReasonRejected},
		{"without a key", scheduled, "", 503, ReasonAmbiguous},
		{"idempotent", func(s *spec) { scheduled(s); s.Effect = effectIdempotent }, "", 503, ReasonExhausted},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, url := serve(t, row.status)
			heard := &recorder{}
			hook := func(context.Context, string, error) error { t.Error("a hook ran"); return nil }
			client, _ := clientOf(t, &Options{Observer: heard, Refresh: hook}, quick("POST /work", row.change))
			req, _ := http.NewRequest("POST", url+"/work", strings.NewReader("photo"))
			if row.key != "" {
				req.Header.Set("Idempotency-Key", row.key)
			}
			resp, err := client.Do(req)
			mustNotErr(t, err)
			read(t, resp)
			if got := s.keys(); !reflect.DeepEqual(got, []string{row.key}) {
				t.Errorf("sent with keys %q, want once with %q", got, row.key)
			}
			if reason, attempts := Result(resp); reason != row.reason || attempts != 1 {
				t.Errorf("%q after %d, want %s", reason, attempts, row.reason)
			}
			if !reflect.DeepEqual(heard.limits(), []Limit{LimitDeferred}) || heard.count(RetryScheduled) != 0 {
				t.Errorf("heard %+v", heard.events)
			}
		})
	}
	t.Run("offline", func(t *testing.T) { // which gives an attempt back to inline calls
		n := 0
		base := roundTripper(func(*http.Request) (*http.Response, error) { n++; return nil, Offline(nil) })
		online := func(context.Context) error { return nil }
		for _, attempts := range []int{1, 8} {
			n = 0
			classes := makeClasses([]spec{quick("GET /work", scheduled, func(s *spec) { s.Attempts = attempts })})
			req, _ := http.NewRequest("GET", "http://api.example/work", nil)
			_, err := newTransport(newRoutes(classes), base, []*Options{{Online: online}}).RoundTrip(req)
			if wantGaveUp(t, err, ReasonExhausted, 1); n != 1 {
				t.Errorf("%d attempts, sent %d times", attempts, n)
			}
		}
	})
}

// A class with a key whose request came without: one attempt, and where it may have been
// applied, that is the reason.
func TestUnkeyedIsAmbiguousWhereItMayHaveBeenApplied(t *testing.T) {
	drop := func(w http.ResponseWriter) {
		conn, _, _ := w.(http.Hijacker).Hijack()
		conn.(*net.TCPConn).SetLinger(0)
		conn.Close()
	}
	for _, row := range []struct {
		name   string
		change func(*spec)
		key    string
		answer func(http.ResponseWriter)
		reason Reason
		n      int32
	}{
		{"dropped", keyed, "", drop, ReasonAmbiguous, 1},
		{"dropped, the app's to send", func(s *spec) { keyed(s); s.KeySent = sentByApp }, "", drop, ReasonAmbiguous, 1},
		{"dropped with a key", keyed, "mine", drop, ReasonExhausted, 3},
		{"503", keyed, "", func(w http.ResponseWriter) { w.WriteHeader(503) }, ReasonAmbiguous, 1},
		{"429", keyed, "", func(w http.ResponseWriter) { w.WriteHeader(429) }, ReasonExhausted, 1},
		{"404", keyed, "", func(w http.ResponseWriter) { w.WriteHeader(404) }, ReasonRejected, 1},
		{"no harm in duplicates", func(s *spec) { keyed(s); s.Tolerate = true }, "", drop, ReasonExhausted, 1},
		{"idempotent", func(s *spec) { keyed(s); s.Effect = effectIdempotent }, "", drop, ReasonExhausted, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			var n atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { n.Add(1); row.answer(w) }))
			defer server.Close()
			client, _ := clientOf(t, nil, quick("POST /work", row.change))
			req, _ := http.NewRequest("POST", server.URL+"/work", strings.NewReader("amount=1"))
			if row.key != "" {
				req.Header.Set("Idempotency-Key", row.key)
			}
			resp, err := client.Do(req)
			if err == nil {
				resp.Body.Close()
				if reason, attempts := Result(resp); reason != row.reason || int32(attempts) != row.n || n.Load() != row.n {
					t.Errorf("%q after %d, and %d requests, want %s after %d", reason, attempts, n.Load(), row.reason, row.n)
				}
				return
			}
			if e := wantGaveUp(t, err, row.reason, int(row.n)); n.Load() != row.n || !e.MaybeApplied {
				t.Errorf("%d requests, %+v", n.Load(), e)
			}
		})
	}
	// Other limits leave one attempt too; with a key they end as attempts do.
	for name, options := range map[string]*Options{"disabled": {Disable: func(string) bool { return true }}} {
		_, url := serve(t, 503)
		client, classes := clientOf(t, options, quick("POST /work", keyed))
		for key, want := range map[string]Reason{"": ReasonAmbiguous, "mine": ReasonExhausted} {
			req, _ := http.NewRequest("POST", url+"/work", strings.NewReader("x"))
			if key != "" {
				req.Header.Set(classes[0].spec.KeyHeader, key)
			}
			resp, err := client.Do(req)
			mustNotErr(t, err)
			read(t, resp)
			if reason, _ := Result(resp); reason != want {
				t.Errorf("%s with key %q: %q, want %s", name, key, reason, want)
			}
		}
	}
}

// A key that no header can carry ends the call before anything is sent.
func TestAKeyThatCannotBeSent(t *testing.T) {
	s, url := serve(t, 200)
	for key, sendable := range map[string]bool{
		"a\nb": false, "a\r\nX-Admin: 1": false, "a\x00": false, "a\x7f": false, " a": false, "a\t": false,
		"a b": true, "a\tb": true, "zähler": true, `a"b\`: true,
	} {
		c := retrying(func(s *spec) { s.KeySource = keyFromCaller })
		if _, err := Do(t.Context(), c.callKey(Key(key)), func(context.Context, Attempt) (int, error) { return 0, nil }); (err == nil) != sendable {
			t.Errorf("Do with %q: %v", key, err)
		}
		c = retrying(func(s *spec) { s.KeySource, s.KeySent = keyFromCaller, sentByApp })
		if _, err := Do(t.Context(), c.callKey(Key(key)), func(context.Context, Attempt) (int, error) { return 0, nil }); err != nil {
			t.Errorf("Do with %q, which the app sends: %v", key, err)
		}
		for _, own := range []bool{false, true} {
			client, classes := clientOf(t, nil, quick("POST /work", keyed, func(s *spec) { s.KeySource = keyFromCaller }))
			before := s.count()
			body := &closeCounter{Reader: strings.NewReader("x")}
			req, _ := http.NewRequest("POST", url+"/work", readCloser{body})
			if own {
				if strings.TrimSpace(key) != key {
					continue // net/http sends it without
				}
				req.Header.Set("Idempotency-Key", key)
			} else {
				req = req.WithContext(WithCall(t.Context(), classes[0].callKey(Key(key))))
			}
			resp, err := client.Do(req)
			if sendable {
				mustNotErr(t, err)
				if read(t, resp); s.keys()[before] != key {
					t.Errorf("%q arrives as %q", key, s.keys()[before])
				}
				continue
			}
			if e := wantGaveUp(t, err, ReasonPrecondition, 0); s.count() != before || e.MaybeApplied || body.closed.Load() != 1 || strings.Contains(e.Error(), "empty") {
				t.Errorf("%q of the request itself: %v: %v, %d requests, closed %d times", key, own, err, s.count()-before, body.closed.Load())
			}
		}
	}
	for key, sendable := range map[string]bool{"zähler": false, "a\tb": false, " a": true, `a"b\`: true} {
		if got := isFieldValue(key, true); got != sendable {
			t.Errorf("%q as a quoted string: %v", key, got)
		}
	}
}
