package compiler

// Fields that are held together by nothing but their indentation, as in YAML.

import (
	"bytes"
	"fmt"
	"regexp"
	"sort"
	"strings"
)

var (
	labelEndsLine = regexp.MustCompile(`^[ \t]*(?:(?:[A-Za-z_#][A-Za-z0-9_]*|"s*")[ \t]*:[ \t]*)+$`)
	lineOfField   = regexp.MustCompile(`^[ \t]*(?:[A-Za-z_#][A-Za-z0-9_]*|"s*")[ \t]*:`)
)

type indented struct {
	start, end int // of the text in it, without indentation
	indent     int
}

// lines lists the lines of the masked text that have something in them.
func (h *habit) lines() []indented {
	var out []indented
	for at := 0; at < len(h.masked); {
		line := lineAround(h.masked, at)
		body := h.masked[line.start:line.end]
		trimmed := bytes.TrimLeft(body, " \t")
		if text := bytes.TrimRight(trimmed, " \t\r"); len(text) > 0 {
			start := line.end - len(trimmed)
			out = append(out, indented{start, start + len(text), indentation(body[:len(body)-len(trimmed)])})
		}
		at = line.end + 1
		if at <= line.start {
			break
		}
	}
	return out
}

// layout finds lines that end with the colon of a label and have more than one
// field below them, indented: CUE takes the first of those for the whole value.
func (h *habit) layout() {
	if !bytes.Contains(h.masked, []byte(":\n")) && !bytes.Contains(h.masked, []byte(": \n")) && !bytes.Contains(h.masked, []byte(":\r")) {
		return
	}
	lines := h.lines()
	depth := 0 // of brackets at the start of the line
	last := -1 // what is below a slip that was said, as far as here, is one with it
	for i, l := range lines {
		text := h.masked[l.start:l.end]
		d := depth
		for _, c := range text {
			switch c {
			case '{', '[', '(':
				depth++
			case '}', ']', ')':
				depth--
			}
		}
		if i+1 >= len(lines) || lines[i+1].indent <= l.indent || !labelEndsLine.Match(text) {
			continue
		}
		inner := lines[i+1].indent
		end, fields, odd := i+1, 0, false
		level := 0
		for ; end < len(lines) && (lines[end].indent > l.indent || level > 0); end++ {
			body := h.masked[lines[end].start:lines[end].end]
			if lines[end].indent == inner && level == 0 {
				if !lineOfField.Match(body) {
					odd = true
				}
				if fields++; fields > 1 && (body[0] == '_' || body[0] == '#') {
					odd = true // may well stand beside it
				}
			}
			for _, c := range body {
				switch c {
				case '{', '[', '(':
					level++
				case '}', ']', ')':
					level--
				}
			}
		}
		if odd || level != 0 || fields < 2 && i > last || fields < 1 {
			continue
		}
		closed := end < len(lines) && h.masked[lines[end].start] == '}' && lines[end].indent == l.indent && d == 0
		if closed {
			continue // the closing brace is there: the parser finds that the other one is not
		}
		names := strings.TrimSpace(string(h.text[l.start:l.end]))
		stop := lines[end-1].end
		edits := []edit{{l.end, l.end, " {"}, {stop, stop, "}"}}
		if end-1 <= last {
			outer := &h.found[len(h.found)-1]
			outer.fix = append(outer.fix, edits...)
			sort.SliceStable(outer.fix, func(a, b int) bool { return outer.fix[a].start < outer.fix[b].start })
			continue
		}
		last = end - 1
		h.say(slip{
			start: l.start, end: l.end, message: fmt.Sprintf("indentation makes no struct: the fields of %s stand in braces", strings.TrimRight(names, ": ")), title: "write braces",
			help: []string{names + " {…} // … stays as it is"}, fix: edits,
		})
	}
}
