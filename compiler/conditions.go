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
	conditionEnd = regexp.MustCompile(`[ \t]*(?:\{|&&|\|\||\band\b|\bor\b|$)`)
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
	m.help = []string{"if " + right + " {…} // … stays as it is"}
	return m, true
}

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
	andOr    = regexp.MustCompile(`(?i)\b(and|or)\b`)
)

// andOr finds if a and b: each and of a condition in one message.
func (d *diagnosis) andOr() (slip, bool) {
	line := masked(d.text[d.line.start:d.line.end])
	head, rest := line[:len(d.head)], line[len(d.head):]
	f := andOr.FindIndex(rest)
	if f == nil || f[0] != 0 || !ifBefore.Match(head) {
		return slip{}, false
	}
	word := string(rest[:f[1]])
	right := map[string]string{"and": "&&", "or": "||"}[strings.ToLower(word)]
	end := len(rest)
	if i := bytes.IndexByte(rest, '{'); i >= 0 {
		end = i
	}
	m := slip{start: d.at, end: d.at + len(word), message: fmt.Sprintf("%s is written %s", word, right), title: "write " + right, sure: true}
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

var choiceHead = regexp.MustCompile(`(?:("[^"\n]*"|[A-Za-z_#][A-Za-z0-9_]*)[ \t]*:|\blet[ \t]+[A-Za-z_#][A-Za-z0-9_]*[ \t]*=)[ \t]*([^:{},?\n=][^:{},?\n]*?)[ \t]*(\?)[ \t]*$`)

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
	f := choiceHead.FindSubmatchIndex(head)
	if f == nil || bytes.HasPrefix(tail, []byte("?")) {
		return slip{}, false
	}
	start, behind := d.line.start+f[4], d.line.start+len(head)
	line := masked(d.text[d.line.start:d.line.end])
	condition, rest := string(head[f[4]:f[5]]), line[len(head):]
	right := "["
	at := 0
	for {
		colon := at + endOfPart(rest[at:], ":,}])")
		if colon >= len(rest) || rest[colon] != ':' {
			return slip{}, false
		}
		one := strings.TrimSpace(string(tail[at:colon]))
		if !parsesAsFile("x: "+condition) || !parsesAsFile("x: "+one) {
			return slip{}, false
		}
		right += "if " + condition + " {" + one + "}, "
		next := colon + 1 + endOfPart(rest[colon+1:], "?,}])")
		other := strings.TrimSpace(string(rest[colon+1 : next]))
		if other == "" {
			return slip{}, false
		}
		if next < len(rest) && rest[next] == '?' {
			condition = strings.TrimSpace(string(tail[colon+1 : next]))
			at = next + 1
			continue
		}
		last := colon + 1 + len(bytes.TrimRight(rest[colon+1:next], " \t\r"))
		other = strings.TrimSpace(string(tail[colon+1 : last]))
		if !parsesAsFile("x: " + other) {
			return slip{}, false
		}
		right += other + "][0]"
		return d.instead(slip{start: d.line.start + f[6], end: d.line.start + f[7], message: "CUE has no ? to choose a value: write a list with an if in it, and take its first"}, start, behind+last, right), true
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
	if declaredNot.Match(h.masked) {
		return
	}
	h.all(callOfNot, func(m []int) {
		end := closing(h.masked, m[1]-1)
		if f := conditionEnd.FindIndex(h.masked[end:]); f[0] != 0 {
			return // it may be less, or more, that is not
		}
		h.say(slip{start: m[2], end: m[3], message: "not is written !", title: "write !", help: []string{"if !" + string(h.text[m[1]-1:end]) + " {…} // … stays as it is"}, fix: []edit{{m[2], m[1] - 1, "!"}}})
	})
}

var declaredNot = regexp.MustCompile(`\bnot[ \t]*[:=]`)
