package compiler

// Going on after a mistake of syntax: the text is read again as it was meant,
// and every place stays that of the text as it is.

import (
	"bytes"
	"regexp"
	"slices"
	"sort"
	"strings"

	"cuelang.org/go/cue/parser"

	"github.com/retryc/retryc/compiler/ir"
)

// edit replaces a stretch of a text.
type edit struct {
	start, end int
	with       string
}

// unknown stands in for a value that is not there, or cannot be read; nothing is
// said about it again. It is a field without a value, since CUE refuses a whole
// package for one name that leads nowhere.
const unknown = "_retrycUnknown"

// skippedName begins the names of hidden fields in the place of what cannot be
// read: they are as many as there are places, and so have nothing to do with each
// other.
const skippedName = "_retrycSkipped"

func skipped(at int) string { return skippedName + itoa(at) }

// slip is one mistake of syntax. Its places are those of the text as it was read.
type slip struct {
	start, end int
	message    string
	help       []string
	related    []slipRelated
	title      string // of the fix
	fix        []edit // what was meant; nil: nobody can tell
	stand      []edit // what lets reading go on where fix is nil
	asRead     []edit // what is read instead of the fix, where it would not end there
	lost       string // the field that stand takes away
	all        bool   // nobody knows what else it takes away
	anyName    bool   // nor which names it would have declared
	sure       bool   // no other way to mend it is worth a trial
}

type slipRelated struct {
	start, end int
	message    string
}

// mended is the text with edits, which are in order and do not overlap, and the
// offset in the original of each of its bytes; of those that an edit put there,
// the complement of its offset.
func (s *source) mended(edits []edit) (text []byte, origin []int32) {
	at := 0
	keep := func(to int) {
		for ; at < to; at++ {
			text = append(text, s.read[at])
			if s.origin != nil {
				origin = append(origin, s.origin[at])
			} else {
				origin = append(origin, int32(at))
			}
		}
	}
	for _, e := range edits {
		keep(e.start)
		for i := range len(e.with) {
			text = append(text, e.with[i])
			origin = append(origin, ^int32(s.original(e.start)))
		}
		at = e.end
	}
	keep(len(s.read))
	return text, append(origin, int32(s.original(len(s.read))))
}

// original is the offset in the text as it is of one in the text as it is read.
func (s *source) original(at int) int {
	if s.origin == nil {
		return at
	}
	if o := s.origin[min(max(at, 0), len(s.origin)-1)]; o >= 0 {
		return int(o)
	} else {
		return int(^o)
	}
}

// originalEnd is the same for the end of a stretch: what was removed behind it
// is no part of it.
func (s *source) originalEnd(at int) int {
	if s.origin != nil && at > 0 && at <= len(s.origin) && s.origin[at-1] >= 0 {
		return int(s.origin[at-1]) + 1
	}
	return s.original(at)
}

// spanRead is the place of a stretch of the text as it is read.
func (s *source) spanRead(start, end int) ir.Span {
	if end <= start {
		return s.span(s.original(start), s.original(start))
	}
	return s.span(s.original(start), s.originalEnd(end))
}

// cutOut takes away what cannot be read: of the fields around a mistake the first
// that lets reading go on, or the whole declaration. It answers whether anything
// was left to take away.
func (u *unit) cutOut(s *source, m slip, c stretch, at int) bool {
	text := s.read[:c.end]
	for _, seg := range segments(text, at) {
		if seg.start < c.start || u.tried > mostTried {
			continue
		}
		with := skipped(seg.start) + ": _"
		if seg.inList {
			with = unknown
		}
		body := s.read[seg.start:seg.end]
		chunk := append(bytes.Clone(text[c.start:seg.start]), with...)
		chunk = append(chunk, text[seg.end:]...)
		u.tried += len(chunk)
		if _, err := parser.ParseFile("", chunk, parser.AllErrors, u.module.version()); err != nil {
			if _, next := firstErrorIn(err, len(chunk)); next <= seg.start-c.start+len(with) || seg.start-c.start+len(with)+1 >= next {
				continue
			}
		}
		name := ""
		if f := fieldName.FindSubmatch(body); f != nil {
			name = string(f[1])
		}
		u.lose(body)
		u.poisoned = u.poisoned || bytes.Contains(body, []byte("class"))
		u.cuts = append(u.cuts, cut{file: s.name, offset: s.original(seg.start), name: name, all: true, shared: inShared(s.read, seg.start)})
		s.read, s.origin = s.mended([]edit{{seg.start, seg.end, with}})
		return true
	}
	if len(bytes.TrimSpace(text[c.start:])) == 0 {
		return false
	}
	u.poisoned = true
	u.lose(text[c.start:])
	from := c.start
	if from == 0 && bytes.HasPrefix(text, mark) {
		from = len(mark)
	}
	if p := packageLine.FindIndex(text[c.start:]); p != nil && bytes.IndexByte(text[c.start:at], '\n') >= 0 {
		from = c.start + p[1]
	}
	s.read = bytes.Clone(s.read)
	for i := from; i < c.end; i++ {
		if s.read[i] != '\n' && s.read[i] != '\r' {
			s.read[i] = ' '
		}
	}
	return true
}

var packageLine = regexp.MustCompile(`(?m)^package [a-z0-9_]+[ \t]*\r?$`)

var anyName = regexp.MustCompile(`[_#$A-Za-z][_#$A-Za-z0-9]*`)

var sharing = regexp.MustCompile(`^[ \t]*(?:[#_]|let[ \t])`)

// inShared reports whether the declaration at the top of a file around an offset
// is something that classes are made of.
func inShared(text []byte, at int) bool {
	starts := chunks(text)
	i := sort.SearchInts(starts, at+1) - 1
	return i >= 0 && sharing.Match(text[starts[i]:])
}

// lose remembers the names of a text that was taken away: it may have declared
// them.
func (u *unit) lose(text []byte) {
	if u.lost == nil {
		u.lost = map[string]bool{}
	}
	for _, name := range anyName.FindAll(text, -1) {
		u.lost[string(name)] = true
	}
}

// mayDeclare reports whether a name may stand in what could not be read.
func (u *unit) mayDeclare(name string) bool {
	return u.unreadable || u.unnamed || u.lost[name] || strings.HasPrefix(name, "_retryc")
}

var declaring = regexp.MustCompile(`([_#$A-Za-z][_#$A-Za-z0-9]*)[ \t]*[?!]?[:=]|\bfor[ \t]+(\w+)(?:[ \t]*,[ \t]*(\w+))?|"(?:[^"\n]*/)?([A-Za-z0-9_]+)"`)

// namesIn lists what a text may declare, or import.
func namesIn(text []byte) map[string]bool {
	out := map[string]bool{unknown: true}
	for _, m := range declaring.FindAllSubmatch(text, -1) {
		for _, name := range m[1:] {
			if len(name) > 0 {
				out[string(name)] = true
			}
		}
	}
	return out
}

// cut is where a text was changed to go on after a mistake of syntax: the class
// around it is not sound, and a field that was taken away is not missing as well.
type cut struct {
	file   string
	offset int
	name   string // of the field that was taken away, if any
	inside bool   // within a class
	mended bool   // as it was meant: nothing was taken away
	all    bool   // nobody knows what else the text had that was taken away
	shared bool   // not within a class: in what any class may be made of
}

// placeCuts finds out which cuts are within a class.
func (u *unit) placeCuts(classes []*node) {
	for i := range u.cuts {
		u.cuts[i].inside = slices.ContainsFunc(classes, func(n *node) bool { return n.has(u.cuts[i]) })
	}
}

// cutsIn returns the names of the fields that were cut within a class, and of
// those outside of all classes, which any class may have had. For the set itself,
// without a node, it returns all.
func (u *unit) cutsIn(class *node) map[string]bool {
	var out map[string]bool
	for _, c := range u.cuts {
		if class != nil && !class.has(c) && (c.inside || c.mended) && !c.shared {
			continue
		}
		if out == nil {
			out = map[string]bool{}
		}
		out[c.name] = true
		if c.all && class != nil && (c.inside || c.shared) {
			out["*"] = true
		}
	}
	return out
}

// has reports whether a cut is in a text that a class is made of, wherever that
// stands.
func (n *node) has(c cut) bool {
	in := func(n *node) bool { return n.has(c) }
	return n.holds(c) || slices.ContainsFunc(n.fields, in) || slices.ContainsFunc(n.elems, in)
}

func (n *node) holds(c cut) bool {
	start := n.value.Start.Offset
	if n.label.File == n.value.File && n.label.Start.Offset < start {
		start = n.label.Start.Offset
	}
	if c.file == n.value.File && start <= c.offset && c.offset <= n.value.End.Offset {
		return true
	}
	return slices.ContainsFunc(n.also, func(s ir.Span) bool {
		return c.file == s.File && s.Start.Offset <= c.offset && c.offset <= s.End.Offset
	})
}
