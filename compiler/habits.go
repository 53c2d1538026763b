package compiler

// Habits from other languages that CUE reads, or half reads, as something else
// than was meant. They are mended before CUE sees the text.

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
)

// habits mends what the text shows, all at once, and reports each.
func (u *unit) habits(s *source) {
	u.apply(s, habitsIn(u, s))
}

// deepNesting refuses what is nested too deep to be read.
func (u *unit) deepNesting(s *source) {
	h := &habit{text: s.read, masked: masked(s.read)}
	h.deep()
	u.apply(s, h)
}

// habitsIn finds what a text has of other languages.
func habitsIn(u *unit, s *source) *habit {
	h := &habit{text: s.read, masked: masked(s.read), folder: filepath.Base(u.dir)}
	for _, find := range []func(){h.marks, h.clauses, h.halves, h.separators, h.heads, h.loops, h.otherwise, h.goDurations, h.dotted, h.arrows, h.keywords, h.equals, h.commaInNumber, h.spreads, h.unquoted, h.braceBelow, h.otherBrackets, h.shorthand, h.joined, h.calledNot, h.operators, h.templates} {
		find()
	}
	h.layout()
	return h
}

// apply mends what was found, and reports it.
func (u *unit) apply(s *source, h *habit) {
	var found []slip
	var edits []edit
	for _, m := range h.found {
		if !slices.ContainsFunc(m.edits(), func(e edit) bool {
			return slices.ContainsFunc(edits, func(o edit) bool { return e.start < o.end && o.start < e.end })
		}) { // of two in one place, the first
			found = append(found, m)
			edits = append(edits, m.edits()...)
		}
	}
	if len(edits) == 0 {
		return
	}
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].start < edits[j].start })
	u.habitual += len(found)
	for _, m := range found {
		u.saySlip(s, m)
		u.unnamed = u.unnamed || m.anyName || m.all && len(openBrackets(h.masked[:m.start])) == 0
		u.cuts = append(u.cuts, cut{file: s.name, offset: s.original(m.start), mended: m.fix != nil, name: m.lost, all: m.all, shared: m.all && inShared(h.text, m.start)})
	}
	s.read, s.origin = s.mended(edits)
}

func (m slip) edits() []edit {
	if m.fix != nil {
		return m.fix
	}
	return m.stand
}

type habit struct {
	text, masked []byte
	found        []slip
	folder       string // the name of the folder
}

func (h *habit) say(m slip) { h.found = append(h.found, m) }

// masked is a text of the same length without what stands in quotes and in
// comments.
func masked(text []byte) []byte {
	out := bytes.Clone(text)
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '/' && i+1 < len(text) && text[i+1] == '/':
			for ; i < len(text) && text[i] != '\n'; i++ {
				out[i] = ' '
			}
		case c == '"' || c == '\'':
			end := min(skipString(text, i), len(text)-1)
			for j := i + 1; j < end; j++ {
				if out[j] != '\n' {
					out[j] = 's'
				}
			}
			i = end + 1
		default:
			i++
		}
	}
	return out
}

// all calls f for each match of an expression in the masked text.
func (h *habit) all(re *regexp.Regexp, f func(m []int)) {
	for _, m := range re.FindAllSubmatchIndex(h.masked, mostSlips) {
		f(m)
	}
}

// marks finds byte order marks behind the first.
func (h *habit) marks() {
	for at := len(mark); bytes.HasPrefix(h.text, mark) && bytes.HasPrefix(h.text[at:], mark); at += len(mark) {
		h.say(slip{start: at, end: at + len(mark), message: "a byte order mark may only stand first in a file, and once", title: "remove it", fix: []edit{{at, at + len(mark), ""}}})
	}
}

// deepest is how deep brackets may be nested. CUE takes long for much more, and
// nobody reads it.
const deepest = 200

// deep finds brackets without end.
func (h *habit) deep() {
	var open []int
	starts := chunks(h.text)
	for i := 0; i < len(h.masked); i++ {
		for len(starts) > 0 && starts[0] <= i {
			starts, open = starts[1:], nil
		}
		switch h.masked[i] {
		case '}', ']', ')':
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
			continue
		case '{', '[', '(':
			open = append(open, i)
		default:
			continue
		}
		if len(open) <= deepest {
			continue
		}
		from := slices.IndexFunc(open, func(at int) bool { return h.masked[at] != '{' })
		if from < 0 {
			from = 3
		}
		at := open[from]
		line := lineAround(h.masked, at)
		end := closing(h.masked, at)
		if end > line.end {
			end = line.start + len(bytes.TrimRight(h.masked[line.start:line.end], " \t"))
			for _, o := range open[:from] {
				if o >= line.start && end > at && h.masked[end-1] == '}' {
					end--
				}
			}
		}
		m := slip{start: at, end: at + 1, message: fmt.Sprintf("brackets are nested more than %d deep from here", deepest), stand: []edit{{at, end, unknown}}}
		if label := labelOf(h.text[line.start:at]); label != "" {
			m.lost = strings.Trim(label, `"`)
		} else {
			m.all = true
		}
		h.say(m)
		i, open = end-1, open[:from]
	}
}

var separator = regexp.MustCompile(`(?m)^---[ \t]*\r?$`)

func (h *habit) separators() {
	h.all(separator, func(m []int) {
		h.say(slip{start: m[0], end: m[0] + 3, message: "a line of --- separates documents of YAML; CUE has no such line", title: "remove it", fix: []edit{{m[0], m[1], ""}}})
	})
}

var (
	clauseAndMore = regexp.MustCompile(`^(?:\x{FEFF})?package[ \t]+[a-z][a-z0-9_]*([ \t]+)(?:class|import|let|go|lint|waive|retryBudgets|[_#][A-Za-z])`)
	importAndMore = regexp.MustCompile(`(?m)^import[ \t]+"s*"([ \t]*([^ \t\r\n,;][^\r\n]*?))[ \t]*\r?$`)
)

// clauses finds what stands behind a package clause or an import, in its line.
func (h *habit) clauses() {
	h.all(clauseAndMore, func(m []int) {
		at, end := h.nextWord(m[3])
		h.say(slip{start: at, end: end, message: "a package clause ends with its line", title: "begin a line", fix: []edit{{m[2], m[3], "\n\n"}}})
	})
	h.all(importAndMore, func(m []int) {
		if rest := h.text[m[4]:m[5]]; rest[0] == '@' || bytes.IndexByte(rest, '"') >= 0 && (rest[0] != '"' || bytes.Count(rest, []byte{'"'}) != 2) {
			return
		}
		if strings.HasPrefix(string(h.text[m[4]:m[5]]), "class") {
			h.say(slip{start: m[4], end: m[5], message: "an import ends with its line", title: "begin a line", fix: []edit{{m[2], m[4], "\n\n"}}})
			return
		}
		h.say(slip{start: m[4], end: m[5], message: fmt.Sprintf("%s cannot stand here: an import ends with its line", h.text[m[4]:m[5]]), title: "remove it", fix: []edit{{m[2], m[5], ""}}})
	})
}

var (
	packageAlone = regexp.MustCompile(`(?m)^package[ \t]*\r?$`)
	nameFirst    = regexp.MustCompile(`^(?:\x{FEFF})?\s*([a-z][a-z0-9_]*)[ \t]*\r?\n`)
	importAlone  = regexp.MustCompile(`(?m)^import[ \t]*\r?$`)
	pathAlone    = regexp.MustCompile(`^(?:\x{FEFF})?(?:\s|package[ \t]+\w+|import[ \t]+"s*"[ \t]*\n)*\n[ \t]*("s*")[ \t]*\r?(?:\n|$)`)
	letAlone     = regexp.MustCompile(`(?m)^let[ \t]*(=[^\n]*)$`)
	lonelyName   = regexp.MustCompile(`(?m)^[ \t]*([a-z][A-Za-z0-9_]*)[ \t]*=[ \t]*[^=~\s]`)
)

// halves finds declarations that lack a half.
func (h *habit) halves() {
	h.all(packageAlone, func(m []int) {
		right := packageName(h.folder)
		h.say(slip{start: m[0], end: m[0] + len("package"), message: "the package has no name", title: "write package " + right, help: []string{"package " + right}, fix: []edit{{m[0], m[1], "package " + right}}})
	})
	h.all(nameFirst, func(m []int) {
		if string(h.text[m[2]:m[3]]) == "package" || string(h.text[m[2]:m[3]]) == "import" {
			return
		}
		right := "package " + string(h.text[m[2]:m[3]])
		h.say(slip{start: m[2], end: m[3], message: fmt.Sprintf("package is missing before %s", h.text[m[2]:m[3]]), title: "write package", help: []string{right}, fix: []edit{{m[2], m[2], "package "}}})
	})
	h.all(importAlone, func(m []int) {
		if bytes.HasPrefix(bytes.TrimLeft(h.text[m[1]:], " \t\r\n"), []byte(`"`)) || bytes.HasPrefix(bytes.TrimLeft(h.text[m[1]:], " \t\r\n"), []byte("(")) {
			return
		}
		h.say(slip{start: m[0], end: m[0] + len("import"), message: "the path of the import is missing", stand: []edit{{m[0], m[1], ""}}, all: true})
	})
	h.all(pathAlone, func(m []int) {
		h.say(slip{start: m[2], end: m[3], message: fmt.Sprintf("import is missing before %s", h.text[m[2]:m[3]]), title: "write import", help: []string{"import " + string(h.text[m[2]:m[3]])}, fix: []edit{{m[2], m[2], "import "}}})
	})
	h.all(letAlone, func(m []int) {
		h.say(slip{start: m[0], end: m[0] + len("let"), message: "let has no name", stand: []edit{{m[0], m[1], ""}}, all: true})
	})
	h.all(lonelyName, func(m []int) {
		name := string(h.text[m[2]:m[3]])
		if name == "let" || theShape().policy.field(name) != nil || near(name, theShape().policy.names()) != "" || len(openBrackets(h.masked[:m[0]])) > 0 {
			return
		}
		end := lineAround(h.text, m[1]).end
		if rest, ok := strings.CutPrefix(name, "let"); ok && rest != "" && regexp.MustCompile(`\b`+rest+`\b`).Match(h.masked) {
			h.say(slip{start: m[2], end: m[3], message: "a space is missing after let", title: "write a space", help: []string{"let " + rest + " = " + valueHelp(h.text[m[1]-1:end], "")}, fix: []edit{{m[2] + 3, m[2] + 3, " "}}})
			return
		}
		from := m[1]
		if strings.IndexByte("{[(", h.masked[m[1]-1]) >= 0 {
			from = closing(h.masked, m[1]-1)
		}
		if from < end && bytes.IndexByte(h.masked[from:end], ':') >= 0 {
			return // an alias
		}
		h.say(slip{start: m[2], end: m[3], message: fmt.Sprintf("let is missing before %s, the name of a value", name), title: "write let", help: []string{"let " + name + " = " + valueHelp(h.text[m[1]-1:end], "")}, fix: []edit{{m[2], m[2], "let "}}})
	})
}

func (h *habit) nextWord(at int) (start, end int) {
	return at, at + firstWord(h.text[at:lineAround(h.text, at).end])
}

var (
	otherLoop = regexp.MustCompile(`(?:^|[{,\n])[ \t]*(foreach|forEach|for[ \t]+each)[ \t]+[A-Za-z_]`)
	otherIn   = regexp.MustCompile(`\bfor[ \t]+[A-Za-z_][A-Za-z0-9_]*(?:[ \t]*,[ \t]*[A-Za-z_][A-Za-z0-9_]*)?[ \t]*((?::=|=)[ \t]*range\b|:=|of\b)`)
)

var (
	forMissing    = regexp.MustCompile(`(?m)(?:^|{)[ \t]*([A-Za-z_][A-Za-z0-9_]*(?:[ \t]*,[ \t]*[A-Za-z_][A-Za-z0-9_]*)?[ \t]+in[ \t]+[^:\n]*\{)[ \t]*\r?$`)
	loopNameless  = regexp.MustCompile(`\bfor[ \t]+(?:(,)[ \t]*[A-Za-z_][A-Za-z0-9_]*|[A-Za-z_][A-Za-z0-9_]*[ \t]*(,))[ \t]+in\b`)
	loopOverNone  = regexp.MustCompile(`\bfor[ \t]+[A-Za-z_][A-Za-z0-9_]*(?:[ \t]*,[ \t]*[A-Za-z_][A-Za-z0-9_]*)?[ \t]+(in)([ \t]+)(?:if\b|\{)`)
	conditionHalf = regexp.MustCompile(`(?m)\bif\b[^\n{]*?((?:==|!=|<=|>=|=~|!~|<|>|&&|\|\|)[ \t]*)\{[ \t]*\r?$`)
	twice         = regexp.MustCompile(`(?m)^((?:import|package)([ \t]+))(import|package)\b`)
)

// heads finds for and if that lack a part.
func (h *habit) heads() {
	h.all(forMissing, func(m []int) {
		if bytes.HasPrefix(h.text[m[2]:], []byte("for ")) || bytes.HasPrefix(h.text[m[2]:], []byte("for,")) {
			return
		}
		if first := string(h.text[m[2] : m[2]+firstWord(h.text[m[2]:m[3]])]); len(first) > 3 && strings.HasPrefix(first, "for") {
			h.say(slip{start: m[2], end: m[2] + len(first), message: "a space is missing after for", title: "write a space", fix: []edit{{m[2] + 3, m[2] + 3, " "}}})
			return
		}
		h.say(slip{start: m[2], end: m[2] + firstWord(h.text[m[2]:m[3]]), message: "for is missing before the names of a loop", title: "write for", fix: []edit{{m[2], m[2], "for "}}})
	})
	h.all(loopNameless, func(m []int) {
		at, with := m[4], " _"
		if m[2] >= 0 {
			at, with = m[2], "_"
		}
		place := at
		if m[4] >= 0 {
			place = at + 1
		}
		h.say(slip{start: at, end: at + 1, message: "a loop has a name on both sides of its comma", stand: []edit{{place, place, with}}, anyName: true})
	})
	h.all(loopOverNone, func(m []int) {
		h.say(slip{start: m[2], end: m[3], message: "what the loop goes over is missing after in", stand: []edit{{m[3], m[3], " []"}}})
	})
	h.all(conditionHalf, func(m []int) {
		h.say(slip{start: m[2], end: m[3], message: fmt.Sprintf("a value is missing after %s", bytes.TrimSpace(h.text[m[2]:m[3]])), stand: []edit{{m[0], m[3], ""}}})
	})
	h.all(twice, func(m []int) {
		if bytes.HasPrefix(h.text[m[2]:], h.text[m[6]:m[7]]) {
			h.say(slip{start: m[6], end: m[7], message: fmt.Sprintf("%s stands here twice", h.text[m[6]:m[7]]), title: "remove it", fix: []edit{{m[4], m[7], ""}}})
		}
	})
	h.all(nameMissing, func(m []int) {
		if above := lineAround(h.masked, max(m[0]-1, 0)); bytes.HasPrefix(bytes.TrimLeft(h.masked[above.start:above.end], " \t"), []byte("?")) {
			return // one value or another
		}
		h.say(slip{start: m[2], end: m[3], message: "a name is missing before this colon", stand: []edit{{m[2], m[2], skipped(m[2])}}, all: true})
	})
	h.all(afterDot, func(m []int) {
		h.say(slip{start: m[6], end: m[7], message: "a name is missing after this dot", stand: []edit{{m[4], m[7], unknown}}, lost: string(h.text[m[2]:m[3]])})
	})
}

var (
	nameMissing = regexp.MustCompile(`(?:^|\n)[ \t]*(:)`)
	afterDot    = regexp.MustCompile(`([A-Za-z_][A-Za-z0-9_]*)[ \t]*:[ \t]*([A-Za-z_#][A-Za-z0-9_.#]*(\.))[ \t]*\r?[\n,}]`)
)

var (
	letColon = regexp.MustCompile(`(?m)^[ \t]*let[ \t]+([A-Za-z_#][A-Za-z0-9_]*)([ \t]*:=?[ \t]*)`)
	constant = regexp.MustCompile(`(?m)^[ \t]*((?:const|var|val|local|export)[ \t]+([A-Za-z_][A-Za-z0-9_]*)[ \t]*(?::?=))[ \t]*`)
)

// closing is the offset behind the bracket that closes the one at an offset of a
// masked text.
func closing(text []byte, open int) int {
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

var labelAlone = regexp.MustCompile(`(?m)^[ \t]*class[ \t]*:[ \t]*([a-z][A-Za-z0-9]*|"s*")([ \t]*)\r?\n\s*\{`)

// braceBelow finds a class whose brace stands in the next line, without a colon.
func (h *habit) braceBelow() {
	h.all(labelAlone, func(m []int) {
		name := string(h.text[m[2]:m[3]])
		h.say(slip{start: m[2], end: m[3], message: "a colon is missing after " + name, title: "write a colon", help: []string{"class: " + name + ": {…} // … stays as it is"}, fix: []edit{{m[3], m[3], ":"}}})
	})
}

var otherBracket = regexp.MustCompile(`:[ \t]*([(\[])\s*[a-z][A-Za-z0-9]*[ \t]*:`)

// otherBrackets finds fields in parentheses or square brackets.
func (h *habit) otherBrackets() {
	h.all(otherBracket, func(m []int) {
		at := m[2]
		end := closing(h.masked, at) - 1
		open, close := string(h.text[at]), closerOf(h.text[at])
		if end <= at || h.text[end] != close[0] {
			return
		}
		h.say(slip{
			start: at, end: at + 1, message: fmt.Sprintf("fields stand in braces, not in %s%s", open, close), title: "write braces",
			related: []slipRelated{{end, end + 1, "to here"}}, fix: []edit{{at, at + 1, "{"}, {end, end + 1, "}"}},
		})
	})
}
