package compiler

import (
	"bytes"
	"unicode/utf8"

	"cuelang.org/go/cue/ast"
	cueerrors "cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/parser"

	"github.com/retryc/retryc/compiler/ir"
)

// mostSlips bounds the mistakes of syntax that are looked for in one file.
const mostSlips = 100

// parse reads the syntax of a file. CUE's parser stumbles on after a mistake and
// reports its own confusion as well, so only its first message counts; then the
// text is read again as it was meant there, or without what cannot be read.
func (u *unit) parse(s *source) *ast.File {
	u.tried = 0
	if isNoText(s.text) {
		u.mistake(s.start(), "the file is not text")
		u.poisoned, u.unreadable = true, true
		return nil
	}
	u.habits(s)
	for n := 0; ; n++ {
		f, err := parser.ParseFile(s.abs, s.read, parser.ParseComments, parser.AllErrors, u.module.version())
		if err == nil {
			return f
		}
		if n == 0 {
			u.unmerge(s)
			u.hashComments(s)
			if len(u.cuts) > 0 && s.origin != nil {
				if f, err = parser.ParseFile(s.abs, s.read, parser.ParseComments, parser.AllErrors, u.module.version()); err == nil {
					return f
				}
			}
		}
		first, at := firstErrorIn(err, len(s.read))
		c := stretch{0, len(s.read)}
		if inner, e, place := u.brokenChunk(s, at); e != nil {
			c, first, at = inner, e, place
		}
		m := diagnose(s, c, first, at)
		t := &trials{u: u, s: s, text: s.read[:c.end], start: c.start, at: at, names: namesIn(s.read)}
		if better, edits, ok := t.mend(m); ok {
			m = better
			u.sayAndEdit(s, m, edits, n)
		} else {
			u.saySlip(s, m)
			if n < mostSlips && u.cutOut(s, m, c, at) {
				continue
			}
			n = mostSlips
		}
		if n == mostSlips {
			u.mistakes[len(u.mistakes)-1].Message += "; more may be wrong below"
			u.unreadable = true
			return nil
		}
	}
}

// sayAndEdit reports a mistake and reads on as it was mended.
func (u *unit) sayAndEdit(s *source, m slip, edits []edit, n int) {
	u.saySlip(s, m)
	if n == mostSlips {
		return
	}
	// Where what stays ends: behind it, no class may be any more.
	at := min(m.start, edits[0].start)
	offset := s.original(len(bytes.TrimRight(s.read[:at], " \t")))
	u.unnamed = u.unnamed || m.anyName || m.all && bytes.IndexByte(s.read[:at], '\n') >= 0 && len(openBrackets(s.read[:at])) == 0
	c := cut{file: s.name, offset: offset, mended: m.fix != nil && m.asRead == nil, name: m.lost, all: m.all, shared: m.all && inShared(s.read, at)}
	s.read, s.origin = s.mended(edits)
	u.cuts = append(u.cuts, c)
}

// brokenChunk is the first chunk up to a place that CUE cannot read alone, with
// what it says of it; e is nil where there is none.
func (u *unit) brokenChunk(s *source, upTo int) (c stretch, e cueerrors.Error, at int) {
	starts := chunks(s.read)
	for i, start := range starts {
		if start > upTo {
			break
		}
		c = stretch{start, len(s.read)}
		if i+1 < len(starts) {
			c.end = starts[i+1]
		}
		if _, err := parser.ParseFile("", s.read[c.start:c.end], parser.AllErrors, u.module.version()); err != nil {
			e, at = firstErrorIn(err, c.end-c.start)
			return c, e, at + c.start
		}
	}
	return c, nil, 0
}

// isNoText reports whether a file holds something else than text: bytes that no
// text has, and not just one that slipped in.
func isNoText(b []byte) bool {
	odd := 0
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 || r < ' ' && r != '\n' && r != '\r' && r != '\t' {
			odd++
		}
		i += n
	}
	return odd > 3 && odd > len(b)/50
}

func (u *unit) saySlip(s *source, m slip) *ir.Diagnostic {
	d := u.mistake(s.spanRead(m.start, m.end), "%s", m.message)
	d.Help = m.help
	for _, r := range m.related {
		d.Related = append(d.Related, ir.Related{Span: s.spanRead(r.start, r.end), Message: r.message})
	}
	if m.fix != nil && m.title != "" {
		d.Fix = &ir.Fix{Title: m.title}
		for _, e := range m.fix {
			d.Fix.Edits = append(d.Fix.Edits, ir.Edit{Span: s.spanRead(e.start, e.end), Text: e.with})
		}
	}
	return d
}

// firstErrorIn returns the first message of the parser's and where it is.
func firstErrorIn(err error, size int) (first cueerrors.Error, at int) {
	at = size + 1
	for _, e := range cueerrors.Errors(err) {
		offset := 0
		if p := e.Position(); p.HasAbsPos() {
			offset = p.Offset()
		}
		if offset < at {
			first, at = e, offset
		}
	}
	return first, min(at, size)
}

// syntaxMistake reports the first mistake of a text that is not read on.
func (u *unit) syntaxMistake(s *source, err error) {
	first, at := firstErrorIn(err, len(s.read))
	u.saySlip(s, diagnose(s, stretch{0, len(s.read)}, first, at))
}

// unmerge keeps the first side of each conflict that a merge left behind, and
// reports it.
func (u *unit) unmerge(s *source) {
	var edits []edit
	for at := 0; at < len(s.read); {
		line := lineAround(s.read, at)
		at = line.end + 1
		if !bytes.HasPrefix(s.read[line.start:line.end], []byte("<<<<<<<")) {
			continue
		}
		m := slip{start: line.start, end: line.end, message: "a merge left a conflict here: keep one side, and remove the marks"}
		cutFrom := -1
		edits = append(edits, edit{line.start, line.end, ""})
		for at < len(s.read) {
			next := lineAround(s.read, at)
			at = next.end + 1
			body := s.read[next.start:next.end]
			if cutFrom < 0 && (bytes.HasPrefix(body, []byte("=======")) || bytes.HasPrefix(body, []byte("|||||||"))) {
				cutFrom = next.start
				m.related = append(m.related, slipRelated{next.start, next.end, "the other side begins here"})
			}
			if bytes.HasPrefix(body, []byte(">>>>>>>")) {
				if cutFrom < 0 {
					cutFrom = next.start
				}
				edits = append(edits, edit{cutFrom, next.end, ""})
				m.related = append(m.related, slipRelated{next.start, next.end, "and ends here"})
				break
			}
		}
		u.saySlip(s, m)
		u.cuts = append(u.cuts, cut{file: s.name, offset: s.original(m.start), mended: true})
	}
	if len(edits) > 0 {
		s.read, s.origin = s.mended(edits)
	}
}

// hashComments reports comments as other languages have them: CUE takes the mark
// for a name, and stumbles later.
func (u *unit) hashComments(s *source) {
	var edits []edit
	scan(s.read, func(i int) (next int) {
		if s.read[i] != '#' || i > 0 && !bytes.ContainsAny(s.read[i-1:i], " \t\n,{") {
			return i + 1
		}
		end := lineAround(s.read, i).end
		if rest := bytes.TrimLeft(s.read[i:end], "#"); i+1 < end && (len(rest) == 0 || rest[0] == ' ' || rest[0] == '\t' || rest[0] == '!') {
			body := string(bytes.TrimSpace(rest))
			right := "// " + body
			edits = append(edits, edit{i, i + len(s.read[i:end]) - len(rest), "//"})
			u.saySlip(s, slip{start: i, end: i + 1, message: "a comment begins with //", help: []string{right}, title: "write //", fix: edits[len(edits)-1:]})
			u.cuts = append(u.cuts, cut{file: s.name, offset: s.original(i), mended: true})
			return end
		}
		return i + 1
	})
	if len(edits) > 0 {
		s.read, s.origin = s.mended(edits)
	}
}
