package engine

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

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

func TestResultBehindARedirect(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/work" {
			http.Redirect(w, r, "/moved", http.StatusSeeOther)
		}
	}))
	defer server.Close()
	client, _ := clientOf(t, nil, quick("GET /work"))
	resp, err := client.Get(server.URL + "/work")
	mustNotErr(t, err)
	read(t, resp)
	if reason, attempts := Result(resp); resp.Request.URL.Path != "/moved" || reason != "" || attempts != 1 {
		t.Errorf("%v: %q after %d, want 1", resp.Request.URL, reason, attempts)
	}
}
