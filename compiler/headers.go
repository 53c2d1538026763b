package compiler

import "net/http"

// unsentHeaders are fields that net/http writes from other parts of a request, or
// that belong to one connection and not to the request (RFC 9110, section 7.6.1): a key in
// them does not arrive.
var unsentHeaders = map[string]bool{
	"Connection": true, "Content-Length": true, "Host": true, "Keep-Alive": true, "Proxy-Authorization": true,
	"Proxy-Connection": true, "Te": true, "Trailer": true, "Transfer-Encoding": true, "Upgrade": true,
}

// takenHeaders are fields that requests carry for a purpose of their own (RFC 9110,
// sections 10 to 13, RFC 6265). A request's own header is taken for its key, so that each request
// with credentials would be one with a key, the same for all.
var takenHeaders = map[string]bool{
	"Accept": true, "Accept-Charset": true, "Accept-Encoding": true, "Accept-Language": true, "Authorization": true,
	"Cache-Control": true, "Content-Encoding": true, "Content-Language": true, "Content-Location": true, "Content-Range": true,
	"Content-Type": true, "Cookie": true, "Date": true, "Expect": true, "Forwarded": true, "From": true, "If-Match": true,
	"If-Modified-Since": true, "If-None-Match": true, "If-Range": true, "If-Unmodified-Since": true, "Max-Forwards": true,
	"Origin": true, "Pragma": true, "Range": true, "Referer": true, "Set-Cookie": true, "User-Agent": true, "Via": true,
	"X-Forwarded-For": true, "X-Forwarded-Host": true, "X-Forwarded-Proto": true,
}

// keyHeader refuses a field that cannot carry a key.
func (c *checker) keyHeader() {
	const path = "idempotency.header"
	n, known := c.look(path)
	if !known || n == nil || n.broken {
		return
	}
	reason := ""
	switch name := http.CanonicalHeaderKey(n.text); {
	case unsentHeaders[name]:
		reason = "it is not sent as the request has it"
	case takenHeaders[name]:
		reason = "requests have it for a purpose of its own"
	default:
		return
	}
	d := c.at(n, path, "header %s cannot carry a key: %s", n.quoted(), reason)
	d.Help = []string{`header: "Idempotency-Key"`}
}
