package engine

import (
	"net/http"
	"strings"
)

// Pattern is an operation that requests or methods are matched with.
type Pattern struct {
	kind    kind
	http    pattern
	service string // gRPC: "pkg.Service"
	rpc     string // gRPC: "Method" or "*"
	text    string
}

// PatternError is a mistake in a pattern: what is wrong, and at which byte.
type PatternError = patternError

// ParsePattern reads the operation of a class: "METHOD [host]/path" for http,
// "pkg.Service/Method" or "pkg.Service/*" for grpc, any text for a task. Its error
// is a *PatternError.
func ParsePattern(k Kind, text string) (Pattern, error) {
	p := Pattern{kind: k, text: text}
	var err error
	switch k {
	case kindHTTP:
		p.http, err = parseHTTPPattern(text)
	case kindGRPC:
		err = p.parseGRPC()
	default:
		if strings.TrimSpace(text) == "" {
			err = patternErrorf(0, "a task needs a description, such as \"photo upload\"")
		}
	}
	return p, err
}

func (p *Pattern) parseGRPC() error {
	var ok bool
	if strings.HasPrefix(p.text, "/") {
		return patternErrorf(0, "method %q must be without the first \"/\": %q", p.text, p.text[1:])
	}
	if p.service, p.rpc, ok = strings.Cut(p.text, "/"); !ok {
		return patternErrorf(len(p.text), "method %q lacks \"/Method\": write it as \"pkg.Service/Method\" or \"pkg.Service/*\"", p.text)
	}
	if !isGRPCName(p.service) {
		return patternErrorf(0, "service %q must be a name such as \"pkg.v1.Service\"", p.service)
	}
	if p.rpc != "*" && !isName(p.rpc) {
		return patternErrorf(len(p.service)+1, "method %q of service %q must be a name or \"*\"", p.rpc, p.service)
	}
	return nil
}

// Method is the HTTP method, or the gRPC method or "*".
func (p Pattern) Method() string {
	if p.kind == kindHTTP {
		return p.http.method
	}
	return p.rpc
}

// Host is the host of an HTTP pattern, "" for every host; for gRPC the service.
func (p Pattern) Host() string {
	if p.kind == kindHTTP {
		return p.http.host
	}
	return p.service
}

// String is the pattern as it was written.
func (p Pattern) String() string { return p.text }

// Relation says how what two patterns match lies to each other.
type Relation uint8

// The relations of a to b.
const (
	Disjoint Relation = iota // nothing matches both
	Equal                    // the same matches both
	Narrower                 // a wins where both match
	Wider                    // b wins where both match
	Overlap                  // both match something, and neither is the more specific: a conflict
)

var relationWords = [...]string{"disjoint", "equal", "narrower", "wider", "overlap"}

func (r Relation) String() string { return relationWords[r] }

func (r Relation) and(other Relation) Relation {
	switch {
	case r == Disjoint || other == Disjoint:
		return Disjoint
	case r == Equal:
		return other
	case other == Equal || r == other:
		return r
	}
	return Overlap
}

func (r Relation) reversed() Relation {
	switch r {
	case Narrower:
		return Wider
	case Wider:
		return Narrower
	}
	return r
}

// Compare tells how a lies to b. A pattern with a host wins over one without,
// whatever their paths. Tasks and patterns of different kinds are disjoint.
func Compare(a, b Pattern) Relation {
	switch {
	case a.kind != b.kind || a.kind == kindTask:
		return Disjoint
	case a.kind == kindGRPC:
		switch {
		case a.service != b.service:
			return Disjoint
		case a.rpc == b.rpc:
			return Equal
		case b.rpc == "*":
			return Narrower
		case a.rpc == "*":
			return Wider
		}
		return Disjoint
	case a.http.method != b.http.method:
		return Disjoint
	}
	paths := comparePaths(a.http.segments, b.http.segments)
	switch {
	case paths == Disjoint || a.http.host == b.http.host:
		return paths
	case b.http.host == "":
		return Narrower
	case a.http.host == "":
		return Wider
	}
	return Disjoint
}

func comparePaths(a, b []segment) Relation {
	r := Equal
	for {
		switch {
		case len(a) == 0 && len(b) == 0:
			return r
		case len(a) == 0 || len(b) == 0:
			return Disjoint
		case a[0].kind == restSegment:
			return r.and(compareRest(a[0].suffix, b).reversed())
		case b[0].kind == restSegment:
			return r.and(compareRest(b[0].suffix, a))
		}
		if r = r.and(compareSegments(a[0], b[0])); r == Disjoint {
			return r
		}
		a, b = a[1:], b[1:]
	}
}

// compareRest tells how the segments of path, one at least, lie to a rest with
// suffix.
func compareRest(suffix string, path []segment) Relation {
	end := path[len(path)-1]
	alone := len(path) == 1 && end.kind == restSegment
	tail := compareSuffixes(end.suffix, suffix)
	if end.kind == literalSegment {
		tail = Disjoint
		// A rest with a verb wants something in front of it; a longer path has it.
		if strings.HasSuffix(end.literal, suffix) && (len(path) > 1 || len(end.literal) > len(suffix) || suffix == "") {
			tail = Narrower
		}
	}
	if alone {
		return tail
	}
	return tail.and(Narrower)
}

func compareSegments(a, b segment) Relation {
	switch {
	case a.kind == literalSegment && b.kind == literalSegment:
		if a.literal == b.literal {
			return Equal
		}
		return Disjoint
	case a.kind == literalSegment:
		if b.fits(a.literal) {
			return Narrower
		}
		return Disjoint
	case b.kind == literalSegment:
		return compareSegments(b, a).reversed()
	}
	return compareSuffixes(a.suffix, b.suffix)
}

func compareSuffixes(a, b string) Relation {
	switch {
	case a == b:
		return Equal
	case b == "":
		return Narrower
	case a == "":
		return Wider
	}
	return Disjoint
}

// Matches reports whether a request is one of an HTTP pattern's.
func Matches(p Pattern, req *http.Request) bool {
	return p.kind == kindHTTP && p.http.covers(req)
}
