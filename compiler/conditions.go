package compiler

// Conditions and loops as other languages write them, where CUE's parser stumbles
// over them: not, and, or; ? and ??; an if that is a value; parentheses of a for.

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

var (
	notBefore    = regexp.MustCompile(`(?:\bif|\bif[ \t]*\(+|&&|\|\|)[ \t]*(not)[ \t]+$`)
	conditionEnd = regexp.MustCompile(`[ \t]*(?:\{|&&|\|\||(?i:\b(?:and|or|is)\b)|$)`)
	comparison   = regexp.MustCompile(`[=!]=|[<>]|[=!]~`)
)

// not finds if not x.
func (d *diagnosis) not() (slip, bool) {
	line := masked(d.text[d.line.start:d.line.end])
	head, rest := line[:len(d.head)], line[len(d.head):]
	f := notBefore.FindSubmatchIndex(head)
	if f == nil {
		return slip{}, false
	}
	start := d.line.start + f[2]
	end := conditionEnd.FindIndex(rest)[0]
	if closed := unopened(rest[:end]); closed >= 0 {
		end = closed
	}
	operand := d.text[d.at : d.at+end]
	m := slip{start: start, end: start + len("not"), message: "not is written !", title: "write !", sure: true, fix: []edit{{start, d.at, "!"}}}
	if comparison.Match(rest[:end]) && (rest[0] != '(' || closing(rest, 0) != end) { // ! binds tighter
		m.fix = []edit{{start, d.at, "!("}, {d.at + end, d.at + end, ")"}}
	}
	right := m.fix[0].with + string(operand)
	if len(m.fix) > 1 {
		right += ")"
	}
	if !parsesAsFile("x: " + right) {
		return slip{}, false
	}
	m.help = []string{right}
	if wholeIf.Match(head) && bytes.HasPrefix(bytes.TrimLeft(rest[end:], " \t"), []byte("{")) {
		m.help[0] = "if " + right + " {…} // … stays as it is"
	}
	return m, true
}

var wholeIf = regexp.MustCompile(`\bif[ \t]+not[ \t]+$`)

// unopened is the offset of the first bracket that closes what a text does not
// open, or -1.
func unopened(text []byte) int {
	depth := 0
	for i, c := range text {
		switch c {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			if depth--; depth < 0 {
				return i
			}
		}
	}
	return -1
}

var (
	ifBefore = regexp.MustCompile(`\bif[ \t][^{]*$`)
	andOr    = regexp.MustCompile(`(?i)\b(and|or|is[ \t]+not|is)\b`)
)

// equality is how the operators are told to those who write is, === and <>.
var equality = map[string]string{"==": "whether two values are equal is asked with ==", "!=": "whether two values differ is asked with !="}

// andOr finds if a and b, and if a is b: each and of a condition in one message.
func (d *diagnosis) andOr() (slip, bool) {
	line := masked(d.text[d.line.start:d.line.end])
	head, rest := line[:len(d.head)], line[len(d.head):]
	f := andOr.FindIndex(rest)
	if f == nil || f[0] != 0 || !ifBefore.Match(head) {
		return slip{}, false
	}
	word := string(rest[:f[1]])
	right := map[string]string{"and": "&&", "or": "||", "is": "==", "is not": "!="}[strings.ToLower(strings.Join(strings.Fields(word), " "))]
	end := len(rest)
	if i := bytes.IndexByte(rest, '{'); i >= 0 {
		end = i
	}
	m := slip{start: d.at, end: d.at + len(word), message: fmt.Sprintf("%s is written %s", word, right), title: "write " + right, sure: true}
	if message := equality[right]; message != "" {
		m.message = message
	}
	for _, f := range andOr.FindAllIndex(rest[:end], -1) {
		if string(rest[f[0]:f[1]]) == word {
			m.fix = append(m.fix, edit{d.at + f[0], d.at + f[1], right})
		}
	}
	condition := bytes.TrimSpace(d.head[ifBefore.FindIndex(head)[0]+len("if"):])
	whole := string(condition) + " "
	at := d.at
	for _, e := range m.fix {
		whole += string(d.text[at:e.start]) + e.with
		at = e.end
	}
	whole = strings.TrimSpace(whole + string(d.text[at:d.at+end]))
	if parsesAsFile("x: " + whole) {
		m.help = []string{"if " + whole + " {…} // … stays as it is"}
	}
	return m, true
}

var (
	forBefore   = regexp.MustCompile(`\bfor[ \t]*$`)
	loopInside  = regexp.MustCompile(`^\([ \t]*(?:(?:const|let|var)[ \t]+)?([A-Za-z_][A-Za-z0-9_]*(?:[ \t]*,[ \t]*[A-Za-z_][A-Za-z0-9_]*)?)[ \t]+(?:in|of|:=[ \t]*range|=[ \t]*range)[ \t]+([^\n]*?)[ \t]*\)$`)
	namesInside = regexp.MustCompile(`^\([ \t]*([A-Za-z_][A-Za-z0-9_]*(?:[ \t]*,[ \t]*[A-Za-z_][A-Za-z0-9_]*)?)[ \t]*\)$`)
)

// loopParentheses finds for (x in list) and for (k, v) in list.
func (d *diagnosis) loopParentheses() (slip, bool) {
	f := forBefore.FindIndex(d.head)
	if f == nil || !bytes.HasPrefix(d.rest, []byte("(")) {
		return slip{}, false
	}
	line := masked(d.text[d.line.start:d.line.end])
	end := closing(line, len(d.head))
	inside := d.rest[:end-len(d.head)]
	right := ""
	if f := loopInside.FindSubmatch(inside); f != nil {
		right = string(f[1]) + " in " + string(f[2])
	} else if f := namesInside.FindSubmatch(inside); f != nil {
		right = string(f[1])
	} else {
		return slip{}, false
	}
	last := d.line.start + end - 1
	m := slip{start: d.at, end: d.at + 1, message: "a for has no parentheses", title: "remove the parentheses", sure: true, related: []slipRelated{{last, last + 1, "to here"}}}
	head := right
	if !strings.Contains(right, " in ") {
		head = right + strings.TrimRight(string(d.text[last+1:d.line.start+len(bytes.TrimRight(line, "{ \t\r"))]), " \t")
	}
	with := right
	if d.at == d.line.start+f[0]+len("for") {
		with = " " + right
	}
	if last+1 < len(d.text) && d.text[last+1] == '{' {
		with += " "
	}
	m.fix = []edit{{d.at, last + 1, with}}
	if help := "for " + head + " {…}"; parsesAsFile(strings.Replace(help, "{…}", "{}", 1)) {
		m.help = []string{help + " // … stays as it is"}
	}
	return m, true
}

var choiceHeads = []*regexp.Regexp{ // condition, mark
	regexp.MustCompile(`\([ \t]*([^():{},?\n]+?)\s*(\?)[ \t]*$`),
	regexp.MustCompile(`(?:(?:"[^"\n]*"|[A-Za-z_#][A-Za-z0-9_]*)[ \t]*:|\blet[ \t]+[A-Za-z_#][A-Za-z0-9_]*[ \t]*=)[ \t]*([^ \t:{},?\n=][^:{},?\n]*?)\s*(\?)[ \t]*$`),
}

// question is the line of the place before and behind a ? there: the parser may
// say that it stands there, or what follows it.
func (d *diagnosis) question() (head, tail []byte) {
	head, tail = d.head, d.rest
	if bytes.HasPrefix(tail, []byte("?")) && !bytes.HasSuffix(head, []byte("?")) {
		head, tail = d.text[d.line.start:d.at+1], tail[1:]
	}
	return head, tail
}

// choice finds attempts: prod ? 3 : 1.
func (d *diagnosis) choice() (slip, bool) {
	head, tail := d.question()
	behind := d.line.start + len(head)
	from := d.line.start
	if len(bytes.Trim(head, "? \t")) == 0 && from > 0 { // a line of its own
		from = lineAround(d.text, from-1).start
	}
	var f []int
	for i := 0; i < len(choiceHeads) && f == nil; i++ {
		f = choiceHeads[i].FindSubmatchIndex(d.text[from:behind])
	}
	if f == nil || bytes.HasPrefix(tail, []byte("?")) {
		return slip{}, false
	}
	tail = d.text[behind:]
	rest := masked(tail)
	m := slip{start: from + f[4], end: from + f[5], message: "CUE has no ? to choose a value: write a list with an if in it, and take its first"}
	condition, right := string(d.text[from+f[2]:from+f[3]]), "["
	for at := 0; ; {
		colon := at + endOfPart(rest[at:], ":,}])\n")
		if below := colon + len(rest[colon:]) - len(bytes.TrimLeft(rest[colon:], " \t\r\n")); below < len(rest) && rest[below] == ':' {
			colon = below
		}
		if colon >= len(rest) || rest[colon] != ':' {
			return slip{}, false
		}
		one := string(bytes.TrimSpace(tail[at:colon]))
		end := colon + 1 + endOfPart(rest[colon+1:], "?,}])\n")
		end = colon + 1 + len(bytes.TrimRight(rest[colon+1:end], " \t\r"))
		other := string(bytes.TrimSpace(tail[colon+1 : end]))
		for _, x := range []string{condition, one, other} {
			if x == "" || !parsesAsFile("x: "+x) {
				return slip{}, false
			}
		}
		right += "if " + condition + " {" + one + "}, "
		if more := bytes.TrimLeft(rest[end:], " \t"); bytes.HasPrefix(more, []byte("?")) {
			condition, at = other, len(rest)-len(more)+1
			continue
		}
		return d.instead(m, from+f[2], behind+end, right+other+"][0]"), true
	}
}

// endOfPart is the offset of the first of the ends that no bracket is open at.
func endOfPart(text []byte, ends string) int {
	depth := 0
	for i, c := range text {
		if depth == 0 && strings.IndexByte(ends, c) >= 0 {
			return i
		}
		switch c {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth--
		}
	}
	return len(text)
}

// instead is a mistake whose fix writes a value anew, with the field as its help.
func (d *diagnosis) instead(m slip, start, end int, right string) slip {
	m.title, m.sure, m.fix = "write "+right, true, []edit{{start, end, right}}
	m.help = []string{right}
	if name := labelOf(d.text[lineAround(d.text, start).start:start]); name != "" {
		m.help = []string{name + ": " + right}
	}
	return m
}

// labelOf is the label that a text ends with, as it is written, without its colon.
func labelOf(head []byte) string {
	if f := labelBefore.FindSubmatch(head); f != nil {
		return string(f[1])
	}
	return ""
}

var coalesced = regexp.MustCompile(`("[^"\n]*"|[A-Za-z_#][A-Za-z0-9_]*)[ \t]*:[ \t]*(([A-Za-z_#][A-Za-z0-9_#]*)[A-Za-z0-9_#.]*)[ \t]*\?$`)

// coalesce finds max: _x.max ?? "1MiB".
func (d *diagnosis) coalesce() (slip, bool) {
	head, tail := d.question()
	f := coalesced.FindSubmatchIndex(head)
	if f == nil || !bytes.HasPrefix(tail, []byte("?")) {
		return slip{}, false
	}
	behind := d.line.start + len(head)
	line := masked(d.text[d.line.start:d.line.end])
	rest := line[len(head)+1:]
	end := len(bytes.TrimRight(rest[:endOfPart(rest, ",}])")], " \t\r"))
	other := strings.TrimSpace(string(tail[1 : 1+end]))
	value, root := string(head[f[4]:f[5]]), string(head[f[6]:f[7]])
	start, stop := d.line.start+f[4], behind+1+end
	right := "*" + value + " | " + other
	m := slip{start: behind - 1, end: behind + 1, message: "CUE has no ??: of two values, * marks the one to take where it is given, as in " + right}
	if other != "" && parsesAsFile("x: "+right) && regexp.MustCompile(`(?:^|[^A-Za-z0-9_#.])`+regexp.QuoteMeta(root)+`[ \t]*[:=]`).Match(masked(d.s.read)) {
		return d.instead(m, start, stop, right), true
	}
	// What it refers to may stand in another file.
	m.lost, m.sure, m.stand = strings.Trim(string(head[f[2]:f[3]]), `"`), true, []edit{{start, stop, unknown}}
	return m, true
}

var (
	ifThenElse = regexp.MustCompile(`:[ \t]*(if[ \t]+([^{}:,]+?)[ \t]+then[ \t]+([^{}:,]+?)[ \t]+else[ \t]+([^{}:,]+?))[ \t\r]*(?:[,}]|$)`)
	xIfElse    = regexp.MustCompile(`:[ \t]*(([^{}:,]+?)[ \t]+if[ \t]+([^{}:,]+?)[ \t]+else[ \t]+([^{}:,]+?))[ \t\r]*(?:[,}]|$)`)
)

// inlineIf finds within: if prod then "1m" else "2m", and "1m" if prod else "2m".
func (d *diagnosis) inlineIf() (slip, bool) {
	line := masked(d.text[d.line.start:d.line.end])
	at := d.at - d.line.start
	for _, form := range []struct {
		re             *regexp.Regexp
		condition, one int
	}{{ifThenElse, 4, 6}, {xIfElse, 6, 4}} {
		for _, f := range form.re.FindAllSubmatchIndex(line, -1) {
			if at < f[2] || at > f[3] {
				continue
			}
			part := func(g int) string { return string(d.text[d.line.start+f[g] : d.line.start+f[g+1]]) }
			right := "[if " + part(form.condition) + " {" + part(form.one) + "}, " + part(8) + "][0]"
			if !parsesAsFile("x: " + right) {
				continue
			}
			start := d.line.start + f[2]
			i := start + bytes.Index(line[f[2]:f[3]], []byte("if"))
			return d.instead(slip{start: i, end: i + 2, message: "a value is chosen with an if in a list, of which the first is taken"}, start, d.line.start+f[3], right), true
		}
	}
	return slip{}, false
}

var otherIf = regexp.MustCompile(`(?:^|[{,])[ \t]*(unless|when)[ \t]+$`)

// otherCondition finds unless x {…} and when x {…}.
func (d *diagnosis) otherCondition() (slip, bool) {
	line := masked(d.text[d.line.start:d.line.end])
	f := otherIf.FindSubmatchIndex(line[:len(d.head)])
	end := bytes.IndexByte(line[len(d.head):], '{')
	if f == nil || end < 0 {
		return slip{}, false
	}
	word := string(d.head[f[2]:f[3]])
	condition := strings.TrimSpace(string(d.rest[:end]))
	if condition == "" || !parsesAsFile("x: "+condition) {
		return slip{}, false
	}
	if word == "unless" && regexp.MustCompile(`^[A-Za-z_#][A-Za-z0-9_#.]*$`).MatchString(condition) {
		condition = "!" + condition
	} else if word == "unless" {
		condition = "!(" + condition + ")"
	}
	start := d.line.start + f[2]
	return slip{
		start: start, end: start + len(word), message: word + " is no word of CUE: a condition begins with if", title: "write if", sure: true,
		help: []string{"if " + condition + " {…} // … stays as it is"}, fix: []edit{{start, d.at + len(bytes.TrimRight(d.rest[:end], " \t")), "if " + condition}},
	}, true
}

// thriceEqual finds === and !==.
func (d *diagnosis) thriceEqual() (slip, bool) {
	if len(d.head) < 2 || !bytes.HasPrefix(d.rest, []byte("=")) {
		return slip{}, false
	}
	mark := string(d.head[len(d.head)-2:])
	if mark != "==" && mark != "!=" {
		return slip{}, false
	}
	return slip{start: d.at - 2, end: d.at + 1, message: equality[mark], title: "write " + mark, sure: true, fix: []edit{{d.at, d.at + 1, ""}}}, true
}

var (
	valueIf    = regexp.MustCompile(`((?:(?:"s*"|[A-Za-z_#][A-Za-z0-9_]*)[ \t]*:[ \t]*)+)((?:if|for)\b)[^\n{]*\{`)
	elseBehind = regexp.MustCompile(`^\s*else[ \t]*\{`)
)

// valueIf finds audience: if prod {"interactive"}.
func (d *diagnosis) valueIf() (slip, bool) {
	text := masked(d.text[d.line.start:])
	at := d.at - d.line.start
	for _, f := range valueIf.FindAllSubmatchIndex(text[:len(d.head)+len(d.rest)], -1) {
		open := f[1] - 1
		end := closing(text, open)
		if f[4] > at || end < at || text[end-1] != '}' {
			continue
		}
		place := func(i int) int { return d.line.start + i }
		raw := func(from, to int) string { return string(d.text[place(from):place(to)]) }
		word, labels := raw(f[4], f[5]), raw(f[2], f[3])
		m := slip{start: place(f[4]), end: place(f[5]), message: fmt.Sprintf("%s %s stands in a struct or a list, not in the place of a value", map[string]string{"if": "an", "for": "a"}[word], word), sure: true}
		name := labelOf([]byte(labels))
		head, body := strings.TrimSpace(raw(f[4], open)), strings.TrimSpace(raw(open+1, end-1))
		if word == "for" {
			m.lost, m.stand = strings.Trim(name, `"`), []edit{{m.start, place(end), unknown}}
			return m, true
		}
		if g := elseBehind.FindIndex(text[end:]); g != nil {
			last := closing(text, end+g[1]-1)
			right := "[" + head + " {" + body + "}, " + strings.TrimSpace(raw(end+g[1], last-1)) + "][0]"
			if !parsesAsFile("x: "+right) || strings.Contains(right, "\n") {
				return slip{}, false
			}
			m.message += ", and CUE has no else"
			return d.instead(m, m.start, place(last), right), true
		}
		// The field goes into the braces.
		m.title = "write the field into the braces"
		m.fix = []edit{{place(f[2]), place(f[4]), ""}, {place(open + 1), place(open + 1), labels}}
		right := head + " {" + labels + body + "}"
		if body == "" || !parsesAsFile("x: "+body) {
			m.fix[1].with = labels + "{"
			m.fix = append(m.fix, edit{place(end), place(end), "}"})
			right = head + " {" + labels + "{" + body + "}}"
		}
		if !parsesAsFile(right) {
			return slip{}, false
		}
		if !strings.Contains(right, "\n") {
			m.help = []string{right}
		}
		return m, true
	}
	return slip{}, false
}

var (
	sharedThenBraces = regexp.MustCompile(`([A-Za-z][A-Za-z0-9_]*|"s*")[ \t]*:[ \t]*([_#][A-Za-z0-9_.#]*)([ \t]*,[ \t]*)\{[ \t\r\n]*([a-z][A-Za-z]*)[ \t]*:`)
	bracesThenShared = regexp.MustCompile(`([A-Za-z][A-Za-z0-9_]*|"s*")[ \t]*:[ \t]*\{`)
	commaThenShared  = regexp.MustCompile(`^([ \t]*,[ \t]*)([_#][A-Za-z0-9_.#]*)[ \t]*(?:\r?\n|,|\}|$)`)
	callOfNot        = regexp.MustCompile(`(?:\bif|&&|\|\|)[ \t]*(not)[ \t]*\(`)
)

// joined finds class: a: #Shared, {http: "…"}: for CUE, the comma ends the class.
func (h *habit) joined() {
	say := func(name string, from, to int) {
		h.say(slip{start: from + bytes.IndexByte(h.text[from:to], ','), end: to, message: fmt.Sprintf("this comma ends %s: what is shared is joined with &", name), title: "write &", fix: []edit{{from, to, " & "}}})
	}
	h.all(sharedThenBraces, func(m []int) {
		if h.isClassLabel(m[2]) && theShape().class.field(string(h.text[m[8]:m[9]])) != nil {
			say(string(h.text[m[2]:m[3]]), m[6], m[7])
			h.found[len(h.found)-1].help = []string{string(h.text[m[2]:m[3]]) + ": " + string(h.text[m[4]:m[5]]) + " & {…} // … stays as it is"}
		}
	})
	h.all(bracesThenShared, func(m []int) {
		if !h.isClassLabel(m[2]) {
			return
		}
		end := closing(h.masked, m[1]-1)
		if f := commaThenShared.FindSubmatchIndex(h.masked[end:]); f != nil {
			say(string(h.text[m[2]:m[3]]), end+f[2], end+f[3])
		}
	})
}

// calledNot finds if not(x), a call for CUE.
func (h *habit) calledNot() {
	h.all(callOfNot, func(m []int) {
		end := closing(h.masked, m[1]-1)
		if f := conditionEnd.FindIndex(h.masked[end:]); f[0] != 0 {
			return // it may be less, or more, that is not
		}
		h.say(slip{start: m[2], end: m[3], message: "not is written !", title: "write !", help: []string{"if !" + string(h.text[m[1]-1:end]) + " {…} // … stays as it is"}, fix: []edit{{m[2], m[1] - 1, "!"}}})
	})
}

var (
	unequal  = regexp.MustCompile(`[^<>=!&|](<>)[^<>=]`)
	chaining = regexp.MustCompile(`\b[A-Za-z_#][A-Za-z0-9_#]*(\?\.)[A-Za-z_]`)
)

// operators finds a <> b, two constraints for CUE, and a?.b.
func (h *habit) operators() {
	h.all(unequal, func(m []int) {
		h.say(slip{start: m[2], end: m[3], message: equality["!="], title: "write !=", fix: []edit{{m[2], m[3], "!="}}})
	})
	h.all(chaining, func(m []int) {
		h.say(slip{start: m[2], end: m[3], message: "CUE has no ?.: a field is taken with a dot alone", title: "write a dot", fix: []edit{{m[2], m[2] + 1, ""}}})
	})
}
