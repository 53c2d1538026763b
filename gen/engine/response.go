package engine

import (
	"errors"
	"net/http"
	"net/url"
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
		if u, ok := err.(*url.Error); ok && u != nil && u.Err != nil {
			return withPhase(err, u.Err, strings.HasPrefix(u.URL, "https:"))
		}
		return err
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
	f.instant, f.pushed = pushBackFrom(resp.Header, now) // of a 2xx too: a policy may wait for what is accepted and not done
	return f
}

// withPhase adds to err what only the text of a transport's error tells, which is
// err or what a client has put into it.
func withPhase(err, said error, secure bool) error {
	if s := listenTo(said, true); s != nil && s.client {
		return &fact{err: err, on: s.on, final: s.final}
	}
	if status := tunnelRefused(said); secure && status != 0 {
		return &fact{err: err, on: conditionUnsent, final: status < 500 && status != http.StatusRequestTimeout && status != http.StatusTooManyRequests}
	}
	return err
}

// tunnelRefused returns the status with which a proxy answered CONNECT, and 0
// where err does not say so. All that net/http tells of it is the status's text. No
// other error reads like that: a transport must not make errors of the server's answers.
func tunnelRefused(err error) int {
	text := err.Error()
	if text == "unknown status code" { // what net/http says where the proxy gave no text
		return http.StatusServiceUnavailable
	}
	for status := 400; status <= 599; status++ {
		if text != "" && text == http.StatusText(status) {
			return status
		}
	}
	return 0
}
