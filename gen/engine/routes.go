package engine

import (
	"net/http"
	"slices"
	"strings"
	"sync"
)

// routes finds the class that a request belongs to by its declared pattern: a
// tree of path segments under each method and host.
type routes struct {
	roots    map[route]*node
	patterns map[*class]*pattern
}

type route struct{ method, host string }

type node struct {
	literal map[string]*node
	wild    []branch // the longest suffix first
	rest    []branch
	classes []*class // that end here
}

type branch struct {
	segment segment
	to      *node
}

var declaredRoutes = sync.OnceValue(func() *routes { return newRoutes(declared) })

// newRoutes builds the tree. A pattern that does not parse matches nothing; the
// compiler has refused it before.
func newRoutes(classes []class) *routes {
	r := &routes{roots: map[route]*node{}, patterns: map[*class]*pattern{}}
	for i := range classes {
		c := &classes[i]
		if c.spec.Kind != kindHTTP {
			continue
		}
		p, err := parseHTTPPattern(c.spec.Pattern)
		if err != nil {
			continue
		}
		r.patterns[c] = &p
		at := route{p.method, p.host}
		n := r.roots[at]
		if n == nil {
			n = &node{}
			r.roots[at] = n
		}
		for _, s := range p.segments {
			n = n.child(s)
		}
		n.classes = append(n.classes, c)
	}
	return r
}

func (n *node) child(s segment) *node {
	if s.kind == literalSegment {
		if n.literal == nil {
			n.literal = map[string]*node{}
		}
		if n.literal[s.literal] == nil {
			n.literal[s.literal] = &node{}
		}
		return n.literal[s.literal]
	}
	branches := &n.wild
	if s.kind == restSegment {
		branches = &n.rest
	}
	for _, b := range *branches {
		if b.segment.suffix == s.suffix {
			return b.to
		}
	}
	to := &node{}
	*branches = append(*branches, branch{s, to})
	slices.SortStableFunc(*branches, func(a, b branch) int { return len(b.segment.suffix) - len(a.segment.suffix) })
	return to
}

// find returns the class of a request: that of the most specific pattern, and nil
// for none, or where several classes share that pattern and only WithCall can tell
// them apart.
func (r *routes) find(req *http.Request) *class {

	host, path := target(req)
	n := r.roots[route{method(req), host}].find(path)
	if n == nil {
		n = r.roots[route{method(req), ""}].find(path)
	}
	if n == nil || len(n.classes) != 1 {
		return nil
	}
	return n.classes[0]
}

// fits reports whether a request is one of class c.
func (r *routes) fits(c *class, req *http.Request) bool {
	p := r.patterns[c]
	return p != nil && p.covers(req)
}

// covers reports whether a request is one of the pattern's.
func (p *pattern) covers(req *http.Request) bool {
	if p.method != method(req) {
		return false
	}

	host, path := target(req)
	return (p.host == "" || p.host == host) && p.matches(path)
}

// method is the request's, where "" means GET.
func method(req *http.Request) string {
	if req.Method == "" {
		return http.MethodGet
	}
	return req.Method
}

// target returns what patterns are matched with: the host in lower case, without
// port and last dot, and the path as it was sent, without its first slash.
func target(req *http.Request) (host, path string) {
	host = req.URL.Host
	if end := strings.LastIndexByte(host, ']'); end >= 0 {
		host = host[:end+1]
	} else if colon := strings.IndexByte(host, ':'); colon >= 0 {
		host = host[:colon]
	}
	host = strings.TrimSuffix(host, ".")
	for i := range len(host) {
		if c := host[i]; c >= 'A' && c <= 'Z' {
			host = strings.ToLower(host)
			break
		}
	}
	path = req.URL.RawPath
	if path == "" {
		path = req.URL.Path
		if strings.IndexByte(path, '%') >= 0 {
			path = strings.ReplaceAll(path, "%", "%25") // Path is decoded, and segments are decoded once more
		}
	}
	return host, strings.TrimPrefix(path, "/")
}

// find walks the tree: literals before wildcards before rests. As no two patterns
// conflict, the first that fits is the most specific.
func (n *node) find(path string) *node {
	if n == nil {
		return nil
	}
	part, rest, more := strings.Cut(path, "/")
	text := decoded(part)
	if to := n.literal[text]; to != nil {
		if found := to.next(rest, more); found != nil {
			return found
		}
	}
	for i := range n.wild {
		if n.wild[i].segment.fits(text) {
			if found := n.wild[i].to.next(rest, more); found != nil {
				return found
			}
		}
	}
	for i := range n.rest {
		if n.rest[i].segment.fitsRest(path) {
			return n.rest[i].to
		}
	}
	return nil
}

func (n *node) next(rest string, more bool) *node {
	if more {
		return n.find(rest)
	}
	if len(n.classes) == 0 {
		return nil
	}
	return n
}

func (p *pattern) matches(path string) bool {
	for i := range p.segments {
		s := &p.segments[i]
		if s.kind == restSegment {
			return s.fitsRest(path)
		}
		part, rest, more := strings.Cut(path, "/")
		if !s.fits(decoded(part)) || more != (i+1 < len(p.segments)) {
			return false
		}
		path = rest
	}
	return true
}

// fitsRest reports whether all that follows fits a rest. With a verb there must be
// something in front of it.
func (s *segment) fitsRest(path string) bool {
	if s.suffix == "" {
		return true
	}
	last := path[strings.LastIndexByte(path, '/')+1:]
	text := decoded(last)
	return strings.HasSuffix(text, s.suffix) && (len(text) > len(s.suffix) || len(last) < len(path))
}
