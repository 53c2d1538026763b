package compiler

// Going on after a mistake of syntax.

import (
	"bytes"
	"slices"
	"sort"
	"strings"

	"cuelang.org/go/cue/parser"
)

// blank replaces the text around a mistake by spaces, or answers nil where
// nothing is left to blank.
func (u *unit) blank(src *source, text []byte, at int) []byte {
	line := lineAround(text, at)
	body := bytes.TrimSpace(text[line.start:line.end])
	inside := len(body) > 0 && (text[line.start] == ' ' || text[line.start] == '\t') && !bytes.ContainsAny(body, "{}[]")
	if inside {
		out := wipe(text, line.start, line.end)
		if f, err := parser.ParseFile(src.abs, out, parser.AllErrors, u.module.version()); f != nil {
			gone := err == nil
			if err != nil {
				_, next := firstError(err, src)
				gone = next > line.end
			}
			if gone {
				if m := fieldName.FindSubmatch(text[line.start:line.end]); m != nil {
					u.cuts = append(u.cuts, cut{file: src.name, offset: line.start, name: string(m[1])})
				}
				return out
			}
		}
	}
	u.poisoned = true
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
		return wipe(text, starts[i], end)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	return wipe(text, 0, len(text))
}

// cut is a field whose line was blanked: the class around it is not sound, and
// the field is not missing as well.
type cut struct {
	file   string
	offset int
	name   string
	inside bool // within a class
}

// placeCuts finds out which cuts are within a class.
func (u *unit) placeCuts(classes []*node) {
	for i := range u.cuts {
		u.cuts[i].inside = slices.ContainsFunc(classes, func(n *node) bool { return n.holds(u.cuts[i]) })
	}
}

// cutsIn returns the names of the fields that were blanked within a class, and of
// those outside of all classes, which any class may have had. For the set itself,
// without a node, it returns all.
func (u *unit) cutsIn(class *node) map[string]bool {
	var out map[string]bool
	for _, c := range u.cuts {
		if class != nil && c.inside && !class.holds(c) {
			continue
		}
		if out == nil {
			out = map[string]bool{}
		}
		out[c.name] = true
	}
	return out
}

func (n *node) holds(c cut) bool {
	return c.file == n.value.File && n.value.Start.Offset <= c.offset && c.offset <= n.value.End.Offset
}

func wipe(text []byte, start, end int) []byte {
	out := bytes.Clone(text)
	for i := start; i < end; i++ {
		if out[i] != '\n' && out[i] != '\r' {
			out[i] = ' '
		}
	}
	return out
}

// declarations finds the offsets of lines that begin a declaration at the top
// of a file, as the layout of the text has it: something other than a closing
// bracket or a comment in the first column.
func declarations(text []byte) []int {
	var starts []int
	for at := 0; at < len(text); {
		c := text[at]
		switch {
		case at == 0 && bytes.HasPrefix(text, mark):
			starts = append(starts, len(mark))
		case strings.IndexByte(" \t\r\n)]}", c) >= 0, bytes.HasPrefix(text[at:], []byte("//")):
		default:
			starts = append(starts, at)
		}
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
	}
	return starts
}
