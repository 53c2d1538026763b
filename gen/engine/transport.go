package engine

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"
)

// NewTransport returns a transport that gives each request the policy of the
// class whose pattern it matches, and sends it through base
// (http.DefaultTransport where base is nil). A request of no class passes through
// once, untouched.
//
// Requests are not written to: each attempt is a clone. A body is sent again from
// GetBody, or by seeking where it is an io.Seeker; any other body allows one
// attempt. A class with a key sends it with every attempt, the first included: the request's own
// header where it has one, else the key of WithCall, else one drawn for the
// request where the class says so. Without any of them the request is sent once.
// A redirect continues the call it came from.
//
// When the attempts end, the last response is returned open, as a plain
// client would return it, and Result tells why they ended; without a
// response the error is a *GaveUp. The timeout of an attempt covers the body of
// its response until that is closed. A request of a class that is deferred work is
// sent once: what repeats it is not in the caller.
//
// net/http repeats some requests by itself, within one attempt: when a connection
// that it kept turns out to be closed (a request with an Idempotency-Key header is
// among them), and over HTTP/2 when the server goes away or refuses. Below an
// *http.Transport, https requests with a body are not repeated so where the policy
// has a further attempt; those that remain are slowed down to the pace of the
// policy from the fourth connection on. They are not counted: the number of attempts is a
// lower bound of what the server sees, and only an attempt's timeout or the caller's
// context ends them. Over http, and below another transport, nothing slows them down.
//
// A Client.Timeout covers all attempts and waits together: attempts that cannot start
// within it are not waited for.
//
// options apply where a request's context has none; nil or none: the zero Options.
func NewTransport(base http.RoundTripper, options ...*Options) http.RoundTripper {
	return newTransport(declaredRoutes(), base, options)
}

func newTransport(r *routes, base http.RoundTripper, options []*Options) *transport {
	t := &transport{base: base, routes: r, options: noOptions}
	if base == nil {
		t.base = http.DefaultTransport
	}
	_, t.replays = t.base.(*http.Transport)
	if len(options) > 0 && options[0] != nil {
		t.options = options[0]
	}
	return t
}

// WithCall returns a context for one request, which is then an attempt of call:
// its class and its key. It is for APIs that have one path for many operations, and for
// classes whose key the request does not carry. A request that does not fit the
// class's pattern is not touched by it.
func WithCall(ctx context.Context, call Call) context.Context {
	s := &scope{Context: ctx, class: call.class, key: call.key, unusable: call.unusable || call.class == nil}
	outer, repeats := lookUp(ctx)
	s.repeats = repeats
	if outer != nil {
		s.options = outer.options
	}
	return s
}

type transport struct {
	base    http.RoundTripper
	routes  *routes
	options *Options
	replays bool // base is net/http's, which repeats requests by itself
}

// CloseIdleConnections is what http.Client.CloseIdleConnections calls.
func (t *transport) CloseIdleConnections() {
	if c, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	outer, nested := lookUp(ctx)
	options := t.options
	if outer != nil && outer.options != nil {
		options = outer.options
	}
	hop := continued(req)
	var c *class
	var given *scope
	switch {
	case hop != nil:
		c = hop.class
	case outer != nil && outer.class != nil && t.routes.fits(outer.class, req):
		given, c = outer, outer.class
	default:
		c = t.routes.find(req)
	}
	if outer != nil && outer.class == nil && outer.unusable {
		closeBody(req)
		return nil, errNoClass
	}
	if c == nil {
		if options.Observer != nil {
			options.Observer.Observe(ctx, Event{Kind: PassedThrough})
		}
		return t.base.RoundTrip(req)
	}
	if given != nil && given.under {
		return t.adopt(req, given)
	}
	var r run
	r.prepare(ctx, c, "", options)
	r.host = req.URL.Host
	switch {
	case hop != nil:
		r.resume(hop, req)
	case given != nil && given.unusable:
		r.end(ReasonPrecondition, c.whyUnusable(given.key))
	default:
		if c.spec.Timing != timingInline {
			r.once(LimitDeferred)
		}
		if nested && !c.spec.NestedRetry {
			r.once(LimitNested)
		}
		if given != nil {
			r.key = given.key
		}
		r.takeKey(req)
	}
	if r.gaveUp != nil {
		closeBody(req)
		return nil, r.gaveUp
	}
	body := newSender(req, r.state.Max > 1)
	if !body.rewindable() {
		r.once(LimitNotRewindable)
	}
	r.scope = r.mark(nested)
	//lint:ignore SA1019 deprecated, and still there: whoever sets it means it
	if cancel := req.Cancel; cancel != nil {
		r.canceled, r.ctx = cancel, canceledToo{ctx, cancel}
	}
	return t.send(&r, req, body, hop != nil)
}

// canceledToo is the caller's context under a request's Cancel, which http.Request
// still has beside it. Attempts do not run under it: they have the field itself.
type canceledToo struct {
	context.Context
	canceled <-chan struct{}
}

func (c canceledToo) Err() error {
	select {
	case <-c.canceled:
		return context.Canceled
	default:
		return c.Context.Err()
	}
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}

// takeKey settles the key of a request: its own header wins.
func (r *run) takeKey(req *http.Request) {
	s := r.class.spec
	if s.KeySource == keyNone {
		return
	}
	if s.KeySent == sentInHeader {
		if own := req.Header.Get(s.KeyHeader); own != "" {
			if r.key = own; !isFieldValue(strings.Trim(own, " \t"), false) {
				r.end(ReasonPrecondition, errUnsendable)
			}
			return
		}
	}
	if r.key == "" && s.KeySource == keyRandom && s.KeySent == sentInHeader {
		r.key = randomKey()
	}
	if r.key == "" {
		r.state.Unkeyed = true
		r.once(LimitUnkeyed)
	}
}

// adopt sends a request that is the attempt under way: the call above repeats it.
func (t *transport) adopt(req *http.Request, s *scope) (*http.Response, error) {
	resp, err := t.base.RoundTrip(withKey(req.WithContext(req.Context()), s.class.spec, s.key))
	if err != nil {
		return nil, withPhase(err, err, req.URL.Scheme == "https")
	}
	return resp, nil
}

// withKey puts the key into a clone's header, unless the caller has put one there.
func withKey(clone *http.Request, s *spec, key string) *http.Request {
	if key == "" || s.KeySent != sentInHeader || clone.Header.Get(s.KeyHeader) != "" {
		return clone
	}
	if s.KeyQuote {
		key = quoted(key)
	}
	h := make(http.Header, len(clone.Header)+1)
	for name, values := range clone.Header {
		h[name] = values
	}
	h.Set(s.KeyHeader, key)
	clone.Header = h
	return clone
}

// quoted is key as a string of a structured field (RFC 9651, section 3.3.3).
func quoted(key string) string {
	text := make([]byte, 0, len(key)+2)
	text = append(text, '"')
	for i := range len(key) {
		if key[i] == '"' || key[i] == '\\' {
			text = append(text, '\\')
		}
		text = append(text, key[i])
	}
	return string(append(text, '"'))
}

// send is the loop of a request. hop: its first request belongs to an attempt that
// was counted before a redirect.
func (t *transport) send(r *run, req *http.Request, body sender, hop bool) (*http.Response, error) {
	defer body.finish()
	for resumed := hop; ; resumed = false {
		// Before the attempt is counted: without a body there is none.
		content, err := body.body()
		if err != nil {
			r.end(ReasonPrecondition, err)
			break
		}
		if resumed && !r.resumed() || !resumed && !r.start() {
			if content != nil {
				content.Close()
			}
			break
		}
		clone, cancel := t.clone(r, req, content)
		resp, err := t.base.RoundTrip(clone)
		if err != nil {
			r.timedOut = clone.Context().Err() == context.DeadlineExceeded
			if cancel != nil {
				cancel()
			}
			err = withPhase(err, err, req.URL.Scheme == "https")
			if r.settle(err, r.judge(err), nil) {
				break
			}
			continue
		}
		if cancel != nil {
			bind(resp, cancel)
		}
		if over, released := r.settleResponse(resp); over && !released {
			return r.hand(resp, clone, hop), nil
		} else if over {
			break
		}
	}
	return nil, r.err()
}

// clone makes the request of one attempt.
func (t *transport) clone(r *run, req *http.Request, content io.ReadCloser) (*http.Request, context.CancelFunc) {
	var ctx context.Context = r.scope
	var cancel context.CancelFunc
	if r.timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, r.timeout)
	}
	rewinds := req.GetBody
	if t.replays && req.URL.Scheme == "https" { // where HTTP/2 may be spoken
		switch bodyless := content == nil || content == http.NoBody; {
		case !bodyless && r.state.Max > 1:
			rewinds = nil // then net/http reports what it would repeat
		case bodyless || rewinds != nil:
			ctx = r.class.paced(ctx, r.options)
		}
	}
	clone := req.WithContext(ctx)
	clone.Body, clone.GetBody = content, rewinds
	return withKey(clone, r.class.spec, r.key), cancel
}

// bind makes the attempt's timeout end with the body. The body of a connection that
// was taken over is left as it is.
func bind(resp *http.Response, cancel context.CancelFunc) {
	switch {
	case resp.StatusCode == http.StatusSwitchingProtocols:
	case resp.Body == nil || resp.Body == http.NoBody:
		cancel()
	default:
		resp.Body = &boundBody{resp.Body, cancel}
	}
}

// settleResponse decides what follows a response, and lets go of it where another
// attempt is to follow.
func (r *run) settleResponse(resp *http.Response) (over, released bool) {
	if resp.StatusCode < 300 && r.quiet() && r.class.meaning(&r.state, ending{On: condition(max(resp.StatusCode, 100))}) == success {
		r.state.Condition = condition(resp.StatusCode)
		return true, false
	}
	f := statusOf(resp, time.Now())
	e := ending{On: f.on, Asked: f.pushed}
	if f.pushed {
		e.Instant = int64(f.instant.Sub(r.started))
	}
	over = r.settle(&f, e, func() {
		drain(resp)
		released = true
	})
	return over, released
}
