package engine

import (
	"context"
	"net/http"
	"time"
)

// trail is what the context of a response's request remembers of its call: for
// Result, and for the request that a redirect makes of it.
type trail struct {
	context.Context
	class   *class
	key     string
	method  string
	started time.Time
	state   state
	limit   Limit
	reason  Reason
	hop     bool // the response redirects
}

type trailKey struct{}

func (t *trail) Value(key any) any {
	if _, ok := key.(trailKey); ok {
		return t
	}
	return t.Context.Value(key)
}

// Result tells how the call that a response of NewTransport's ends came to it:
// why it gave up ("": it succeeded), and after how many attempts. It returns "" and
// 0 for a response of no class.
func Result(resp *http.Response) (reason Reason, attempts int) {
	if resp == nil || resp.Request == nil {
		return "", 0
	}
	ctx := resp.Request.Context()
	if t, ok := ctx.Value(trailKey{}).(*trail); ok {
		return t.reason, int(t.state.Attempts)
	}
	if s, _ := lookUp(ctx); s != nil && s.under && s.class.spec.Kind == kindHTTP {
		// The scope may be of an attempt that sent a request of no class.
		if p, err := parseHTTPPattern(s.class.spec.Pattern); err == nil && p.covers(resp.Request) {
			return "", 1
		}
	}
	return "", 0
}

// hand returns the last response of a call. Where there is more to say than that
// the first attempt succeeded, or the request behind a redirect does not look like one of
// the class, its request remembers it.
func (r *run) hand(resp *http.Response, clone *http.Request, hop bool) *http.Response {
	redirects := resp.StatusCode >= 300 && resp.StatusCode < 400
	if r.gaveUp == nil && r.state.Attempts == 1 && !redirects && !hop {
		return resp
	}
	t := &trail{
		Context: clone.Context(), class: r.class, key: r.key, method: method(clone),
		started: r.started, state: r.state, limit: r.limit, hop: redirects,
	}
	if r.gaveUp != nil {
		t.reason = r.gaveUp.Reason
	}
	resp.Request = clone.WithContext(t)
	return resp
}

// continued returns the trail of the call that a redirected request continues.
func continued(req *http.Request) *trail {
	if req.Response == nil || req.Response.Request == nil {
		return nil
	}
	if t, ok := req.Response.Request.Context().Value(trailKey{}).(*trail); ok && t.hop {
		return t
	}
	return nil
}

// resume takes over the call that a redirect came from. A redirect that makes
// another method of it fetches what the call came to: no key goes with that.
func (r *run) resume(t *trail, req *http.Request) {
	r.started, r.state, r.limit = t.started, t.state, t.limit
	if method(req) == t.method {
		r.key = t.key
	}
}

// resumed prepares the request behind a redirect: part of the attempt that was
// answered with the redirect, so it is not counted again.
func (r *run) resumed() bool {
	if err := r.ctx.Err(); err != nil {
		r.endByContext(err)
		return false
	}
	r.prepareTimeout()
	return true
}
