package engine

import (
	"net/http"
	"testing"
	"time"
)

// transportRows are the requests whose cost beside net/http's own is promised.
var transportRows = []struct {
	name   string
	change func(*spec)
	tls    bool // below net/http's transport, where HTTP/2 may be spoken: one trace more
	allocs float64
}{
	{"get", func(*spec) {}, false, 1},
	{"get over https", func(*spec) {}, true, 4},
	{"with a key", func(s *spec) { s.KeySource = keyRandom }, false, 6},
	{"with a key and an attempt timeout", func(s *spec) { s.KeySource, s.AttemptTimeout = keyRandom, time.Minute }, false, 11},
}

func transportRow(change func(*spec), tls bool) (*transport, *http.Request) {
	classes := makeClasses([]spec{quick("GET api.example/jobs/{id}", change)})
	resp := &http.Response{StatusCode: 200, Status: "200 OK", Body: http.NoBody, Header: http.Header{}}
	base := roundTripper(func(r *http.Request) (*http.Response, error) {
		resp.Request = r
		return resp, nil
	})
	req := request("GET", "api.example/jobs/7")
	req.Header.Set("Accept", "application/json")
	t := newTransport(newRoutes(classes), base, nil)
	if tls {
		t.replays, req.URL.Scheme = true, "https"
	}
	return t, req
}

func TestTheTransportAllocates(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for _, row := range transportRows {
		t.Run(row.name, func(t *testing.T) {
			transport, req := transportRow(row.change, row.tls)
			got := testing.AllocsPerRun(200, func() {
				if _, err := transport.RoundTrip(req); err != nil {
					t.Fatal(err)
				}
			})
			if got > row.allocs {
				t.Errorf("%v allocations, promised are %v", got, row.allocs)
			}
		})
	}
}

func BenchmarkTransport(b *testing.B) {
	for _, row := range transportRows {
		b.Run(row.name, func(b *testing.B) {
			transport, req := transportRow(row.change, row.tls)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := transport.RoundTrip(req); err != nil {
					b.Fatal(err)
				}
			}
			inClockReads(b)
		})
	}
}
