package compiler

// Habits of programming languages: arrows, const, else, durations of Go, spreads.

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// loops finds the loops of other languages.
func (h *habit) loops() {
	h.all(otherLoop, func(m []int) {
		h.say(slip{start: m[2], end: m[3], message: fmt.Sprintf("%s is no word of CUE: a loop begins with for", h.text[m[2]:m[3]]), title: "write for", fix: []edit{{m[2], m[3], "for"}}})
	})
	h.all(otherIn, func(m []int) {
		h.say(slip{start: m[2], end: m[3], message: fmt.Sprintf("a loop goes over what stands behind in, not behind %s", h.text[m[2]:m[3]]), title: "write in", fix: []edit{{m[2], m[3], "in"}}})
	})
}

var elseBranch = regexp.MustCompile(`\}\s*(else\b)[^{}\n:"]*\{`)

// otherwise finds else.
func (h *habit) otherwise() {
	last := 0
	h.all(elseBranch, func(m []int) {
		if m[0]+1 < last || slices.ContainsFunc(valueIf.FindAllIndex(h.masked[:m[0]], -1), func(v []int) bool { return closing(h.masked, v[1]-1) == m[0]+1 }) {
			return // of one that was said, or of an if that stands for a value
		}
		last = closing(h.masked, m[1]-1)
		for {
			more := elseBranch.FindIndex(h.masked[last-1:])
			if more == nil || more[0] != 0 {
				break
			}
			last = closing(h.masked, last-1+more[1]-1)
		}
		h.say(slip{start: m[2], end: m[3], message: "CUE has no else: write a second if with the opposite condition", stand: []edit{{m[0] + 1, last, ""}}, all: true})
	})
}

var goDuration = regexp.MustCompile(`([A-Za-z]+)[ \t]*:[ \t]*((?:([0-9]+)[ \t]*\*[ \t]*)?time\.(Nanosecond|Microsecond|Millisecond|Second|Minute|Hour)(?:[ \t]*\*[ \t]*([0-9]+))?)`)

var ownTime = regexp.MustCompile(`\btime[ \t]*[:=]`)

// goDurations finds 5 * time.Second, a number in CUE as well, where it can be had.
func (h *habit) goDurations() {
	if bytes.Contains(h.text, []byte(`"time"`)) || ownTime.Match(h.masked) {
		return
	}
	h.all(goDuration, func(m []int) {
		n := "1"
		for _, g := range []int{6, 10} {
			if m[g] >= 0 {
				n = string(h.text[m[g]:m[g+1]])
			}
		}
		unit := map[string]string{"Nanosecond": "ns", "Microsecond": "us", "Millisecond": "ms", "Second": "s", "Minute": "m", "Hour": "h"}[string(h.text[m[8]:m[9]])]
		right := `"` + n + unit + `"`
		h.say(slip{
			start: m[4], end: m[5], message: fmt.Sprintf("%s is written %s", h.text[m[4]:m[5]], right), title: "write " + right,
			help: []string{string(h.text[m[2]:m[3]]) + ": " + right}, fix: []edit{{m[4], m[5], right}},
		})
	})
}

var dottedField = regexp.MustCompile(`(?:^|[{,\n:])[ \t]*([a-z][A-Za-z0-9]*(?:\.[a-z][A-Za-z0-9]*)+)[ \t]*:`)

// dotted finds backoff.base: "1s", and class: a.b: {…}.
func (h *habit) dotted() {
	h.all(dottedField, func(m []int) {
		at, end := m[2], m[3]
		name := string(h.text[at:end])
		line := lineAround(h.text, at)
		if labelOfClass.Match(h.masked[line.start:at]) {
			right := `"` + strings.ReplaceAll(strings.ToLower(name), ".", "-") + `"`
			reason, _ := scalars["#ClassName"].check(&node{text: name})
			h.say(slip{start: at, end: end, message: fmt.Sprintf("%q is not the name of a class: %s", name, reason), title: "write " + right, help: []string{right}, fix: []edit{{at, end, right}}})
			return
		}
		first, rest, _ := strings.Cut(name, ".")
		t := fieldOfClass(first)
		if t == nil || t.body == nil && t.kind == scalarType {
			return
		}
		right := first + ": " + strings.ReplaceAll(rest, ".", ": ")
		help := valueHelp(bytes.TrimLeft(h.text[m[1]:line.end], " \t"), "")
		h.say(slip{start: at, end: end, message: fmt.Sprintf("a field within another is written %s:", right), title: "write " + right, help: []string{right + ": " + help}, fix: []edit{{at, end, right}}})
	})
}

// fieldOfClass is the type of a field of a class, or of the set, by its name.
func fieldOfClass(name string) *typ {
	for _, t := range []*typ{theShape().class, theShape().policy} {
		if f := t.field(name); f != nil {
			return f.typ
		}
	}
	return nil
}

var arrow = regexp.MustCompile(`(?:^|[{,\n:])[ \t]*([A-Za-z_#][A-Za-z0-9_]*|"s*")([ \t]*(->|<-|:=)[ \t]*)`)

// arrows finds attempts -> 3.
func (h *habit) arrows() {
	h.all(arrow, func(m []int) {
		name := string(h.text[m[2]:m[3]])
		if loopHead.Match(h.masked[lineAround(h.text, m[2]).start:m[2]]) || h.masked[m[0]] == ':' && string(h.text[m[6]:m[7]]) == "<-" {
			return // a loop; less than a negative number
		}
		end := lineAround(h.text, m[7]).end
		h.say(slip{
			start: m[6], end: m[7], message: fmt.Sprintf("a field has a colon between name and value, not %s", h.text[m[6]:m[7]]), title: "write a colon",
			help: []string{name + ": " + valueHelp(bytes.TrimLeft(h.text[m[7]:end], " \t"), "")}, fix: []edit{{m[4], m[5], ": "}},
		})
	})
}

// keywords finds let w: "2s" and const wait = "10s".
func (h *habit) keywords() {
	h.all(letColon, func(m []int) {
		name, end := string(h.text[m[2]:m[3]]), lineAround(h.text, m[1]).end
		mark := strings.TrimSpace(string(h.text[m[4]:m[5]]))
		h.say(slip{
			start: m[3] + bytes.IndexByte(h.text[m[3]:m[5]], ':'), end: m[3] + bytes.IndexByte(h.text[m[3]:m[5]], ':') + len(mark), message: fmt.Sprintf("a let has = between name and value, not %s", mark), title: "write =",
			help: []string{"let " + name + " = " + valueHelp(h.text[m[1]:end], "")}, fix: []edit{{m[4], m[5], " = "}},
		})
	})
	h.all(constant, func(m []int) {
		name, end := string(h.text[m[4]:m[5]]), lineAround(h.text, m[1]).end
		right := "let " + name + " ="
		word := string(h.text[m[2] : m[2]+firstWord(h.text[m[2]:m[3]])])
		h.say(slip{
			start: m[2], end: m[2] + len(word), message: word + " is no word of CUE: a value gets a name with let", title: "write let",
			help: []string{right + " " + valueHelp(h.text[m[1]:end], "")}, fix: []edit{{m[2], m[3], right}},
		})
	})
}

var equalsOfName = regexp.MustCompile(`(?m)^[ \t]*([#_][A-Za-z][A-Za-z0-9_]*)([ \t]*=[ \t]*)([^=~ \t\r\n])`)

// equals finds #names = ["a"]: CUE takes the name for another one of the field
// that comes next.
func (h *habit) equals() {
	h.all(equalsOfName, func(m []int) {
		end := lineAround(h.text, m[6]).end
		if c := h.masked[m[6]]; strings.IndexByte("{[(", c) >= 0 {
			end = closing(h.masked, m[6])
		}
		if after := bytes.TrimLeft(h.masked[min(end, len(h.masked)):lineAround(h.text, end).end], " \t"); bytes.HasPrefix(after, []byte(":")) || len(after) > 0 && strings.IndexByte("?!", after[0]) >= 0 || bytes.ContainsRune(h.masked[m[6]:min(end, lineAround(h.text, m[6]).end)], ':') && h.masked[m[6]] != '{' {
			return
		}
		name := string(h.text[m[2]:m[3]])
		at := m[4] + bytes.IndexByte(h.text[m[4]:m[5]], '=')
		h.say(slip{
			start: at, end: at + 1, message: "a field has a colon between name and value, not =", title: "write a colon",
			help: []string{name + ": " + valueHelp(h.text[m[6]:lineAround(h.text, m[6]).end], "")}, fix: []edit{{m[4], m[5], ": "}},
		})
	})
}

var numberComma = regexp.MustCompile(`([A-Za-z]+)[ \t]*:[ \t]*([0-9]+,[0-9]+)[ \t]*(?:[,}\r\n]|$)`)

// commaInNumber finds attempts: 3,5.
func (h *habit) commaInNumber() {
	h.all(numberComma, func(m []int) {
		name, said := string(h.text[m[2]:m[3]]), string(h.text[m[4]:m[5]])
		right := strings.Replace(said, ",", ".", 1)
		sl := slip{start: m[4], end: m[5], message: fmt.Sprintf("%s is not a number: a comma ends the field", said), lost: name, stand: []edit{{m[4], m[5], unknown}}}
		if name == "factor" || name == "ratio" || name == "floor" {
			sl.message = fmt.Sprintf("%s is written %s: a comma ends the field", said, right)
			sl.stand, sl.lost = nil, ""
			sl.fix, sl.title, sl.help = []edit{{m[4], m[5], right}}, "write "+right, []string{name + ": " + right}
		}
		h.say(sl)
	})
}

var spread = regexp.MustCompile(`(?:^|[{,\n])[ \t]*(\.\.\.[ \t]*|"?<<"?[ \t]*:[ \t]*\*?)(#?[A-Za-z_][A-Za-z0-9_.#]*)`)

// spreads finds {...#Q} and {<<: #Q}.
func (h *habit) spreads() {
	h.all(spread, func(m []int) {
		name := string(h.text[m[4]:m[5]])
		if open := openBrackets(h.masked[:m[2]]); name == "_" || len(open) > 0 && h.masked[open[len(open)-1]] != '{' {
			return // what a list goes on with
		}
		h.say(slip{start: m[2], end: m[5], message: fmt.Sprintf("what is shared is embedded by its name alone: %s", name), title: "write " + name, help: []string{"{" + name + ", …} // … stays as it is"}, fix: []edit{{m[2], m[3], ""}}})
	})
}

var bareOperation = regexp.MustCompile(`(?:^|[{,\n: \t])http[ \t]*:[ \t]*([A-Za-z]+[ \t]+[^ \t\r\n",:=][^\r\n",]*)`)

// unquoted finds http: GET /a, two names and a division for CUE.
func (h *habit) unquoted() {
	h.all(bareOperation, func(m []int) {
		at, end := m[2], m[3]
		for open := 0; at < end; at++ { // a brace that closes more than the pattern
			if h.masked[at] == '{' {
				open++
			} else if h.masked[at] == '}' {
				if open--; open < 0 {
					break
				}
			}
		}
		end, at = at, m[2]
		end = at + len(bytes.TrimRight(h.masked[at:end], " \t"))
		value := string(h.text[at:end])
		if end < len(h.text) && h.text[end] == '"' || !strings.Contains(value, "/") {
			return
		}
		right := `"` + value + `"`
		h.say(slip{start: at, end: end, message: fmt.Sprintf("%s is text, and text stands in quotes", value), title: "put it in quotes", help: []string{"http: " + right}, fix: []edit{{at, end, right}}})
	})
}
