package ir

import (
	"sort"
	"strings"
)

// Pos is a place in a file. Line and Column count from 1, Offset from 0; Column
// and Offset are bytes. Reporters convert columns to what their readers count.
type Pos struct {
	Offset, Line, Column int
}

// Span is a stretch of a file, End exclusive. The zero Span is no place.
type Span struct {
	File       string // as shown to people: relative, forward slashes
	Start, End Pos
}

// IsZero reports whether the span is no place.
func (s Span) IsZero() bool { return s.File == "" }

// Place says where one field was written.
type Place struct {
	Path    string
	Label   Span   // the field's name
	Value   Span   // its value: the innermost text the author can edit
	Related []Span // other texts that contributed, such as the reference through which a shared value came
}

// SpanTable answers where each written field is. Self is the whole class or
// set: its label, or the package clause. Places are sorted by Path.
type SpanTable struct {
	Self Place
	// Template is the name of a class that a comprehension makes, as the text has
	// it ("sync-\(r)"), where Self.Label is what the name is made of; zero: it is
	// written by itself.
	Template Span
	Places   []Place
}

// Add records a place; Sort must follow the last Add.
func (t *SpanTable) Add(p Place) { t.Places = append(t.Places, p) }

// Sort orders the table for look-ups.
func (t *SpanTable) Sort() {
	sort.SliceStable(t.Places, func(i, j int) bool { return t.Places[i].Path < t.Places[j].Path })
}

// Place returns where path was written.
func (t *SpanTable) Place(path string) (Place, bool) {
	i := sort.Search(len(t.Places), func(i int) bool { return t.Places[i].Path >= path })
	if i < len(t.Places) && t.Places[i].Path == path {
		return t.Places[i], true
	}
	return Place{}, false
}

// Nearest returns the place of path or of its nearest written ancestor, and
// last that of the class or set itself. exact tells which.
func (t *SpanTable) Nearest(path string) (place Place, exact bool) {
	if p, ok := t.Place(path); ok {
		return p, true
	}
	for {
		i := strings.LastIndexByte(path, '.')
		if i < 0 {
			return t.Self, false
		}
		path = path[:i]
		if p, ok := t.Place(path); ok {
			return p, false
		}
	}
}

// Span is the value of path where the author wrote it, else the label of the
// nearest written ancestor or of the class. It panics on a path that is not of
// the language: such a caller has a typo.
func (c *Class) Span(path string) Span {
	mustKnow(classPaths, path)
	p, exact := c.Spans.Nearest(path)
	if exact {
		return p.Value
	}
	return p.Label
}

// Label is like Span for the field's name.
func (c *Class) Label(path string) Span {
	mustKnow(classPaths, path)
	p, _ := c.Spans.Nearest(path)
	return p.Label
}

// Related returns the other texts that gave path its value.
func (c *Class) Related(path string) []Span {
	mustKnow(classPaths, path)
	p, _ := c.Spans.Place(path)
	return p.Related
}

// Written reports whether the author wrote path, rather than leaving it to its
// default.
func (c *Class) Written(path string) bool {
	mustKnow(classPaths, path)
	_, ok := c.Spans.Place(path)
	return ok
}

// Span is Class.Span for a field of the set.
func (s *Set) Span(path string) Span {
	mustKnow(setPaths, path)
	p, exact := s.Spans.Nearest(path)
	if exact {
		return p.Value
	}
	return p.Label
}

// Label is Class.Label for a field of the set.
func (s *Set) Label(path string) Span {
	mustKnow(setPaths, path)
	p, _ := s.Spans.Nearest(path)
	return p.Label
}

// Written is Class.Written for a field of the set.
func (s *Set) Written(path string) bool {
	mustKnow(setPaths, path)
	_, ok := s.Spans.Place(path)
	return ok
}
