package compiler

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"cuelang.org/go/cue/ast"
	cueerrors "cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/parser"

	"github.com/retryc/retryc/compiler/ir"
)

// parse reads the syntax of a file. CUE's parser stumbles on after a mistake and
// reports its own confusion as well, so only its first message counts; then the
// text that it is about is blanked (a line where that is enough, else the
// declaration at the top of the file around it), which leaves every other
// position as it is, and the rest is read again.
func (u *unit) parse(src *source) *ast.File {
	text := src.text
	const most = 100
	for range most {
		f, err := parser.ParseFile(src.abs, text, parser.ParseComments, parser.AllErrors, u.module.version())
		if err == nil {
			return f
		}
		first, at := firstError(err, src)
		next := u.blank(src, text, u.syntaxMistake(src, text, first, at))
		if next == nil {
			return nil
		}
		text = next
	}
	return nil
}

func firstError(err error, src *source) (first cueerrors.Error, at int) {
	at = len(src.text) + 1
	for _, e := range cueerrors.Errors(err) {
		offset := 0
		if p := e.Position(); p.HasAbsPos() {
			offset = p.Offset()
		}
		if offset < at {
			first, at = e, offset
		}
	}
	return first, min(at, len(src.text))
}

var (
	bareUnit   = regexp.MustCompile(`^([0-9]+(\.[0-9]+)?) ?(ns|us|µs|ms|s|m|h|d|B|KiB|MiB|GiB)\b`)
	dashedName = regexp.MustCompile(`([A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)+)[ \t]*$`)
	fieldName  = regexp.MustCompile(`^[ \t]*"?([A-Za-z_][A-Za-z0-9_]*)"?[ \t]*:?`)
)

// syntaxMistake words one message of the parser's. It returns where the mistake
// is, which may be before the place that the parser noticed it at.
func (u *unit) syntaxMistake(src *source, text []byte, e cueerrors.Error, at int) int {
	format, args := e.Msg()
	msg := fmt.Sprintf(format, args...)
	line := lineAround(text, at)
	rest := text[at:line.end]
	head := text[line.start:at]
	place := src.span(at, at+firstWord(rest))

	// A value with a unit and without quotes is two tokens for CUE.
	if i := lastValue(head); i >= 0 {
		if m := bareUnit.Find(text[line.start+i : line.end]); m != nil && line.start+i+len(m) > at-1 {
			right := `"` + strings.ReplaceAll(string(m), " ", "") + `"`
			if name := fieldName.FindSubmatch(head); name != nil && !takesUnit(string(name[1])) {
				u.mistake(place, "a number has no unit, and text stands in quotes")
				return at
			}
			span := src.span(line.start+i, line.start+i+len(m))
			d := u.mistake(span, "%s needs quotes: %s", m, right)
			if name := fieldName.FindSubmatch(head); name != nil {
				d.Help = []string{string(name[1]) + ": " + right}
			}
			d.Fix = &ir.Fix{Title: "put it in quotes", Edits: []ir.Edit{{Span: span, Text: right}}}
			return at
		}
	}
	found := quoteFound(rest)
	switch {
	case strings.HasSuffix(msg, "found 'EOF'") || at >= len(bytes.TrimRight(text, " \t\r\n")) && strings.HasPrefix(msg, "missing ','"):
		if open, char := unclosed(text); open >= 0 {
			u.mistake(src.span(open, open+1), "this %c is never closed", char)
			return open
		}
		u.mistake(place, "the file ends too early")
	case strings.HasPrefix(msg, "missing ','") && bytes.HasPrefix(rest, []byte(":")) && openList(text[:at]) >= 0:
		open := openList(text[:at])
		u.mistake(src.span(open, open+1), "this %c is never closed", text[open])
		return open
	case strings.HasPrefix(msg, "missing ','") && dashedName.Match(head):
		// photo-upload: {…} is a subtraction for CUE
		m := dashedName.FindSubmatchIndex(head)
		name := string(head[m[2]:m[3]])
		span := src.span(line.start+m[2], line.start+m[3])
		d := u.mistake(span, "a name with - in it needs quotes")
		d.Help = []string{strings.TrimSpace(string(head[:m[2]]) + strconv.Quote(name) + string(rest))}
		d.Fix = &ir.Fix{Title: "put it in quotes", Edits: []ir.Edit{{Span: span, Text: strconv.Quote(name)}}}
	case strings.HasPrefix(msg, "missing ','"):
		if m := regexp.MustCompile(`^[ \t]*([A-Za-z_"#][^ \t:]*)[ \t]*[:{]`).FindSubmatch(rest); m != nil && bytes.Contains(rest, []byte(":")) {
			u.mistake(place, "a comma is missing between two fields on one line").Help = []string{insertComma(head, rest)}
		} else if bytes.HasPrefix(rest, []byte("{")) {
			d := u.mistake(place, "a colon is missing before {")
			d.Help = []string{strings.TrimSpace(strings.TrimRight(string(head), " ") + ": {")}
		} else if bytes.HasPrefix(rest, []byte(";")) {
			d := u.mistake(place, "a field ends with its line, or with a comma: no semicolon")
			d.Fix = &ir.Fix{Title: "remove the semicolon", Edits: []ir.Edit{{Span: src.span(at, at+1)}}}
		} else {
			u.mistake(place, "%s cannot stand here: the value before it is complete, and a comma or a new line has to follow", found)
		}
	case strings.HasPrefix(msg, "expected label or ':'"):
		if i := equalsAbove(text, line.start); i >= 0 {
			d := u.mistake(src.span(i, i+1), "a field has a colon between name and value, not =")
			d.Fix = &ir.Fix{Title: "write a colon", Edits: []ir.Edit{{Span: src.span(i, i+1), Text: ":"}}}
			return i
		}
		first, _, _ := strings.Cut(strings.TrimSpace(string(head)), " ")
		if m := fieldName.FindSubmatch(head); m != nil && first != "package" && first != "import" {
			name := string(m[1])
			u.mistake(place, "a colon is missing after %s", name).Help = []string{name + ": " + strings.TrimSpace(string(rest))}
		} else if first == "import" {
			u.mistake(place, "imports stand below the package clause, before everything else")
		} else if first == "package" {
			u.mistake(place, "the package clause stands first in a file, and once")
		} else if strings.HasPrefix(first, "#") {
			u.mistake(src.span(line.start, line.start+1), "a comment begins with //")
		} else {
			u.mistake(place, "%s cannot stand here: a field is a name, a colon and a value", found)
		}
	case strings.HasPrefix(msg, "expected operand"):
		if i := bytes.Index(text[line.start:line.end], []byte("/*")); i >= 0 {
			u.mistake(src.span(line.start+i, line.start+i+2), "a comment begins with // and ends with its line")
			return at
		}
		switch {
		case found == "":
			u.mistake(place, "the value is missing")
		default:
			u.mistake(place, "a value is missing before %s", found)
		}
	case strings.HasPrefix(msg, "expected 'EOF'"):
		u.mistake(place, "%s closes nothing", found)
	case msg == "string literal not terminated":
		d := u.mistake(src.span(at, line.end), "the text that begins here has no closing quote")
		d.Help = []string{strings.TrimSpace(string(text[line.start:line.end])) + string(text[at])}
	case msg == "unknown escape sequence":
		u.mistake(place, `\%s is no escape sequence; a backslash itself is written \\`, firstRune(rest))
	case msg == "illegal integer number":
		u.mistake(src.span(at, at+firstWord(rest)), "%s is not a number: it has zeros in front", found)
	case strings.HasPrefix(msg, "illegal character"):
		r, n := utf8.DecodeRune(rest)
		at := src.span(at, at+n)
		switch r {
		case '“', '”', '„', '‘', '’':
			u.mistake(at, "%c is a typographic quote; text stands between straight ones", r)
		case '\uFEFF':
			u.mistake(at, "a byte order mark may only stand first in a file")
		default:
			u.mistake(at, "the character %q cannot stand here", r)
		}
	case msg == "illegal UTF-8 encoding":
		u.mistake(place, "the text is not UTF-8 here")
	case strings.HasPrefix(msg, "invalid import path"):
		u.mistake(place, "%s is not the path of a package", found)
	default:
		u.mistake(place, "the syntax is broken here; CUE says: %s", msg)
	}
	return at
}

// syntaxMistakes reports all that the parser says about a file of CUE's own.
func (u *unit) syntaxMistakes(src *source, err error) {
	e, at := firstError(err, src)
	u.syntaxMistake(src, src.text, e, at)
}

// takesUnit reports whether a field of that name, anywhere in the language, is
// a duration or a size, or is not known.
func takesUnit(name string) bool {
	known, takes := false, false
	var visit func(t *typ)
	visit = func(t *typ) {
		for _, f := range t.fields {
			if f.name == name {
				known = true
				takes = takes || strings.HasPrefix(f.typ.name, "#Duration") || f.typ.name == "#Size"
			}
			visit(f.typ)
		}
	}
	visit(theShape().class)
	return takes || !known
}

var assignment = regexp.MustCompile(`^[ \t]*[A-Za-z_][A-Za-z0-9_]*[ \t]*=[ \t]*[^=~ \t]`)

// equalsAbove finds "name = value", which CUE takes for the start of an alias
// and notices on the next line.
func equalsAbove(text []byte, lineStart int) int {
	for lineStart > 0 {
		above := lineAround(text, lineStart-1)
		lineStart = above.start
		body := text[above.start:above.end]
		if len(bytes.TrimSpace(body)) == 0 || bytes.HasPrefix(bytes.TrimSpace(body), []byte("//")) {
			continue
		}
		if assignment.Match(body) {
			return above.start + bytes.IndexByte(body, '=')
		}
		return -1
	}
	return -1
}

type stretch struct{ start, end int }

// lineAround is the line that an offset is in, without its end.
func lineAround(text []byte, at int) stretch {
	at = min(at, len(text))
	start := bytes.LastIndexByte(text[:at], '\n') + 1
	end := len(text)
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		end = at + i
	}
	if end > start && text[end-1] == '\r' {
		end--
	}
	if start == 0 && bytes.HasPrefix(text, mark) && at >= len(mark) {
		start = len(mark)
	}
	return stretch{start, max(end, at)}
}

// lastValue finds where the value of the last field in a line begins.
func lastValue(head []byte) int {
	i := bytes.LastIndexByte(head, ':')
	if i < 0 {
		return -1
	}
	i++
	for i < len(head) && (head[i] == ' ' || head[i] == '\t') {
		i++
	}
	return i
}

func firstWord(b []byte) int {
	n := bytes.IndexAny(b, " \t,:;{}[]()\r\n")
	switch {
	case n < 0:
		return len(b)
	case n == 0 && len(b) > 0:
		return 1
	}
	return n
}

func firstRune(b []byte) string {
	r, _ := utf8.DecodeRune(b)
	return string(r)
}

// quoteFound words what stands at the mistake.
func quoteFound(rest []byte) string {
	w := strings.TrimSpace(string(rest[:firstWord(rest)]))
	if w == "" {
		return ""
	}
	if strings.HasPrefix(w, `"`) {
		return w
	}
	return `"` + w + `"`
}

func insertComma(head, rest []byte) string {
	return strings.TrimSpace(string(head)) + ", " + strings.TrimSpace(string(rest))
}

// unclosed finds the first opening bracket at the top of a file that nothing
// closes, as the layout has it: one whose line begins a declaration.
func unclosed(text []byte) (at int, char byte) {
	type bracket struct {
		at   int
		char byte
	}
	var open []bracket
	starts := declarations(text)
	isStart := func(i int) bool {
		j := sort.SearchInts(starts, i)
		return j < len(starts) && starts[j] == i
	}
	for i := 0; i < len(text); i++ {
		// A declaration that begins while a bracket is open tells that the
		// bracket was forgotten.
		if i > 0 && text[i-1] == '\n' && isStart(i) && len(open) > 0 && text[i] != '}' {
			return open[len(open)-1].at, open[len(open)-1].char
		}
		switch c := text[i]; c {
		case '/':
			if i+1 < len(text) && text[i+1] == '/' {
				i = lineAround(text, i).end - 1
			}
		case '"', '\'':
			i = skipString(text, i)
		case '{', '[', '(':
			open = append(open, bracket{i, c})
		case '}', ']', ')':
			want := map[byte]byte{'}': '{', ']': '[', ')': '('}[c]
			if n := len(open); n > 0 {
				if open[n-1].char != want {
					return open[n-1].at, open[n-1].char
				}
				open = open[:n-1]
			}
		}
	}
	if len(open) == 0 {
		return -1, 0
	}
	return open[len(open)-1].at, open[len(open)-1].char
}

// openList finds a bracket other than { that is open at the end of a text since
// an earlier line.
func openList(text []byte) int {
	var open []int
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '/':
			if i+1 < len(text) && text[i+1] == '/' {
				i = lineAround(text, i).end - 1
			}
		case '"', '\'':
			i = skipString(text, i)
		case '{', '[', '(':
			open = append(open, i)
		case '}', ']', ')':
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
	}
	if n := len(open); n > 0 && text[open[n-1]] != '{' && bytes.IndexByte(text[open[n-1]:], '\n') >= 0 {
		return open[n-1]
	}
	return -1
}

func skipString(text []byte, i int) int {
	q := text[i]
	if bytes.HasPrefix(text[i:], []byte{q, q, q}) {
		if j := bytes.Index(text[i+3:], []byte{q, q, q}); j >= 0 {
			return i + 3 + j + 2
		}
		return len(text)
	}
	for i++; i < len(text) && text[i] != q && text[i] != '\n'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

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
