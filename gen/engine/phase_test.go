//go:build go1.25

package engine

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"reflect"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// Point 10: certificate and other deterministic failures are not retried.
func TestPoint10DeterministicFailures(t *testing.T) {
	for name, err := range map[string]error{
		"unknown authority": &url.Error{Op: "Get", URL: "https://x", Err: x509.UnknownAuthorityError{}},
		"host name":         fmt.Errorf("tls: %w", x509.HostnameError{Certificate: &x509.Certificate{}, Host: "x"}),
		"alert":             &net.OpError{Op: "remote error", Err: errors.New("tls: bad certificate")},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := 0
			c := retrying(func(s *spec) {
				s.Outcomes = []outcomeRule{{"unsent", retryable}, {"connection", retryable}, {"error", retryable}}
			})
			_, got := Do(t.Context(), c.call(), failing(&n, err))
			if e := wantGaveUp(t, got, ReasonRejected, 1); n != 1 || !errors.Is(got, err) {
				t.Errorf("%s: %+v", name, e)
			}
		})
	}
}

func TestPhases(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	for _, row := range []struct {
		err  error
		want string
	}{
		{refused, "unsent"},
		{&url.Error{Op: "Get", URL: "http://x", Err: refused}, "unsent"},
		{&net.DNSError{Err: "no such host", Name: "x", IsNotFound: true}, "unsent"},
		{&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, "unsent"},
		{&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ENETUNREACH)}, "offline"},
		{syscall.EHOSTUNREACH, "offline"},
		{&net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, "connection"},
		{&url.Error{Op: "Get", URL: "http://x", Err: &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}}, "unsent"},
		{&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, "timeout"},
		{&url.Error{Op: "Get", URL: "http://x", Err: &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}}, "timeout"},
		{&url.Error{Op: "Get", URL: "http://x", Err: os.ErrDeadlineExceeded}, "timeout"},
		{os.NewSyscallError("write", syscall.EPIPE), "connection"},
		{io.ErrUnexpectedEOF, "connection"},
		{fmt.Errorf("body: %w", io.EOF), "connection"},
		{context.DeadlineExceeded, "timeout"},
		{errors.Join(errBroken, io.ErrUnexpectedEOF), "connection"},
		{errBroken, "error"},
		{Unsent(io.EOF), "unsent"},
		{fmt.Errorf("wrapped: %w", Refused(io.EOF)), "refused"},
		{RetryAfter(Unsent(nil), time.Now()), "unsent"},
		{RetryAfter(Unsent(nil), time.Time{}), "unsent"},
		{Condition("slow_down", nil), "slow_down"},
		{Condition("undeclared", nil), "error"},
		{Status(14, nil), "UNAVAILABLE"},
		{Status(503, errBroken), "503"},
		{Status(999, nil), "error"},
		{streamErr{7}, "refused"},
		{fmt.Errorf("h2: %w", streamErr{2}), "connection"},
	} {
		r := run{ctx: t.Context(), class: retrying(func(s *spec) { s.Conditions = []string{"other", "slow_down"} })}
		if got := r.judge(row.err).On.text(r.class.spec); got != row.want {
			t.Errorf("%v is %q, want %q", row.err, got, row.want)
		}
	}
}

// streamErr converts itself as net/http's HTTP/2 stream errors do.
type streamErr struct{ code uint32 }

func (e streamErr) Error() string { return "stream error" }

func (e streamErr) As(target any) bool {
	v := reflect.ValueOf(target).Elem()
	if v.Kind() != reflect.Struct || v.NumField() != 3 || v.Type().Field(1).Name != "Code" {
		return false
	}
	v.Field(1).SetUint(uint64(e.code))
	return true
}

func TestTheServersDelayIsFoundBelow(t *testing.T) {
	at := time.Now().Add(time.Hour)
	for _, err := range []error{
		RetryAfter(Unsent(nil), at),
		Status(429, RetryAfter(errBroken, at)),
		Status(429, fmt.Errorf("wrapped: %w", RetryAfter(errBroken, at))),
		&GaveUp{Reason: ReasonExhausted, Err: RetryAfter(Status(503, nil), at)},
	} {
		r := run{ctx: t.Context(), class: retrying(), started: time.Now()}
		if e := r.judge(err); !e.Asked || time.Duration(e.Instant).Round(time.Minute) != time.Hour {
			t.Errorf("%#v: %+v", err, e)
		}
	}
}
