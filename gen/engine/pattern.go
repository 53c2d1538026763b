package engine

import (
	"fmt"
	"net/url"
	"strings"
)

// pattern is an HTTP operation: a method, an optional host and a path. The
// query takes no part, and paths are matched as they are, without cleaning.
type pattern struct {
	method   string
	host     string // "" matches every host
	segments []segment
	text     string
}

// segment is what one part of a path must look like.
type segment struct {
	kind    segmentKind
	literal string // decoded
	suffix  string // behind a wildcard: ":cancel", or ""
	name    string // of a wildcard
}

type segmentKind uint8

const (
	literalSegment segmentKind = iota
	wildSegment                // one segment, not empty
	restSegment                // all that follows, one segment at least, which may be empty
)

// patternError is a mistake in a pattern.
type patternError struct {
	Offset int // in bytes
	Msg    string
}

func (e *patternError) Error() string { return e.Msg }

func patternErrorf(offset int, format string, args ...any) error {
	return &patternError{offset, fmt.Sprintf(format, args...)}
}

// parseHTTPPattern reads "METHOD [host]/path". In the path, {name} stands for one
// segment and {name...}, at the end only, for all that follow; both may carry a
// verb behind them ("{id}:cancel").
func parseHTTPPattern(text string) (pattern, error) {
	p := pattern{text: text}
	method, target, ok := strings.Cut(text, " ")
	if !ok {
		return p, patternErrorf(0, "pattern %q has no method: write it as \"GET host/path\"", text)
	}
	if method == "" {
		return p, patternErrorf(0, "pattern %q begins with a space: write it as \"GET host/path\"", text)
	}
	for i := range len(method) {
		if !isToken(method[i]) {
			return p, patternErrorf(i, "method %q has a character that methods cannot have: %q", method, method[i])
		}
		if c := method[i]; c >= 'a' && c <= 'z' {
			return p, patternErrorf(i, "method %q must be upper case: %q", method, strings.ToUpper(method))
		}
	}
	p.method = method
	at := len(method) + 1
	if i := strings.IndexAny(target, " \t\r\n"); i >= 0 {
		return p, patternErrorf(at+i, "pattern %q has a space after the method's: write one space, and %%20 in a path", text)
	}
	if i := strings.Index(target, "://"); i >= 0 {
		return p, patternErrorf(at, "pattern %q names a scheme: leave out %q", text, target[:i+3])
	}
	slash := strings.IndexByte(target, '/')
	if slash < 0 {
		return p, patternErrorf(at+len(target), "pattern %q has no path: end the host with \"/\" at least", text)
	}
	p.host = target[:slash]
	if err := checkHost(p.host, at); err != nil {
		return p, err
	}
	return p, p.parsePath(target[slash+1:], at+slash+1)
}

// isToken reports whether c may stand in a method (RFC 9110, section 5.6.2).
func isToken(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}

func checkHost(host string, at int) error {
	name := host
	if strings.HasPrefix(host, "[") { // an IPv6 address
		end := strings.IndexByte(host, ']')
		if end < 0 {
			return patternErrorf(at, "host %q lacks a closing \"]\"", host)
		}
		if end+1 < len(host) {
			return patternErrorf(at+end+1, "host %q must be without a port: %q", host, host[:end+1])
		}
		name = host[1:end]
	} else if i := strings.IndexByte(host, ':'); i >= 0 {
		return patternErrorf(at+i, "host %q must be without a port: %q", host, host[:i])
	}
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '.', c == '_':
		case c == ':' && len(name) < len(host):
		case c >= 'A' && c <= 'Z':
			return patternErrorf(at+i, "host %q must be lower case: %q", host, strings.ToLower(host))
		case c == '{' || c == '*':
			return patternErrorf(at+i, "host %q cannot hold a wildcard: leave the host out to match every host", host)
		case c >= 0x80:
			return patternErrorf(at+i, "host %q must be in its ASCII form, as in \"xn--…\"", host)
		default:
			return patternErrorf(at+i, "host %q has a character that hosts cannot have: %q", host, c)
		}
	}
	if strings.HasSuffix(name, ".") {
		return patternErrorf(at+len(host)-1, "host %q must be without the last dot", host)
	}
	return nil
}

// parsePath reads the path behind its first slash.
func (p *pattern) parsePath(path string, at int) error {
	var names []string
	for {
		part, rest, more := strings.Cut(path, "/")
		s, err := parseSegment(part, at)
		if err != nil {
			return err
		}
		if s.name != "" {
			for _, n := range names {
				if n == s.name {
					return patternErrorf(at, "wildcard name %q is used twice", s.name)
				}
			}
			names = append(names, s.name)
		}
		p.segments = append(p.segments, s)
		if !more {
			return nil
		}
		if s.kind == restSegment {
			return patternErrorf(at, "wildcard %q must be the last of the path", part)
		}
		if s.suffix != "" {
			return patternErrorf(at, "verb %q must be at the end of the path", s.suffix)
		}
		at += len(part) + 1
		path = rest
	}
}

func parseSegment(part string, at int) (segment, error) {
	var s segment
	if i := strings.IndexAny(part, "?#"); i >= 0 {
		return s, patternErrorf(at+i, "path segment %q holds %q: the query is not matched; leave it out", part, part[i:])
	}
	if !strings.ContainsAny(part, "{}") {
		literal, err := url.PathUnescape(part)
		if err != nil {
			return s, patternErrorf(at, "path segment %q has an invalid escape: write two hex digits after %%", part)
		}
		s.literal = literal
		return s, nil
	}
	end := strings.IndexByte(part, '}')
	if part[0] != '{' || end < 0 {
		return s, patternErrorf(at, "path segment %q: a wildcard must be a whole segment, as in \"{name}\" or \"{name}:verb\"", part)
	}
	s.kind, s.name, s.suffix = wildSegment, part[1:end], part[end+1:]
	if name, ok := strings.CutSuffix(s.name, "..."); ok {
		s.kind, s.name = restSegment, name
	}
	if !isName(s.name) {
		return s, patternErrorf(at+1, "wildcard name %q must be a letter or \"_\", then letters, digits or \"_\"", s.name)
	}
	if s.suffix != "" && (s.suffix[0] != ':' || !isVerb(s.suffix[1:])) {
		return s, patternErrorf(at+end+1, "path segment %q: only a verb may follow a wildcard, as in \"{name}:cancel\"", part)
	}
	return s, nil
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return s != ""
}

func isVerb(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && (c == '_' || c == '-' || c >= '0' && c <= '9')) {
			return false
		}
	}
	return s != ""
}

// fits reports whether one segment of a path, decoded, fits s, which is no rest.
func (s *segment) fits(part string) bool {
	if s.kind == literalSegment {
		return part == s.literal
	}
	return len(part) > len(s.suffix) && strings.HasSuffix(part, s.suffix)
}

// decoded undoes percent-encoding. What is not valid stays as it is.
func decoded(part string) string {
	if strings.IndexByte(part, '%') < 0 {
		return part
	}
	if text, err := url.PathUnescape(part); err == nil {
		return text
	}
	return part
}
