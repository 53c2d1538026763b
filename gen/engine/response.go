package engine

import (
	"errors"
	"net/http"
	"strings"
	"time"
)

// Response turns what an http.Client returned into the fact that the class
// judges: nil where the class takes the answer for success, and an error with the
// status and the server's delay otherwise. A response that it turns into an error is
// drained and closed; one that succeeded is the caller's to read and close. err is
// returned with the phase it failed in.
func (a Attempt) Response(resp *http.Response, err error) error {
	if err != nil {
		return withPhase(err)
	}
	if resp == nil {
		return errNoResponse
	}
	f := statusOf(resp, time.Now())
	then := defaultOutcome(kindHTTP, f.on, f.pushed)
	if a.class != nil {
		then = a.class.outcome(f.on, a.maybeApplied, f.pushed)
	}
	if then == success {
		return nil
	}
	drain(resp)
	return &f
}

var errNoResponse = errors.New("neither a response nor an error")

// statusOf is the fact that a response states.
func statusOf(resp *http.Response, now time.Time) fact {
	f := fact{text: resp.Status, on: conditionError}
	if resp.StatusCode >= 100 && resp.StatusCode <= 599 {
		f.on = condition(resp.StatusCode)
	}
	if resp.StatusCode >= 300 {
		f.instant, f.pushed = pushBackFrom(resp.Header, now)
	}
	return f
}

// withPhase adds to a transport's error what only its text tells: net/http has no
// type for a handshake that timed out, nor for a request that the server had not
// processed when it went away (RFC 9113, section 6.8) and that could not be sent again.
func withPhase(err error) error {
	text := err.Error()
	switch {
	case strings.Contains(text, "net/http: TLS handshake timeout"):
		return Unsent(err)
	case strings.Contains(text, "http2: Transport: cannot retry err ["):
		return Refused(err)
	}
	return err
}
