package lint

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/unified"
)

// A fix is offered only where the edit is safer for sure, where it changes this
// class alone, and where the text around it leaves no doubt.

// replace offers other text for a value that the class itself writes.
func (f *Facts) replace(path, text, title string) *ir.Fix {
	p, ok := f.Spans.Place(path)
	if !ok || len(p.Related) > 0 || !spelled(f.Set.Source(p.Label.File), p, path) {
		return nil
	}
	return &ir.Fix{Title: title, Edits: []ir.Edit{{Span: p.Value, Text: text}}}
}

// remove offers to take out a field that the class itself writes.
func (f *Facts) remove(path, title string) *ir.Fix {
	return removal(f.Set, f.Spans.Place, path, title)
}

// remove offers to take out a waiver.
func (w *waiver) remove() *ir.Fix {
	table := &w.set.Spans
	if w.class != nil {
		table = &w.class.Spans
	}
	return removal(w.set.Set, table.Place, "waive."+w.Rule, "remove the unused waiver")
}

// removal cuts a field out of its file: with the labels in front of it where it
// is the only thing that they lead to, and with its line where it stands alone.
func removal(set *ir.Set, place func(string) (ir.Place, bool), path, title string) *ir.Fix {
	p, ok := place(path)
	if !ok || len(p.Related) > 0 {
		return nil
	}
	text := set.Source(p.Label.File)
	if !spelled(text, p, path) {
		return nil
	}
	start, end := p.Label.Start.Offset, p.Value.End.Offset
	// outcome: "404": "retry" has no other key: the label before goes as well.
	for up := path; bytes.HasSuffix(bytes.TrimRight(text[:start], " \t"), []byte(":")); {
		if up, _, ok = cutLast(up); !ok {
			return nil // what is left would be the class itself
		}
		if start = labelBefore(text, start, up); start < 0 {
			return nil
		}
	}
	start, end, ok = widen(text, start, end)
	if !ok {
		return nil
	}
	return &ir.Fix{Title: title, Edits: []ir.Edit{{Span: spanOf(p.Label, text, start, end)}}}
}

// spelled reports whether a field stands in its file as name, colon and value.
// One that a comprehension makes, or whose name is computed, does not: its name
// is then a text somewhere else, and more hangs on it than this field.
func spelled(text []byte, p ir.Place, path string) bool {
	return p.Label.File == p.Value.File && within(text, p.Value) && labels(text, p.Label, p.Value.Start.Offset, path)
}

// labels reports whether a label is the name of a path, followed by a colon and
// by what begins at that offset.
func labels(text []byte, label ir.Span, at int, path string) bool {
	if !within(text, label) || label.End.Offset > at || at > len(text) {
		return false
	}
	name := string(text[label.Start.Offset:label.End.Offset])
	if unquoted, err := strconv.Unquote(name); err == nil {
		name = unquoted
	}
	return name == lastOf(path) && strings.TrimSpace(string(text[label.End.Offset:at])) == ":"
}

// labelBefore is where the label of a path begins that leads to what stands at an
// offset, or -1 where another stands there.
func labelBefore(text []byte, at int, path string) int {
	head := bytes.TrimRight(bytes.TrimSuffix(bytes.TrimRight(text[:at], " \t"), []byte(":")), " \t")
	key := lastOf(path)
	for _, name := range []string{key, strconv.Quote(key)} {
		start := len(head) - len(name)
		if start > 0 && string(head[start:]) == name && strings.IndexByte(" \t\n:{,", head[start-1]) >= 0 {
			return start
		}
	}
	return -1
}

// lastOf is the last part of a path.
func lastOf(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

func within(text []byte, s ir.Span) bool {
	return !s.IsZero() && s.Start.Offset >= 0 && s.Start.Offset < s.End.Offset && s.End.Offset <= len(text)
}

func cutLast(path string) (before, after string, ok bool) {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return "", "", false
	}
	return path[:i], path[i+1:], true
}

// widen takes in what separates a field from its neighbors: the whole line, or
// one comma. A comment beside or above it may be about it or not: no fix then.
func widen(text []byte, start, end int) (int, int, bool) {
	lineStart := bytes.LastIndexByte(text[:start], '\n') + 1
	lineEnd := len(text)
	if i := bytes.IndexByte(text[end:], '\n'); i >= 0 {
		lineEnd = end + i + 1
	}
	left := string(text[lineStart:start])
	right := strings.TrimSpace(string(text[end:lineEnd]))
	if strings.Contains(right, "//") {
		return 0, 0, false
	}
	if strings.TrimSpace(left) == "" && (right == "" || right == ",") {
		above := strings.TrimSpace(lastLine(text[:lineStart]))
		return lineStart, lineEnd, !strings.HasPrefix(above, "//")
	}
	rest := bytes.TrimLeft(text[end:lineEnd], " \t")
	if bytes.HasPrefix(rest, []byte(",")) {
		rest = bytes.TrimLeft(rest[1:], " \t")
		return start, lineEnd - len(rest), true
	}
	before := bytes.TrimRight(text[:start], " \t")
	if bytes.HasSuffix(before, []byte(",")) {
		return len(before) - 1, end, true
	}
	return start, end, bytes.HasSuffix(before, []byte("{")) && bytes.HasPrefix(rest, []byte("}"))
}

func lastLine(text []byte) string {
	text = bytes.TrimSuffix(text, []byte("\n"))
	return string(text[bytes.LastIndexByte(text, '\n')+1:])
}

// spanOf is a stretch of a file near a span whose lines are known.
func spanOf(near ir.Span, text []byte, start, end int) ir.Span {
	pos := func(at int) ir.Pos {
		line := near.Start.Line
		if at < near.Start.Offset {
			line -= bytes.Count(text[at:near.Start.Offset], []byte("\n"))
		} else {
			line += bytes.Count(text[near.Start.Offset:at], []byte("\n"))
		}
		return ir.Pos{Offset: at, Line: line, Column: at - bytes.LastIndexByte(text[:at], '\n')}
	}
	return ir.Span{File: near.File, Start: pos(start), End: pos(end)}
}

// Fixed is what ApplyFixes has done.
type Fixed struct {
	Files   map[string][]byte // the new text of each file that changed
	Applied []ir.Diagnostic   // whose fix is in Files
	Skipped []ir.Diagnostic   // whose fix touches what another has changed: run again
}

// ApplyFixes applies the fixes of diagnostics to the texts that source returns
// by the names in their spans. Everything outside the edits stays byte for byte.
// A fix is applied whole or not at all. It does not write files.
func ApplyFixes(found []ir.Diagnostic, source func(string) []byte) Fixed {
	out := Fixed{Files: map[string][]byte{}}
	taken := map[string][]ir.Edit{}
	for _, d := range found {
		if d.Fix == nil {
			continue
		}
		if allTaken(d.Fix.Edits, taken) { // classes that share the text share the fix
			out.Applied = append(out.Applied, d)
			continue
		}
		if !fits(d.Fix.Edits, taken, source) {
			out.Skipped = append(out.Skipped, d)
			continue
		}
		for _, e := range d.Fix.Edits {
			taken[e.Span.File] = append(taken[e.Span.File], e)
		}
		out.Applied = append(out.Applied, d)
	}
	for file, edits := range taken {
		slices.SortFunc(edits, func(a, b ir.Edit) int { return cmp.Compare(a.Span.Start.Offset, b.Span.Start.Offset) })
		text, at := []byte(nil), 0
		old := source(file)
		for _, e := range edits {
			text = append(append(text, old[at:e.Span.Start.Offset]...), e.Text...)
			at = e.Span.End.Offset
		}
		out.Files[file] = append(text, old[at:]...)
	}
	return out
}

// Diff is what the fixes change, as a unified diff of the files in the order of
// their names; source returns the old texts.
func (f *Fixed) Diff(source func(string) []byte) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(f.Files)) {
		b.WriteString(unified.Diff(name, source(name), name+" (fixed)", f.Files[name]))
	}
	return b.String()
}

// allTaken reports whether another fix makes the same edits.
func allTaken(edits []ir.Edit, taken map[string][]ir.Edit) bool {
	for _, e := range edits {
		if !slices.Contains(taken[e.Span.File], e) {
			return false
		}
	}
	return true
}

// fits reports whether all edits lie within their files and touch none taken.
func fits(edits []ir.Edit, taken map[string][]ir.Edit, source func(string) []byte) bool {
	for _, e := range edits {
		start, end := e.Span.Start.Offset, e.Span.End.Offset
		text := source(e.Span.File)
		if text == nil || start < 0 || start > end || end > len(text) {
			return false
		}
		for _, t := range taken[e.Span.File] {
			if start < t.Span.End.Offset && t.Span.Start.Offset < end || start == t.Span.Start.Offset {
				return false
			}
		}
	}
	return true
}
