package engine

import (
	"net/url"
	"strings"
)

// saying is what the text of one of net/http's errors tells, HTTP/2's included,
// where no type does. Texts are those of Go 1.24 to 1.26; one that changes is an
// unknown failure again, which is not repeated.
type saying struct {
	text     string // the error begins with it
	holds    string // and holds this
	on       condition
	client   bool // said by the client itself, of the request that it was given; a body or an app that repeats it is not believed
	final    bool // the same request would get the same
	canceled bool
}

// sayings are looked through in order. What is not ambiguous is believed of the
// client alone.
var sayings = [...]saying{
	// net/http adds "connection broken" to an end that it saw after it had begun to write.
	{text: "net/http: HTTP/1.x transport connection broken: net/http: server response headers exceeded", on: conditionError, final: true},
	{text: "net/http: HTTP/1.x transport connection broken: ", on: conditionConnection},
	{text: "malformed HTTP response ", on: conditionConnection}, // cut off, as the next two
	{text: "malformed HTTP status code ", on: conditionConnection},
	{text: "malformed HTTP version ", on: conditionConnection},
	{text: "malformed response from server: ", on: conditionConnection},
	{text: "http: unexpected EOF reading trailer", on: conditionConnection},
	{text: "net/http: cannot rewind body after connection loss", on: conditionConnection},

	// Without that addition nothing was written.
	{text: "http: server closed idle connection", on: conditionUnsent, client: true},
	{text: "http: idle connection timeout", on: conditionUnsent, client: true},
	{text: "http: CloseIdleConnections called", on: conditionUnsent, client: true},
	{text: "http: putIdleConn: ", on: conditionUnsent, client: true},
	{text: "http: persistConn.readLoop exiting", on: conditionUnsent, client: true},
	{text: "readLoopPeekFailLocked: ", on: conditionUnsent, client: true},
	{text: "net/http: TLS handshake timeout", on: conditionUnsent, client: true},
	{text: "http2: no cached connection was available", on: conditionUnsent, client: true},
	{text: "http2: client conn could not be established", on: conditionUnsent, client: true},
	{text: "http2: client conn not usable", on: conditionUnsent, client: true},

	// Refused on this side.
	{text: "net/http: invalid header ", on: conditionUnsent, client: true, final: true},
	{text: "net/http: invalid trailer ", on: conditionUnsent, client: true, final: true},
	{text: "net/http: invalid method ", on: conditionUnsent, client: true, final: true},
	{text: "http: no Host in request URL", on: conditionUnsent, client: true, final: true},
	{text: "http: nil Request.", on: conditionUnsent, client: true, final: true},
	{text: "unsupported protocol scheme ", on: conditionUnsent, client: true, final: true},
	{text: "http: server gave HTTP response to HTTPS client", on: conditionUnsent, client: true, final: true},
	{text: "http2: request header list larger than ", on: conditionUnsent, client: true, final: true},

	// RFC 9113, sections 6.8 and 8.7: streams above the last that GOAWAY names, and
	// streams refused, were not processed.
	{text: "http2: Transport received Server's graceful shutdown GOAWAY", on: conditionRefused, client: true},
	{text: "http2: Transport received GOAWAY from server ErrCode:", on: conditionRefused, client: true},
	{text: "http2: Transport: cannot retry err [http2: ", on: conditionRefused, client: true},
	{text: "http2: Transport: cannot retry err [stream error: ", holds: "; REFUSED_STREAM; received from peer]", on: conditionRefused, client: true},
	{text: "stream error: stream ID ", holds: "; REFUSED_STREAM; received from peer", on: conditionRefused, client: true},
	{text: "http2: Transport: cannot retry err [", on: conditionConnection},
	{text: "http2: Transport received ", on: conditionConnection}, // while the answer was read
	{text: "stream error: stream ID ", on: conditionConnection},
	{text: "connection error: ", on: conditionConnection, client: true},
	{text: "http2: server sent GOAWAY and closed the connection", on: conditionConnection},
	{text: "http2: client connection lost", on: conditionConnection},
	{text: "http2: client connection force closed", on: conditionConnection},
	{text: "http2: client conn is closed", on: conditionConnection},

	{text: "net/http: request canceled", canceled: true},
}

// listenTo returns what err, or an error below it, says by its text, or nil. client:
// err is what a transport returned.
func listenTo(err error, client bool) *saying {
	for err != nil {
		if u, ok := err.(*url.Error); ok {
			if u == nil {
				return nil
			}
			err, client = u.Err, true
			continue
		}
		text := err.Error()
		for i := range sayings {
			s := &sayings[i]
			if strings.HasPrefix(text, s.text) && strings.Contains(text, s.holds) && (client || !s.client) {
				return s
			}
		}
		client = false
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			err = e.Unwrap()
		case interface{ Unwrap() []error }:
			for _, each := range e.Unwrap() {
				if s := listenTo(each, false); s != nil {
					return s
				}
			}
			return nil
		default:
			return nil
		}
	}
	return nil
}

// listen takes what the text of err says for what its types do not.
func (f *found) listen(err error) {
	if f.known || f.final || f.on != conditionNone && !(f.timeout && f.on == conditionTimeout) {
		return
	}
	if s := listenTo(err, false); s != nil {
		f.canceled = f.canceled || s.canceled
		if s.on != conditionNone {
			f.on, f.final = s.on, s.final
		}
	}
}
