package compiler

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen/engine"
)

// What codes and patterns mean is the engine's to say: the compiler asks the
// code that will run.

func isPhase(s string) bool { return engine.ValidCondition(engine.Kind(ir.Task), s) }

func validCondition(kind ir.Kind, on string) bool {
	return engine.ValidCondition(engine.Kind(kind), on)
}

func knownMethod(m string) bool {
	_, ok := engine.MethodEffect(m)
	return ok
}

var methods = []string{"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "QUERY", "CONNECT"}

// otherMethods are in the IANA registry of HTTP methods or in wide use, and RFC
// 9110 does not say what repeating them does: they are no slips.
var otherMethods = map[string]bool{
	"ACL": true, "BAN": true, "BASELINE-CONTROL": true, "BIND": true, "CHECKIN": true, "CHECKOUT": true, "COPY": true,
	"LABEL": true, "LINK": true, "LIST": true, "LOCK": true, "MERGE": true, "MKACTIVITY": true, "MKCALENDAR": true,
	"MKCOL": true, "MKREDIRECTREF": true, "MKWORKSPACE": true, "MOVE": true, "NOTIFY": true, "ORDERPATCH": true,
	"PRI": true, "PROPFIND": true, "PROPPATCH": true, "PURGE": true, "REBIND": true, "REPORT": true, "SEARCH": true,
	"SUBSCRIBE": true, "UNBIND": true, "UNCHECKOUT": true, "UNLINK": true, "UNLOCK": true, "UNSUBSCRIBE": true,
	"UPDATE": true, "UPDATEREDIRECTREF": true, "VERSION-CONTROL": true, "VIEW": true,
}

// methodMeant is the method that a wrong one is a slip of, or "".
func methodMeant(method string) string {
	if knownMethod(method) || otherMethods[method] {
		return ""
	}
	return near(method, methods)
}

// conditionNames lists the keys that mean something for a kind, for finding the
// nearest: phases first, then classes of codes, then codes.
func conditionNames(kind ir.Kind) []string {
	var names []string
	for _, s := range engine.KnownConditions(engine.Kind(ir.Task)) {
		if validCondition(ir.HTTP, s) && validCondition(ir.GRPC, s) {
			names = append(names, s)
		}
	}
	if kind == ir.HTTP {
		names = append(names, "4xx", "5xx", "3xx", "2xx", "1xx")
	}
	return append(names, engine.KnownConditions(engine.Kind(kind))...)
}

// grpcCodes are the names of gRPC's codes, by number.
func grpcCodes() []string {
	var names []string
	for _, s := range engine.KnownConditions(engine.Kind(ir.GRPC)) {
		if !validCondition(ir.HTTP, s) {
			names = append(names, s)
		}
	}
	return names
}

// pattern checks the operation of a class. The engine's message is whole and
// says where in the text it is wrong.
func (c *checker) pattern(n *node, kind ir.Kind, path string) {
	if r, at := control(n.text); at >= 0 {
		d := c.at(n, path, "%q has a character in it that cannot be seen: %U", n.text, r)
		c.within(d, n, at, at+utf8.RuneLen(r))
		return
	}
	_, err := engine.ParsePattern(engine.Kind(kind), n.text)
	if err == nil {
		if method, target, _ := strings.Cut(n.text, " "); kind == ir.HTTP {
			if strings.ContainsAny(method, "|,") || method == "ANY" || method == "ALL" || method == "*" {
				d := c.at(n, path, "%q is more than one method: a class is one operation, so each method has its own", method)
				c.within(d, n, 0, len(method))
				return
			}
			if wrong, right := wildcardMeant(target); wrong != "" {
				d := c.at(n, path, "%q stands for itself here; a part that may be anything is written %q", wrong, right)
				at := len(method) + 1 + strings.Index(target, "/"+wrong) + 1
				c.within(d, n, at, at+len(wrong))
				whole := n.text[:at] + right + n.text[at+len(wrong):]
				if _, err := engine.ParsePattern(engine.KindHTTP, whole); err == nil {
					c.suggest(d, n, path, strconv.Quote(whole), true)
				}
				return
			}
			if m := methodMeant(method); m != "" {
				d := c.at(n, path, "%q is not a method of HTTP; did you mean %q?", method, m)
				right := m + strings.TrimPrefix(n.text, method)
				c.within(d, n, 0, len(method))
				c.suggest(d, n, path, strconv.Quote(right), true)
			}
		}
		return
	}
	d := c.at(n, path, "%v", err)
	if kind == ir.HTTP && knownMethod(n.text) {
		d.Message = fmt.Sprintf("%q has no path: write it as %q", n.text, n.text+" host/path")
		return
	}
	if right := rightPattern(kind, n.text); right != "" {
		c.suggest(d, n, path, strconv.Quote(right), true)
	}
	var pe *engine.PatternError
	if errors.As(err, &pe) && pe.Offset < len(n.text) {
		c.within(d, n, pe.Offset, len(n.text))
	}
}

// wildcardMeant finds a part of a path that is a wildcard for other routers, and
// how it is written here.
func wildcardMeant(target string) (wrong, right string) {
	parts := strings.Split(target, "/")
	for i, part := range parts[1:] {
		last := i == len(parts)-2
		switch name, colon := strings.CutPrefix(part, ":"); {
		case colon && isIdentifier(name):
			return part, "{" + name + "}"
		case (part == "*" || part == "**") && last:
			return part, "{rest...}"
		case part == "*":
			return part, "{part}"
		case len(part) > 1 && part[0] == '*' && isIdentifier(part[1:]) && last:
			return part, "{" + part[1:] + "...}"
		}
	}
	return "", ""
}

// within narrows the place of a mistake to a part of a text, where that is a
// plain literal: then an offset in the value is one in the file.
func (c *checker) within(d *ir.Diagnostic, n *node, start, end int) {
	if c.sources.text(n.value) != `"`+n.text+`"` {
		return
	}
	at := d.Span.Start
	shift := func(by int) ir.Pos {
		return ir.Pos{Offset: at.Offset + 1 + by, Line: at.Line, Column: at.Column + 1 + by}
	}
	if d.Span.Start = shift(start); end < len(n.text) {
		d.Span.End = shift(end)
	}
}

// control finds the first character that is not seen: controls, and the marks
// that change the direction of a text.
func control(s string) (r rune, at int) {
	for i, r := range s {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return r, i
		}
	}
	return 0, -1
}

// rightPattern writes a pattern as it was meant: without a scheme, a port, a
// query, and with a method in upper case. "" where that is no pattern either.
func rightPattern(kind ir.Kind, text string) string {
	if kind == ir.GRPC {
		right := strings.TrimPrefix(strings.TrimSpace(text), "/")
		if _, err := engine.ParsePattern(engine.KindGRPC, right); err != nil {
			return ""
		}
		return right
	}
	if kind != ir.HTTP {
		return ""
	}
	method, target := "", ""
	switch words := strings.Fields(text); len(words) {
	case 1:
		return "" // the method is missing, and nobody can know it
	case 2:
		method, target = strings.ToUpper(words[0]), words[1]
	default:
		return ""
	}
	if m := methodMeant(method); m != "" {
		method = m
	}
	if _, rest, ok := strings.Cut(target, "://"); ok {
		target = rest
	}
	target, _, _ = strings.Cut(target, "?")
	target, _, _ = strings.Cut(target, "#")
	host, path, ok := strings.Cut(target, "/")
	if !ok {
		path = ""
	}
	if h, port, ok := strings.Cut(host, ":"); ok && isIndex(port) {
		host = h
	}
	right := method + " " + strings.ToLower(host) + "/" + path
	if _, err := engine.ParsePattern(engine.KindHTTP, right); err != nil || right == text {
		return ""
	}
	return right
}
