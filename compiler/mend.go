package compiler

// Going on after a mistake of syntax: the text is read again as it was meant,
// and every place stays that of the text as it is.

import (
	"bytes"
	"slices"
	"sort"

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

// skipped is a hidden field in the place of one that cannot be read.
const skipped = "_retrycSkipped: _"

// slip is one mistake of syntax. Its places are those of the text as it was read.
type slip struct {
	start, end int
	message    string
	help       []string
	related    []slipRelated
	title      string // of the fix
	fix        []edit // what was meant; nil: nobody can tell
	stand      []edit // what lets reading go on where fix is nil
	lost       string // the field that stand takes away
	closes     bool   // the fix closes a bracket
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

// goOn changes the text so that the parser gets beyond a mistake. It tries what
// was meant, then less and less gentle cuts, and answers whether anything was
// left to try.
func (u *unit) goOn(s *source, m slip, at int) bool {
	try := func(edits []edit) bool {
		if len(edits) == 0 {
			return false
		}
		text, origin := s.mended(edits)
		moved := at
		for _, e := range edits {
			if e.start <= at {
				moved += len(e.with) - (e.end - e.start)
			}
		}
		moved = max(moved, edits[len(edits)-1].start)
		if _, err := parser.ParseFile(s.abs, text, parser.AllErrors, u.module.version()); err != nil {
			e, next := firstErrorIn(err, len(text))
			switch {
			case m.closes && isExtra(e), next < edits[0].start:
				return false
			case next <= moved && !m.closes: // the end may come too early again, for another bracket
				return false
			}
		}
		s.read, s.origin = text, origin
		return true
	}
	// Where what stays ends: behind it, no class may be any more.
	offset := func(edits []edit) int {
		at := min(m.start, edits[0].start)
		return s.original(len(bytes.TrimRight(s.read[:at], " \t")))
	}
	if len(m.fix) > 0 {
		if at := offset(m.fix); try(m.fix) {
			u.cuts = append(u.cuts, cut{file: s.name, offset: at, mended: true})
			return true
		}
	}
	if len(m.stand) > 0 {
		if at := offset(m.stand); try(m.stand) {
			u.cuts = append(u.cuts, cut{file: s.name, offset: at, name: m.lost})
			return true
		}
	}
	for _, seg := range segments(s.read, at) {
		with := skipped
		if seg.inList {
			with = unknown
		}
		name := ""
		if f := fieldName.FindSubmatch(s.read[seg.start:seg.end]); f != nil {
			name = string(f[1])
		}
		cutAt := s.original(seg.start)
		text := s.read[seg.start:seg.end]
		if try([]edit{{seg.start, seg.end, with}}) {
			u.poisoned = u.poisoned || bytes.Contains(text, []byte("class"))
			u.cuts = append(u.cuts, cut{file: s.name, offset: cutAt, name: name})
			return true
		}
	}
	return u.blank(s, at)
}

// blank replaces the declaration at the top of a file around a mistake by spaces.
func (u *unit) blank(s *source, at int) bool {
	text := s.read
	if len(bytes.TrimSpace(text)) == 0 {
		return false
	}
	u.poisoned = true
	wipe := func(start, end int) bool {
		s.read = bytes.Clone(text)
		for i := start; i < end; i++ {
			if text[i] != '\n' && text[i] != '\r' {
				s.read[i] = ' '
			}
		}
		return true
	}
	starts := declarations(text)
	for i := sort.SearchInts(starts, at+1) - 1; i >= 0; i-- {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		if len(bytes.TrimSpace(text[starts[i]:end])) == 0 {
			continue
		}
		if bytes.HasPrefix(text[starts[i]:], []byte("package")) && bytes.IndexByte(text[starts[i]:at], '\n') >= 0 {
			break
		}
		return wipe(starts[i], end)
	}
	return wipe(0, len(text))
}

// cut is where a text was changed to go on after a mistake of syntax: the class
// around it is not sound, and a field that was taken away is not missing as well.
type cut struct {
	file   string
	offset int
	name   string // of the field that was taken away, if any
	inside bool   // within a class
	mended bool   // as it was meant: nothing was taken away
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
		if class != nil && !class.has(c) && (c.inside || c.mended) {
			continue
		}
		if out == nil {
			out = map[string]bool{}
		}
		out[c.name] = true
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
