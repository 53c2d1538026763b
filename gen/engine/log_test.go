package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestLog(t *testing.T) {
	var out bytes.Buffer
	to := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	secret := &url.Error{Op: "Get", URL: "https://api.example/v1?token=hunter2", Err: errBroken}
	o := Observers(Log(to))
	for _, e := range []Event{
		{Kind: AttemptStarted, Class: "charge", Attempt: 1},
		{Kind: RetryScheduled, Set: "payments", Class: "charge", Attempt: 1, Condition: "503", Wait: time.Second, Err: secret},
		{Kind: TriedOnce, Class: "charge", Limit: LimitNested},
		{Kind: GaveUpCall, Class: "charge", Attempt: 2, Reason: ReasonExhausted, MaybeApplied: true, Err: errors.Join(errBroken, secret)},
	} {
		o.Observe(context.Background(), e)
	}
	want := `level=INFO msg="retry scheduled" set=payments class=charge attempt=1 condition=503 wait=1s error="Get \"https://api.example/v1\": broken"
level=INFO msg="tried once" class=charge limit=nested
level=WARN msg="gave up" class=charge attempt=2 reason=exhausted maybe_applied=true error="broken\nGet \"https://api.example/v1\": broken"
`
	if out.String() != want {
		t.Errorf("logged\n%s\nwant\n%s", out.String(), want)
	}
	if strings.Contains(out.String(), "hunter2") {
		t.Error("a query was logged")
	}
}

func TestCountersAreAnExpvar(t *testing.T) {
	c := &Counters{}
	c.Observe(context.Background(), Event{Kind: PassedThrough})
	c.Observe(context.Background(), Event{Kind: AttemptStarted, Class: "charge", Attempt: 1})
	c.Observe(context.Background(), Event{Kind: AttemptDone, Class: "charge", Attempt: 1})
	c.Observe(context.Background(), Event{Kind: TriedOnce, Class: "charge", Limit: LimitNested})
	want := `{"classes":{"charge":{"attempts":1,"retries":0,"succeeded":1,"once":{"nested":1}}},"passedThrough":1}`
	if got := c.String(); got != want || !json.Valid([]byte(got)) {
		t.Errorf("%s\nwant %s", got, want)
	}
}
