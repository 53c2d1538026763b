package compiler

// The mistakes of syntax that people make, by what the parser says and by the
// text around it. Each says what was meant where that can be told, and reading
// goes on from there.

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	cueerrors "cuelang.org/go/cue/errors"
)

var (
	fieldName    = regexp.MustCompile(`^[ \t]*"?([A-Za-z_][A-Za-z0-9_]*)"?[ \t]*:?`)
	dashedName   = regexp.MustCompile(`([A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)+)[ \t]*$`)
	nameOfValue  = regexp.MustCompile(`([A-Za-z_][A-Za-z0-9_]*)"?[ \t]*:[ \t]*$`)
	nameBefore   = regexp.MustCompile(`("[^"\n]*"|[A-Za-z_#][A-Za-z0-9_]*)[ \t]*$`)
	spacedUnit   = regexp.MustCompile(`([0-9]+(?:\.[0-9]+)?)[ \t]+$`)
	unitWord     = regexp.MustCompile(`^(ns|us|µs|μs|ms|s|m|h|d|B|KiB|MiB|GiB|KB|MB|GB|sec|secs|min|mins|hours?|days?|minutes?|seconds?)\b`)
	assignment   = regexp.MustCompile(`(?:^|[{,\n])[ \t]*("[^"\n]*"|[A-Za-z_][A-Za-z0-9_-]*)[ \t]*(:?=>?)[ \t]*`)
	nextField    = regexp.MustCompile(`^[ \t]*("[^"\n]*"|[A-Za-z_#][A-Za-z0-9_-]*)[ \t]*[:{]`)
	labelOfClass = regexp.MustCompile(`^class[ \t]*:[ \t]*$`)
	blockLabel   = regexp.MustCompile(`^("[^"\n]*"|[A-Za-z_][A-Za-z0-9_-]*)[ \t]*\{`)
)

// diagnose words one message of the parser's.
func diagnose(s *source, e cueerrors.Error, at int) slip {
	return (&diagnosis{s: s, text: s.read, at: at}).slip(e)
}

// diagnosis is the text around a message.
type diagnosis struct {
	s    *source
	text []byte
	at   int

	line       stretch
	head, rest []byte // of the line, before and from the place
	msg        string
	found      string // what stands at the place
}

func (d *diagnosis) slip(e cueerrors.Error) slip {
	format, args := e.Msg()
	d.msg = fmt.Sprintf(format, args...)
	d.line = lineAround(d.text, d.at)
	d.head, d.rest = d.text[d.line.start:d.at], d.text[d.at:d.line.end]
	d.found = quoteFound(d.rest)
	for _, known := range []func() (slip, bool){
		d.packageClause, d.importClause, d.bareNumber, d.spacedNumber, d.strayQuote, d.equals, d.closing,
		d.atTheEnd, d.openList, d.dashed, d.comma, d.label, d.value, d.quotes, d.others,
	} {
		if m, ok := known(); ok {
			return m
		}
	}
	return d.here("the syntax is broken here; CUE says: %s", d.msg)
}

// here is a mistake at the place of the message.
func (d *diagnosis) here(format string, args ...any) slip {
	return slip{start: d.at, end: d.at + firstWord(d.rest), message: fmt.Sprintf(format, args...)}
}

func (d *diagnosis) says(prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(d.msg, p) })
}

// clause is the first word of the line, with its offset, where nothing but the
// beginning of a file stands above it.
func (d *diagnosis) clause() (word string, at int) {
	line := bytes.TrimLeft(d.text[d.line.start:d.line.end], " \t\uFEFF")
	at = d.line.end - len(line)
	return string(line[:firstWord(line)]), at
}

func (d *diagnosis) packageClause() (slip, bool) {
	word, at := d.clause()
	if word == "" || nearest1(word, "package") == "" {
		// The name may be missing, and the message on the next line.
		return slip{}, false
	}
	after := at + len(word)
	name := strings.TrimRight(strings.TrimSpace(string(d.text[min(after, d.line.end):d.line.end])), ";")
	if i := strings.Index(name, "//"); i >= 0 {
		name = strings.TrimSpace(name[:i])
	}
	if strings.HasPrefix(name, ":") && (word != "package" || !d.says("expected 'IDENT'")) || strings.HasPrefix(name, "=") {
		return slip{}, false
	}
	mark := strings.HasPrefix(name, ":")
	name = strings.TrimLeft(name, ": ")
	if bytes.ContainsFunc(d.text[:at], func(r rune) bool { return r == '{' || r == ':' }) {
		if word != "package" {
			return slip{}, false
		}
		m := slip{start: at, end: after, message: "the package clause stands first in a file, and once"}
		m.stand = []edit{{at, d.line.end, ""}}
		return m, true
	}
	right := packageName(strings.Trim(name, `"'`))
	whole := []edit{{at, d.line.end, "package " + right}}
	m := slip{start: at, end: after, help: []string{"package " + right}, title: "write package " + right, fix: whole}
	switch {
	case word != "package":
		m.message = fmt.Sprintf("%s is not the package clause; did you mean package?", word)
	case mark:
		m.message = "a package clause has no colon"
		m.start, m.end = d.at, d.at+1
	case name == "":
		m.message = "the package has no name"
		m.fix[0].with = "package " + right
	case strings.ContainsAny(name, `"'`):
		m.start = at + bytes.IndexAny(d.text[at:d.line.end], `"'`)
		m.end = m.start + len(name)
		m.message = "the name of a package stands without quotes"
	case strings.HasSuffix(string(bytes.TrimRight(d.text[at:d.line.end], " \t")), ";"):
		m.start = d.at
		m.end = d.at + 1
		m.message = "a package clause ends with its line: no semicolon"
	default:
		m.start = after + bytes.IndexByte(d.text[after:d.line.end], name[0])
		m.end = m.start + len(name)
		m.message = fmt.Sprintf("%q cannot name a policy set: lower-case letters, digits and \"_\", a letter first", name)
	}
	return m, true
}

func (d *diagnosis) importClause() (slip, bool) {
	word, at := d.clause()
	if word == "" || nearest1(word, "import") == "" {
		return slip{}, false
	}
	after := at + len(word)
	path := strings.TrimSpace(strings.TrimLeft(string(d.text[after:d.line.end]), " \t:="))
	plain := strings.Trim(strings.TrimRight(path, ";,"), `"'`)
	if plain == "" || strings.ContainsAny(plain, " \t\"'(){}:") {
		if word == "import" && bytes.ContainsAny(d.text[:at], "{:") && d.says("expected label") {
			m := slip{start: at, end: after, message: "imports stand below the package clause, before everything else"}
			m.stand = []edit{{at, d.line.end, ""}}
			return m, true
		}
		return slip{}, false
	}
	right := `import "` + plain + `"`
	m := slip{start: at, end: after, help: []string{right}, title: "write " + right, fix: []edit{{at, d.line.end, right}}}
	switch {
	case word != "import":
		m.message = fmt.Sprintf("%s is no declaration; did you mean import?", word)
	case bytes.ContainsAny(d.text[:at], "{:") && d.says("expected label"):
		m.message = "imports stand below the package clause, before everything else"
		m.help, m.title, m.fix = nil, "", nil
		m.stand = []edit{{at, d.line.end, ""}}
	case strings.HasPrefix(string(bytes.TrimLeft(d.text[after:d.line.end], " \t")), ":"):
		m.message = "an import has no colon"
	default:
		m.start = after + bytes.Index(d.text[after:d.line.end], []byte(path))
		m.end = m.start + len(path)
		m.message = "the path of an import stands in double quotes"
	}
	return m, true
}

// nearest1 is want where word is it, or a slip of it.
func nearest1(word, want string) string { return near(word, []string{want}) }

// bareNumber finds 10s, 1h30m, 10MB, 5xx and 503: two tokens for CUE, and text in
// quotes for its author.
func (d *diagnosis) bareNumber() (slip, bool) {
	if !d.says("missing ','", "expected operand", "illegal", "expected label") {
		return slip{}, false
	}
	start, end := d.at, d.at
	for start > 0 && isWordByte(d.text[start-1]) {
		start--
	}
	for end < len(d.text) && isWordByte(d.text[end]) {
		end++
	}
	word := string(d.text[start:end])
	if word == "" || word[0] < '0' || word[0] > '9' {
		return slip{}, false
	}
	after := bytes.TrimLeft(d.text[end:d.line.end], " \t")
	m := slip{start: start, end: end, title: "put it in quotes"}
	if bytes.HasPrefix(after, []byte(":")) {
		right := strconv.Quote(word)
		if labelOfClass.Match(d.text[d.line.start:start]) {
			// The same words as those of the check of names, which then are one message.
			reason, _ := scalars["#ClassName"].check(&node{text: word})
			m.message, m.title = fmt.Sprintf("%q is not the name of a class: %s", word, reason), ""
			m.stand = []edit{{start, end, right}}
			return m, true
		}
		m.message = fmt.Sprintf("%s needs quotes: %s", word, right)
		m.fix = []edit{{start, end, right}}
		m.help = []string{right + ": " + valueHelp(bytes.TrimLeft(after[1:], " \t"), exampleOf("outcome.*"))}
		return m, true
	}
	if !strings.ContainsFunc(word, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127 }) {
		return slip{}, false
	}
	return d.unit(m, word, start)
}

// spacedNumber finds 10 s without quotes.
func (d *diagnosis) spacedNumber() (slip, bool) {
	number, unit := spacedUnit.FindSubmatchIndex(d.head), unitWord.Find(d.rest)
	if number == nil || unit == nil {
		return slip{}, false
	}
	start := d.line.start + number[2]
	m := slip{start: start, end: d.at + len(unit), title: "put it in quotes"}
	return d.unit(m, string(d.head[number[2]:number[3]])+string(unit), start)
}

// unit says what a number with a unit was meant to be, by the field that it is
// the value of.
func (d *diagnosis) unit(m slip, word string, start int) (slip, bool) {
	name := ""
	if f := nameOfValue.FindSubmatch(d.text[d.line.start:start]); f != nil {
		name = string(f[1])
	}
	duration, size, known := unitsOf(name)
	right := ""
	if duration || !known {
		_, reason, better := parseDuration(word)
		if right = better; reason == "" {
			right = word
		}
	}
	if right == "" && (size || !known) {
		_, reason, better := parseSize(word)
		if right = better; reason == "" {
			right = word
		}
	}
	if right == "" {
		m.message, m.title = fmt.Sprintf("%s is no number, and text stands in quotes", d.text[m.start:m.end]), ""
		m.stand, m.lost = []edit{{m.start, m.end, unknown}}, name
		return m, true
	}
	right = strconv.Quote(right)
	m.message = fmt.Sprintf("%s needs quotes: %s", d.text[m.start:m.end], right)
	if right != strconv.Quote(word) {
		m.message = fmt.Sprintf("%s is written %s", d.text[m.start:m.end], right)
	}
	m.fix = []edit{{m.start, m.end, right}}
	m.help = []string{right}
	if name != "" {
		m.help = []string{name + ": " + right}
	}
	return m, true
}

// unitsOf reports whether a field of that name, anywhere in the language, is a
// duration or a size.
func unitsOf(name string) (duration, size, known bool) {
	var visit func(t *typ)
	visit = func(t *typ) {
		if t == nil {
			return
		}
		for _, f := range t.fields {
			if f.name == name {
				known = true
				duration = duration || strings.HasPrefix(f.typ.name, "#Duration")
				size = size || f.typ.name == "#Size"
			}
			visit(f.typ)
		}
		visit(t.elem)
		visit(t.body)
	}
	visit(theShape().policy)
	return duration, size, known
}

// strayQuote finds a quote that makes the text behind it begin too early:
// "class: a: {http: "GET /a", and quotes within text.
func (d *diagnosis) strayQuote() (slip, bool) {
	if !d.says("missing ','", "expected label") || d.at == 0 || d.text[d.at-1] != '"' || len(d.rest) == 0 || !isWordByte(d.rest[0]) && d.rest[0] != '/' {
		return slip{}, false
	}
	open := bytes.LastIndexByte(d.text[d.line.start:d.at-1], '"')
	if open < 0 {
		return slip{}, false
	}
	open += d.line.start
	inner := d.text[open+1 : d.at-1]
	if i := bytes.IndexAny(inner, ":{"); i >= 0 && nextField.Match(inner) {
		m := slip{start: open, end: open + 1, message: "this quote is not closed where it was meant to be, or one too many", title: "remove the quote"}
		m.fix = []edit{{open, open + 1, ""}}
		return m, true
	}
	end := bytes.LastIndexByte(d.rest, '"')
	if end < 0 {
		return slip{}, false
	}
	m := slip{start: d.at - 1, end: d.at, message: `a quote within text is written \"`}
	right := `"` + strings.ReplaceAll(string(d.text[open+1:d.at+end]), `"`, `\"`) + `"`
	if i := bytes.IndexAny(d.rest, ",{}"); i < 0 || i > end {
		m.help = []string{right}
		m.title, m.fix = "escape the quotes", []edit{{open, d.at + end + 1, right}}
	}
	return m, true
}

// equals finds name = value: CUE takes it for the start of an alias and notices
// later.
func (d *diagnosis) equals() (slip, bool) {
	if !d.says("expected label or ':'", "expected operand, found '='") {
		return slip{}, false
	}
	from := max(0, d.at-300)
	window := d.text[from:min(len(d.text), d.at+3)]
	all := assignment.FindAllSubmatchIndex(window, -1)
	if len(all) == 0 {
		return slip{}, false
	}
	last := all[len(all)-1]
	start, end := from+last[4], from+last[5]
	if start > d.at || bytes.ContainsAny(bytes.TrimRight(d.text[min(end, d.at):d.at], " \t\r\n"), "\n:") || bytes.HasPrefix(d.text[end:], []byte("~")) {
		return slip{}, false
	}
	m := slip{start: start, end: end, message: fmt.Sprintf("a field has a colon between name and value, not %s", d.text[start:end]), title: "write a colon"}
	with := edit{start, end, ":"}
	if start > 0 && d.text[start-1] == ' ' {
		with.start--
		for with.start > 0 && d.text[with.start-1] == ' ' {
			with.start--
		}
	}
	m.fix = []edit{with}
	if value := valueHelp(bytes.TrimLeft(d.text[end:lineAround(d.text, end).end], " \t"), ""); value != "" {
		m.help = []string{string(d.text[from+last[2]:from+last[3]]) + ": " + value}
	}
	return m, true
}

// closing finds a closing bracket that fits no opening one.
func (d *diagnosis) closing() (slip, bool) {
	if len(d.rest) == 0 || strings.IndexByte(")]}", d.rest[0]) < 0 {
		return slip{}, false
	}
	c := d.rest[0]
	open := openBrackets(d.text[:d.at])
	opener := map[byte]byte{'}': '{', ']': '[', ')': '('}[c]
	if n := len(open); n > 0 && d.text[open[n-1]] != opener {
		top := open[n-1]
		if slices.ContainsFunc(open, func(i int) bool { return d.text[i] == opener }) {
			m := slip{start: top, end: top + 1, message: fmt.Sprintf("this %c is never closed", d.text[top]), title: "close it"}
			m.fix = []edit{{d.at, d.at, closerOf(d.text[top])}}
			if c == ')' || c == ']' {
				// as likely a bracket too many
				return slip{start: d.at, end: d.at + 1, message: fmt.Sprintf("%q closes nothing", string(c)), title: "remove it", fix: []edit{{d.at, d.at + 1, ""}}}, true
			}
			return m, true
		}
	}
	if len(open) == 0 || !slices.ContainsFunc(open, func(i int) bool { return d.text[i] == opener }) {
		return slip{start: d.at, end: d.at + 1, message: fmt.Sprintf("%q closes nothing", string(c)), title: "remove it", fix: []edit{{d.at, d.at + 1, ""}}}, true
	}
	return slip{}, false
}

func closerOf(open byte) string {
	return map[byte]string{'{': "}", '[': "]", '(': ")"}[open]
}

// isExtra reports whether the parser found a bracket too many.
func isExtra(e cueerrors.Error) bool {
	format, args := e.Msg()
	return strings.HasPrefix(fmt.Sprintf(format, args...), "expected 'EOF'")
}

// atTheEnd finds what was never closed, where the file ends too early.
func (d *diagnosis) atTheEnd() (slip, bool) {
	end := d.at >= len(bytes.TrimRight(d.text, " \t\r\n"))
	if !strings.HasSuffix(d.msg, "found 'EOF'") && !(end && d.says("missing ','")) {
		return slip{}, false
	}
	open, at := unclosed(d.text)
	if open < 0 {
		if d.says("expected operand") {
			return slip{}, false
		}
		return d.here("the file ends too early"), true
	}
	m := slip{start: open, end: open + 1, message: fmt.Sprintf("this %c is never closed", d.text[open]), title: "close it"}
	with := closerOf(d.text[open])
	if at == len(d.text) {
		with = ""
		all := openBrackets(d.text)
		for i := len(all) - 1; i >= 0; i-- {
			with += closerOf(d.text[all[i]])
			if all[i] != open {
				m.related = append(m.related, slipRelated{all[i], all[i] + 1, fmt.Sprintf("and this %c", d.text[all[i]])})
			}
		}
	}
	switch {
	case at == len(d.text):
		with += "\n"
	case at > 0 && d.text[at-1] == '\n':
		opener := lineAround(d.text, open)
		line := d.text[opener.start:opener.end]
		with = string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))]) + with + "\n"
	}
	m.fix, m.closes = []edit{{at, at, with}}, true
	return m, true
}

// openList finds a list that is open since an earlier line.
func (d *diagnosis) openList() (slip, bool) {
	if !d.says("missing ','") || !bytes.HasPrefix(d.rest, []byte(":")) {
		return slip{}, false
	}
	open := openList(d.text[:d.at])
	if open < 0 {
		return slip{}, false
	}
	m := slip{start: open, end: open + 1, message: fmt.Sprintf("this %c is never closed", d.text[open]), title: "close it"}
	first := lineAround(d.text, open)
	m.fix = []edit{{first.end, first.end, closerOf(d.text[open])}}
	if b := bytes.TrimRight(d.text[open:first.end], " \t"); bytes.HasSuffix(b, []byte(",")) {
		m.fix = []edit{{open + len(b) - 1, first.end, closerOf(d.text[open])}}
	}
	return m, true
}

// dashed finds photo-upload: {…}, a subtraction for CUE.
func (d *diagnosis) dashed() (slip, bool) {
	f := dashedName.FindSubmatchIndex(d.head)
	if !d.says("missing ','") || f == nil || !bytes.HasPrefix(d.rest, []byte(":")) && !bytes.HasPrefix(d.rest, []byte("{")) {
		return slip{}, false
	}
	start, end := d.line.start+f[2], d.line.start+f[3]
	right := strconv.Quote(string(d.text[start:end]))
	m := slip{start: start, end: end, message: "a name with - in it needs quotes", title: "put it in quotes", fix: []edit{{start, end, right}}}
	m.help = []string{right + ": " + valueHelp(bytes.TrimLeft(d.rest, ": \t"), "")}
	return m, true
}

func (d *diagnosis) comma() (slip, bool) {
	if !d.says("missing ','") {
		return slip{}, false
	}
	before := d.at - len(d.head) + len(bytes.TrimRight(d.head, " \t"))
	if f := nameBefore.FindSubmatchIndex(d.head); f != nil && len(d.rest) > 0 && strings.IndexByte(";/,", d.rest[0]) < 0 && bytes.HasSuffix(bytes.TrimRight(d.head[:f[2]], " \t"), []byte(":")) {
		// class: a: attempts 3
		if name := string(d.head[f[2]:f[3]]); name[0] != '"' {
			if _, _, known := unitsOf(name); known {
				m := slip{start: d.at, end: d.at + firstWord(d.rest), message: "a colon is missing after " + name, title: "write a colon", fix: []edit{{before, before, ":"}}}
				m.help = []string{name + ": " + valueHelp(d.rest, "")}
				return m, true
			}
		}
	}
	switch {
	case bytes.HasPrefix(d.rest, []byte(";")):
		m := slip{start: d.at, end: d.at + 1, message: "a field ends with its line, or with a comma: no semicolon", title: "remove the semicolon"}
		with := ","
		if len(bytes.TrimSpace(d.rest[1:])) == 0 || d.rest[1] == '}' {
			with = ""
		}
		m.fix = []edit{{d.at, d.at + 1, with}}
		return m, true
	case bytes.HasPrefix(d.rest, []byte("/*")) || bytes.HasPrefix(d.rest, []byte("*/")):
		return slip{}, false
	case bytes.HasPrefix(d.rest, []byte("{")):
		m := slip{start: d.at, end: d.at + 1, message: "a colon is missing before {", title: "write a colon", fix: []edit{{before, before, ":"}}}
		if f := nameBefore.FindSubmatch(d.head); f != nil {
			m.help = []string{string(f[1]) + ": " + valueHelp(d.rest, "")}
		}
		return m, true
	case nextField.Match(d.rest):
		m := slip{start: d.at, end: d.at + firstWord(d.rest), message: "a comma is missing between two fields on one line", title: "write a comma", fix: []edit{{before, before, ","}}}
		return m, true
	case strings.HasSuffix(d.msg, "list literal") && len(d.rest) > 0 && strings.IndexByte(`"'{[#0123456789`, d.rest[0]) >= 0:
		return slip{start: d.at, end: d.at + firstWord(d.rest), message: "a comma is missing between two elements", title: "write a comma", fix: []edit{{before, before, ","}}}, true
	case strings.HasPrefix(strings.TrimSpace(string(d.text[d.line.start:d.line.end])), "- "):
		m := d.here("a list stands in brackets, with commas between its elements: [a, b]")
		return m, true
	}
	m := d.here("%s cannot stand here: the value before it is complete, and a comma or a new line has to follow", d.found)
	end := d.at
	for end < d.line.end && strings.IndexByte(",}])", d.text[end]) < 0 {
		if q := d.text[end]; q == '"' || q == '\'' {
			end = min(skipString(d.text, end), d.line.end-1)
		}
		end++
	}
	m.stand = []edit{{before, end, ""}}
	return m, true
}

func (d *diagnosis) label() (slip, bool) {
	if !d.says("expected label or ':'") {
		return slip{}, false
	}
	before := d.at - len(d.head) + len(bytes.TrimRight(d.head, " \t"))
	f := nameBefore.FindSubmatchIndex(d.head)
	if f == nil {
		return d.here("%s cannot stand here: a field is a name, a colon and a value", d.found), true
	}
	name := string(d.head[f[2]:f[3]])
	if len(d.rest) > 0 && strings.IndexByte(";.,(", d.rest[0]) >= 0 {
		m := slip{start: d.at, end: d.at + 1, message: fmt.Sprintf("a colon belongs after %s, not %c", name, d.rest[0]), title: "write a colon", fix: []edit{{d.at, d.at + 1, ":"}}}
		m.help = []string{name + ": " + valueHelp(bytes.TrimLeft(d.rest[1:], " \t"), "")}
		return m, true
	}
	m := slip{start: d.at, end: d.at + firstWord(d.rest), message: "a colon is missing after " + name, title: "write a colon", fix: []edit{{before, before, ":"}}}
	if f[2] == 0 && name != "class" && nearest1(name, "class") != "" {
		m.message += "; did you mean class?"
		m.fix[0] = edit{d.line.start, before, "class:"}
		name = "class"
	}
	m.help = []string{name + ": " + valueHelp(d.rest, "")}
	if b := blockLabel.FindSubmatchIndex(d.rest); b != nil {
		// class "a" {…}, as other languages have it
		inner := string(d.rest[b[2]:b[3]])
		m.message = fmt.Sprintf("a colon is missing after %s and after %s", name, inner)
		m.fix = append(m.fix, edit{d.at + b[3], d.at + b[3], ":"})
		m.help = []string{name + ": " + inner + ": " + valueHelp(bytes.TrimLeft(d.rest[b[3]:], " \t"), "")}
		m.title = "write the colons"
	}
	return m, true
}

// value finds values that are missing, and what stands in their place.
func (d *diagnosis) value() (slip, bool) {
	if d.says("expected '{', found ':'") {
		return slip{start: d.at, end: d.at + 1, message: "the struct of an if or a for follows without a colon", title: "remove the colon", fix: []edit{{d.at, d.at + 1, ""}}}, true
	}
	if !d.says("expected operand") {
		return slip{}, false
	}
	if i := bytes.Index(d.text[d.line.start:d.line.end], []byte("/*")); i >= 0 {
		start := d.line.start + i
		m := slip{start: start, end: start + 2, message: "a comment begins with // and ends with its line"}
		end := d.line.end
		if j := bytes.Index(d.text[start:], []byte("*/")); j >= 0 {
			end = start + j + 2
		}
		m.stand = []edit{{start, end, ""}}
		return m, true
	}
	before := bytes.TrimRight(d.text[:d.at], " \t\r\n")
	if bytes.HasPrefix(d.rest, []byte(",")) && bytes.HasSuffix(before, []byte(",")) {
		return slip{start: d.at, end: d.at + 1, message: "one comma too many", title: "remove the comma", fix: []edit{{d.at, d.at + 1, ""}}}, true
	}
	if bytes.HasSuffix(before, []byte(":")) {
		at := len(before)
		line := lineAround(d.text, at)
		m := slip{start: at, end: at, message: "the value is missing"}
		if f := nameBefore.FindSubmatch(before[line.start : at-1]); f != nil {
			name := strings.Trim(string(f[1]), `"`)
			m.message = fmt.Sprintf("%s has no value", name)
			m.lost = name
			if ex := exampleOfName(name); ex != "" {
				m.help = []string{string(f[1]) + ": " + ex}
			}
		}
		m.stand = []edit{{at, at, " " + unknown}}
		return m, true
	}
	if d.found == "" {
		return d.here("the value is missing"), true
	}
	return d.here("a value is missing before %s", d.found), true
}

// quotes finds text whose quotes are not what they should be.
func (d *diagnosis) quotes() (slip, bool) {
	switch {
	case d.msg == "string literal not terminated":
		return d.openQuote(), true
	case d.says("illegal character"):
		r, n := utf8.DecodeRune(d.rest)
		if strings.ContainsRune("“”„‘’`´«»", r) {
			m := slip{start: d.at, end: d.at + n, message: fmt.Sprintf("%c is a typographic quote; text stands between straight ones", r)}
			if r == '`' {
				m.message = "` is no quote here; text stands between \"\""
			}
			if i := bytes.IndexAny(d.rest[n:], "“”„‘’`´«»\""); i >= 0 {
				_, last := utf8.DecodeRune(d.rest[n+i:])
				right := strconv.Quote(string(d.rest[n : n+i]))
				m.title, m.fix = "write straight quotes", []edit{{d.at, d.at + n + i + last, right}}
				m.help = []string{right}
				if f := nameOfValue.FindSubmatch(d.head); f != nil {
					m.help = []string{string(f[1]) + ": " + right}
				}
			}
			return m, true
		}
		m := slip{start: d.at, end: d.at + n, message: fmt.Sprintf("the character %q cannot stand here", r)}
		if r == '\uFEFF' {
			m.message = "a byte order mark may only stand first in a file"
			m.title, m.fix = "remove it", []edit{{d.at, d.at + n, ""}}
		}
		return m, true
	}
	return slip{}, false
}

// openQuote finds where text was meant to end that has no closing quote.
func (d *diagnosis) openQuote() slip {
	q := d.text[d.at]
	if bytes.HasPrefix(d.rest, []byte{q, q, q}) {
		m := slip{start: d.at, end: d.at + 3, message: fmt.Sprintf("the text that begins here is never closed by %c%c%c", q, q, q)}
		return m
	}
	value := bytes.TrimRight(d.rest, " \t\r,")
	m := slip{start: d.at, end: d.at + len(value), message: "the text that begins here has no closing quote", title: "write the quote"}
	if d.at > 0 && isWordByte(d.text[d.at-1]) && len(bytes.Trim(d.rest, ", \t}\r\"'")) == 0 {
		start := d.at
		for start > d.line.start && isWordByte(d.text[start-1]) {
			start--
		}
		m.start, m.end, m.message = d.at, d.at+1, "the text that ends here has no opening quote"
		m.fix = []edit{{start, start, string(q)}}
		m.help = []string{string(q) + string(d.text[start:d.at]) + string(q)}
		return m
	}
	end := len(value)
	if i := bytes.IndexAny(d.rest[1:], `"'`); i >= 0 && d.rest[1+i] != q {
		// opened with one kind of quote and closed with the other
		end = 1 + i
		m.message = "the text that begins here ends with another kind of quote"
		m.end = d.at + end + 1
		right := strconv.Quote(string(d.rest[1:end]))
		m.fix, m.help = []edit{{d.at, d.at + end + 1, right}}, []string{right}
	} else {
		for _, stop := range []string{", ", "}", "]"} {
			if i := bytes.Index(d.rest[:end], []byte(stop)); i > 0 && (stop != ", " || nextField.Match(d.rest[i+2:])) && !bytes.Contains(d.rest[:i], []byte("{")) {
				end = i
			}
		}
		right := strconv.Quote(string(d.rest[1:end]))
		m.end = d.at + end
		m.fix, m.help = []edit{{d.at, d.at + end, right}}, []string{right}
	}
	if f := nameOfValue.FindSubmatch(d.head); f != nil {
		m.help[0] = string(f[1]) + ": " + m.help[0]
	}
	return m
}

func (d *diagnosis) others() (slip, bool) {
	switch {
	case d.msg == "unknown escape sequence":
		m := slip{start: d.at - 1, end: d.at + 1, message: fmt.Sprintf(`\%s is no escape sequence; a backslash itself is written \\`, firstRune(d.rest))}
		m.title, m.fix = "double the backslash", []edit{{d.at, d.at, `\`}}
		return m, true
	case d.msg == "illegal integer number":
		word := string(d.rest[:firstWord(d.rest)])
		m := d.here("%s is not a number: it has zeros in front", word)
		if right := strings.TrimLeft(word, "0"); right != "" && isIndex(right) {
			m.title, m.fix = "write "+right, []edit{{d.at, d.at + len(word), right}}
			m.help = []string{right}
			if f := nameOfValue.FindSubmatch(d.head); f != nil {
				m.help = []string{string(f[1]) + ": " + right}
			}
		}
		return m, true
	case strings.HasPrefix(d.msg, "illegal") && strings.HasSuffix(d.msg, "in number"):
		return d.here("this is not a number"), true
	case d.msg == "illegal UTF-8 encoding":
		return d.here("the text is not UTF-8 here"), true
	case d.says("invalid import path"):
		return d.here("%s is not the path of a package", d.found), true
	case d.says("else requires"):
		return d.here("CUE has no else: write a second if with the opposite condition"), true
	}
	return slip{}, false
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c > 127
}

// valueHelp writes the value that a line goes on with, for a help that can be
// pasted; what opens a struct goes on below.
func valueHelp(rest []byte, otherwise string) string {
	text := strings.TrimRight(string(rest), " \t\r,")
	if i := strings.Index(text, " //"); i >= 0 {
		text = strings.TrimRight(text[:i], " \t,")
	}
	for {
		if text != "" && parsesAsFile("x: "+text) {
			return text
		}
		i := strings.LastIndexAny(text, "}],")
		if i <= 0 {
			break
		}
		text = strings.TrimRight(text[:i], " \t")
	}
	if strings.HasPrefix(string(rest), "{") {
		return "{…} // … stays as it is"
	}
	if otherwise == "" {
		return "… // … stays as it is"
	}
	return otherwise
}
