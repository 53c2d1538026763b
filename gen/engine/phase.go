package engine

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"syscall"
	"time"
)

// found is what one walk over an error learns.
type found struct {
	on       condition
	known    bool // on comes from the app or the protocol, not from a guess
	final    bool
	inner    bool
	canceled bool // context.Canceled was met
	timeout  bool // an error that wraps others says Timeout; what it wraps may know better
	pushed   bool
	stop     bool
	instant  time.Time
}

// classify finds the facts in err: what the app said first, else the phase of
// failure that the standard library's errors tell. It walks the chain once, with
// one type switch an error, and looks into every branch of a joined error until one
// of them is known.
func classify(s *spec, err error, f *found) {
	for err != nil && !f.known {
		switch e := err.(type) {
		case *fact:
			if e.pushed && !f.pushed {
				f.pushed, f.instant = true, e.instant
			}
			f.stop = f.stop || e.stop
			if e.on != conditionNone {
				f.set(s, e)
				f.pushedBelow(e.err) // the rest of what stands below is the app's own
				return
			}
			err = e.err
		case *GaveUp:
			if e == nil || !f.gaveUp(e.Reason) {
				return
			}
			err = e.Err
		case interface{ RetryReason() string }: // of another generated package
			if !f.gaveUp(Reason(e.RetryReason())) {
				return
			}
			err = unwrap(err, s, f)
		case *net.OpError:
			switch e.Op {
			case "dial", "proxyconnect", "socks connect":
				f.guess(conditionUnsent)
			case "remote error", "local error": // a TLS alert: the same again would get the same
				f.guess(conditionConnection)
				f.final = true
			default:
				f.guess(conditionConnection)
			}
			if e.Timeout() && f.on == conditionConnection {
				f.on = conditionTimeout
			}
			err = e.Err
		case *net.DNSError:
			f.guess(conditionUnsent)
			return
		case syscall.Errno:
			f.errno(e)
			return
		case *tls.CertificateVerificationError, x509.UnknownAuthorityError, x509.HostnameError,
			x509.CertificateInvalidError, x509.UnhandledCriticalExtension, tls.RecordHeaderError, tls.AlertError:
			f.guess(conditionUnsent)
			f.final = true
			return
		case interface{ As(any) bool }: // HTTP/2's stream error, and others that know themselves
			var stream streamError
			if e.As(&stream) {
				f.on, f.known = conditionConnection, true
				if stream.Code == refusedStream {
					f.on = conditionRefused
				}
				return
			}
			err = unwrap(err, s, f)
		default:
			switch {
			case err == context.DeadlineExceeded:
				f.guess(conditionTimeout)
				return
			case err == context.Canceled:
				f.canceled = true
				return
			case err == io.EOF, err == io.ErrUnexpectedEOF, err == net.ErrClosed, err == io.ErrClosedPipe:
				f.guess(conditionConnection)
				return
			}
			if t, ok := err.(interface{ Timeout() bool }); ok && t.Timeout() {
				f.timeout = true
			}
			err = unwrap(err, s, f)
		}
	}
	if f.timeout {
		f.guess(conditionTimeout)
	}
}

// streamError has the shape that net/http's HTTP/2 stream errors convert
// themselves to (RFC 9113, section 5.4.2).
type streamError struct {
	StreamID uint32
	Code     http2Code
	Cause    error
}

type http2Code uint32

const refusedStream http2Code = 0x7

// unwrap returns the error below err. Of several it looks into each.
func unwrap(err error, s *spec, f *found) error {
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		return e.Unwrap()
	case interface{ Unwrap() []error }:
		for _, each := range e.Unwrap() {
			classify(s, each, f)
		}
	}
	return nil
}

// guess records a phase unless something nearer to the app's words is there. The
// outermost error knows best when the attempt broke.
func (f *found) guess(on condition) {
	if f.on == conditionNone {
		f.on = on
	}
}

func (f *found) set(s *spec, e *fact) {
	f.on, f.known, f.final = e.on, true, e.final
	if e.on != conditionApp {
		return
	}
	f.on = conditionError
	for i, name := range s.Conditions {
		if name == e.name {
			f.on = conditionApp + condition(i)
		}
	}
}

// pushedBelow looks for the server's delay below a fact that names the condition.
func (f *found) pushedBelow(err error) {
	for err != nil {
		if e, ok := err.(*fact); ok {
			if e.pushed && !f.pushed {
				f.pushed, f.instant = true, e.instant
			}
			f.stop = f.stop || e.stop
		}
		w, ok := err.(interface{ Unwrap() error })
		if !ok {
			return
		}
		err = w.Unwrap()
	}
}

// gaveUp judges the end of an inner call, and reports whether what it gave up on
// matters.
func (f *found) gaveUp(r Reason) bool {
	switch r {
	case ReasonAmbiguous, ReasonRejected, ReasonPrecondition, ReasonCanceled:
		f.on, f.known, f.final = conditionError, true, true
		return false
	}
	f.inner = r != "" // another package's nil has no reason
	return true
}

func (f *found) errno(e syscall.Errno) {
	const wsaENETDOWN, wsaENETUNREACH, wsaEHOSTUNREACH = 10050, 10051, 10065 // what Windows says
	switch e {
	case syscall.ENETUNREACH, syscall.ENETDOWN, syscall.EHOSTUNREACH, wsaENETDOWN, wsaENETUNREACH, wsaEHOSTUNREACH:
		if f.on == conditionNone || f.on == conditionUnsent {
			f.on = conditionOffline
		}
	case syscall.ECONNREFUSED:
		f.guess(conditionUnsent)
	default:
		if e.Timeout() {
			f.guess(conditionTimeout)
			return
		}
		f.guess(conditionConnection)
	}
}
