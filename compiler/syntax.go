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
		u.mistake(ir.Span{File: s.name}, "the file is not text")
		u.poisoned, u.unreadable = true, true
		return nil
	}
	u.deepNesting(s)
	// What CUE can read may mean what it says, whatever it looks like.
	if u.literally && s.origin == nil {
		if f, err := parser.ParseFile(s.abs, s.read, parser.ParseComments, parser.AllErrors, u.module.version()); err == nil {
			u.readable = append(u.readable, s)
			return f
		}
	}
	u.habits(s)
	said := 0
	for round := 0; ; round++ {
		f, err := parser.ParseFile(s.abs, s.read, parser.ParseComments, parser.AllErrors, u.module.version())
		if err == nil {
			return f
		}
		if round == 0 {
			u.unmerge(s)
			u.hashComments(s)
			if len(u.cuts) > 0 && s.origin != nil {
				if f, err = parser.ParseFile(s.abs, s.read, parser.ParseComments, parser.AllErrors, u.module.version()); err == nil {
					return f
				}
			}
		}
		m := mender{u: u, s: s, names: namesIn(s.read), said: said}
		if !m.chunks() && m.more() {
			// Each declaration can be read alone, and not all together.
			first, at := firstErrorIn(err, len(s.read))
			m.mend(stretch{0, len(s.read)}, first, at)
		}
		if said = m.said; m.lost {
			u.unreadable, u.poisoned = true, true
			return nil
		}
	}
}

// mender goes on after the mistakes of one file.
type mender struct {
	u     *unit
	s     *source
	names map[string]bool // that the file may declare
	said  int             // mistakes
	lost  bool            // there is no going on
}

// more reports whether one more mistake can be said.
func (m *mender) more() bool {
	if m.said >= mostSlips && !m.lost {
		m.lost = true
		m.u.mistakes[len(m.u.mistakes)-1].Message += "; more may be wrong below"
	}
	return !m.lost
}

// chunks mends each chunk that cannot be read alone, and reports whether there
// was one.
func (m *mender) chunks() (any bool) {
	starts := append(chunks(m.s.read), len(m.s.read))
	for i := 0; i+1 < len(starts); i++ {
		c := stretch{starts[i], starts[i+1]}
		for {
			e, at := m.read(c)
			if e == nil {
				break
			}
			if n := m.together(starts, i); n > i {
				i = n
				break
			}
			if any = true; !m.more() {
				return any
			}
			before := len(m.s.read)
			m.mend(c, e, at)
			if m.lost {
				return any
			}
			for j := i + 1; j < len(starts); j++ {
				starts[j] += len(m.s.read) - before
			}
			c.end = starts[i+1]
		}
	}
	return any
}

func (m *mender) read(c stretch) (e cueerrors.Error, at int) {
	if _, err := parser.ParseFile("", m.s.read[c.start:c.end], parser.AllErrors, m.u.module.version()); err != nil {
		e, at = firstErrorIn(err, c.end-c.start)
	}
	return e, at + c.start
}

// together finds the last of a few chunks that are one in spite of their layout.
func (m *mender) together(starts []int, i int) int {
	const few = 3
	for n := i + 1; n <= i+few && n+1 < len(starts); n++ {
		if e, _ := m.read(stretch{starts[i], starts[n+1]}); e == nil {
			return n
		}
	}
	return i
}

// mend says one mistake and changes the text so that reading gets beyond it.
func (m *mender) mend(c stretch, e cueerrors.Error, at int) {
	m.said++
	known := diagnose(m.s, c, e, at)
	t := &trials{u: m.u, s: m.s, text: m.s.read[:c.end], start: c.start, at: at, names: m.names}
	if best, edits, ok := t.mend(known); ok {
		m.u.saySlip(m.s, best)
		m.edit(best, edits)
		return
	}
	m.u.saySlip(m.s, known)
	m.lost = !m.u.cutOut(m.s, known, c, at)
}

// edit changes the text as it was meant.
func (m *mender) edit(of slip, edits []edit) {
	u, s := m.u, m.s
	// Where what stays ends: behind it, no class may be any more.
	at := min(of.start, edits[0].start)
	offset := s.original(len(bytes.TrimRight(s.read[:at], " \t")))
	u.unnamed = u.unnamed || of.anyName || of.all && bytes.IndexByte(s.read[:at], '\n') >= 0 && len(openBrackets(s.read[:at])) == 0
	u.cuts = append(u.cuts, cut{file: s.name, offset: offset, mended: of.fix != nil && of.asRead == nil, name: of.lost, all: of.all, shared: of.all && inShared(s.read, at)})
	s.read, s.origin = s.mended(edits)
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
