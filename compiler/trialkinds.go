package compiler

// What is tried where a mistake of syntax is: a character more or less, a pair, a
// word, a bracket.

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/retryc/retryc/internal/nearest"
)

// window is where single characters are tried: the line of the place, and the
// one before it, as far as they are near.
func (t *trials) window() stretch {
	const far = 400
	line := lineAround(t.text, t.at)
	w := stretch{max(line.start, t.at-far), min(line.end, t.at+far)}
	before := bytes.TrimRight(t.text[:line.start], " \t\r\n")
	if len(before) > t.start && w.start == line.start {
		w.start = max(lineAround(t.text, len(before)).start, t.at-far)
	}
	w.start = max(w.start, t.start)
	return w
}

func isBoundary(a, b byte) bool { return !isWordByte(a) || !isWordByte(b) }

func (t *trials) characters(w stretch) {
	text := t.text
	for i := w.start; i <= w.end; i++ {
		edge := i == w.start || i == len(text) || isBoundary(text[i-1], text[i])
		if edge && !(i > w.start && i < len(text) && text[i-1] == ' ' && text[i] == ' ') {
			for _, c := range []string{`"`, ":", ",", "{", "}", "(", ")", "[", "]", "=", `\`} {
				at := i
				t.try(t.kindOfInsertion(c), []edit{{at, at, c}}, func() slip { return t.missing(at, c) })
			}
		}
		if i == w.end || strings.IndexByte(" \t\r\n", text[i]) >= 0 {
			continue
		}
		if !isWordByte(text[i]) || text[i] > 127 || text[i] == '.' {
			at, end := i, i+1
			for end < w.end && text[i] > 127 && text[end] > 127 && text[end]&0xC0 == 0x80 {
				end++
			}
			kind := 2
			if end < w.end && text[end] == text[at] {
				continue // the last of several is as good
			}
			if at > 0 && text[at-1] == text[at] {
				kind = 1
			}
			t.try(kind, []edit{{at, end, ""}}, func() slip { return t.extra(at, end) })
			for _, c := range []string{":", "=", ",", `"`, "{", "(", "[", "}", ")", "]"} {
				if c[0] != text[i] {
					t.try(4, []edit{{at, end, c}}, func() slip { return t.other(at, end, c) })
				}
			}
		}
	}
}

var colonFirst = regexp.MustCompile(`(?:^|[{,\n])[ \t]*(:)`)

// nameless tries a field whose name is missing.
func (t *trials) nameless(w stretch) {
	for _, loc := range colonFirst.FindAllSubmatchIndex(t.text[w.start:w.end], -1) {
		at := w.start + loc[2]
		edits := []edit{{at, at, skipped(at)}}
		t.try(0, edits, func() slip {
			return slip{start: at, end: at + 1, message: "a name is missing before this colon", stand: edits, all: true}
		})
	}
}

var loopHead = regexp.MustCompile(`\b(for|if)[ \t]`)

// pairs tries both braces of what a for or an if makes.
func (t *trials) pairs(w stretch) {
	loc := loopHead.FindSubmatchIndex(t.text[w.start:w.end])
	if loc == nil {
		return
	}
	word := string(t.text[w.start+loc[2] : w.start+loc[3]])
	line := lineAround(t.text, w.start+loc[2])
	below := lineAround(t.text, min(line.end+1, len(t.text)))
	for i := w.start + loc[3]; i <= below.end && i < len(t.text); i++ {
		if c := t.text[i-1]; c != ' ' && c != '\n' && c != '\t' || strings.IndexByte(" \t\r\n", t.text[i]) >= 0 {
			continue
		}
		var ends []int
		for _, end := range []int{line.end, below.end} {
			end = t.start + len(bytes.TrimRight(t.text[t.start:end], " \t\r\n"))
			ends = append(ends, end)
			for n := 1; n <= 3 && end-n > i && t.text[end-n] == '}'; n++ {
				ends = append(ends, end-n)
			}
		}
		at := i
		open := edit{at, at, "{"}
		if head := bytes.TrimRight(t.text[:at], " \t\r\n"); len(head) <= line.end && line.end < at {
			open = edit{len(head), len(head), " {"}
		}
		for _, end := range ends {
			if end <= at {
				continue
			}
			t.try(2, []edit{open, {end, end, "}"}}, func() slip {
				return slip{start: at, end: at + firstWord(t.text[at:]), message: "what a " + word + " makes stands in braces", title: "write braces"}
			})
		}
	}
}

func (t *trials) kindOfInsertion(c string) int {
	switch c {
	case ":", ",", `"`:
		return 1
	case "=", `\`:
		return 3
	}
	return 2
}

// words tries keywords that a slip was made in, and does without words.
func (t *trials) words(w stretch) {
	for _, loc := range wordRE.FindAllIndex(t.text[w.start:w.end], -1) {
		at, end := w.start+loc[0], w.start+loc[1]
		word := string(t.text[at:end])
		for _, k := range keywords {
			if d := nearest.Distance(word, k); d == 1 || d == 2 && len(k) == 2 {
				t.try(1+d, []edit{{at, end, k}}, func() slip { return t.other(at, end, k) })
			}
		}
		if after := end; after < len(t.text) && t.text[after] == ' ' {
			after++
			t.try(4, []edit{{at, after, ""}}, func() slip { return t.extra(at, end) })
		}
		for _, k := range []string{"in", "if"} {
			t.try(3, []edit{{at, at, k + " "}}, func() slip { return t.missing(at, k) })
		}
		for _, k := range []string{"for", "let", "if", "in"} { // forn, letwait
			if rest, ok := strings.CutPrefix(word, k); ok && rest != "" {
				t.try(2, []edit{{at, at + len(k), k + " "}}, func() slip {
					return slip{start: at, end: end, message: fmt.Sprintf("a space is missing after %s", k), title: "write a space"}
				})
			}
		}
		for _, k := range []string{"in", "if"} {
			if rest, ok := strings.CutSuffix(word, k); ok && rest != "" { // hostin
				t.try(2, []edit{{end - len(k), end, " " + k}}, func() slip {
					return slip{start: at, end: end, message: fmt.Sprintf("a space is missing before %s", k), title: "write a space"}
				})
			}
		}
	}
}

var valueOfField = regexp.MustCompile(`("[^"\n]*"|[A-Za-z_][A-Za-z0-9_]*)[ \t]*:[ \t]*([^ \t\n{\["(:,][^\n{}\[\](),]*|[^ \t\n{\["(:,])`)

// unquoted tries text that has lost both of its quotes.
func (t *trials) unquoted(w stretch) {
	for _, loc := range valueOfField.FindAllSubmatchIndex(t.text[w.start:w.end], -1) {
		at := w.start + loc[4]
		value := strings.TrimRight(string(t.text[at:w.start+loc[5]]), " \t\r\"'")
		if i := strings.Index(value, " //"); i >= 0 {
			value = strings.TrimRight(value[:i], " \t")
		}
		if value == "" || strings.ContainsAny(value, "\"'\\") {
			continue
		}
		end := at + len(value)
		name := string(t.text[w.start+loc[2] : w.start+loc[3]])
		if strings.Contains(value, ": ") || !takesText(strings.Trim(name, `"`)) {
			continue
		}
		right := `"` + value + `"`
		t.try(2, []edit{{at, end, right}}, func() slip {
			return slip{start: at, end: end, message: fmt.Sprintf("%s is text, and text stands in quotes", value), title: "put it in quotes", help: []string{name + ": " + right}}
		})
	}
}

// brackets tries closing brackets where the layout asks for them, and does
// without each of those that are there.
func (t *trials) brackets() {
	const most = 40 // lines, and brackets, that are tried
	type bracket struct{ at, indent int }
	var open []bracket
	var all []int
	odd := map[int]bool{} // closing brackets that do not stand as what they close does
	lineStart := -1
	lines := 0
	scan(t.text[t.start:], func(i int) int {
		at := t.start + i
		c := t.text[at]
		if strings.IndexByte(" \t\r\n", c) >= 0 {
			return i + 1
		}
		line := lineAround(t.text, at)
		if line.start != lineStart {
			lineStart = line.start
			indent := indentation(t.text[max(line.start, t.start):at])
			if n := len(open); n > 0 && indent >= 0 && indent <= open[n-1].indent && strings.IndexByte("}])", c) < 0 && lines < most {
				lines++
				o := open[n-1]
				closer := closerOf(t.text[o.at])
				before := t.text[line.start:at]
				t.try(2, []edit{{line.start, line.start, string(before) + closer + "\n"}}, func() slip { return t.neverClosed(o.at) })
			}
		}
		switch c {
		case '{', '[', '(':
			body := t.text[line.start:at]
			open = append(open, bracket{at, indentation(body[:len(body)-len(bytes.TrimLeft(body, " \t"))])})
			all = append(all, at)
		case '}', ']', ')':
			indent := indentation(t.text[max(line.start, t.start):at])
			if n := len(open); n > 0 {
				odd[at] = indent >= 0 && indent != open[n-1].indent || indent < 0 && open[n-1].at < line.start
				open = open[:n-1]
			}
			all = append(all, at)
		}
		return i + 1
	})
	if n := len(open); n > 0 && n < 20 {
		with := ""
		for i := n - 1; i >= 0; i-- {
			with += closerOf(t.text[open[i].at])
		}
		first := open[0].at
		if n == 1 {
			end := len(bytes.TrimRight(t.text, " \t\r\n"))
			t.try(2, []edit{{end, end, with}}, func() slip { return t.neverClosed(first) })
		}
	}
	// lines that open nothing, and have what is in it below them
	for at, tried := t.start, 0; at < len(t.text) && tried < most; {
		line := lineAround(t.text, at)
		body := bytes.TrimRight(t.text[max(line.start, t.start):line.end], " \t\r")
		if bytes.HasSuffix(body, []byte(":")) {
			end := max(line.start, t.start) + len(body)
			tried++
			t.try(1, []edit{{end, end, " {"}}, func() slip { return t.missing(end, "{") })
		}
		at = line.end + 1
		if at <= line.start {
			break
		}
	}
	t.unbalancedLines(most)
	if len(all) > most {
		slices.SortFunc(all, func(a, b int) int { return max(a-t.at, t.at-a) - max(b-t.at, t.at-b) })
		all = all[:most]
	}
	for _, at := range all {
		edits := []edit{{at, at + 1, ""}}
		kind := 3
		if odd[at] {
			kind = 1
		} else if strings.IndexByte("{[(", t.text[at]) >= 0 {
			kind = 2
		}
		t.try(kind, edits, func() slip { return t.extra(at, at+1) })
	}
}

// unbalancedLines tries a bracket where a line closes more than it opens, or
// opens more, and nothing below it is indented more.
func (t *trials) unbalancedLines(most int) {
	for at := t.start; at < len(t.text) && most > 0; {
		line := lineAround(t.text, at)
		start := max(line.start, t.start)
		body := t.text[start:line.end]
		at = line.end + 1
		var open []byte
		var after []int // colons
		closes := byte(0)
		scan(body, func(i int) int {
			switch c := body[i]; c {
			case '{', '[', '(':
				open = append(open, c)
			case '}', ']', ')':
				if len(open) > 0 {
					open = open[:len(open)-1]
				} else {
					closes = c
				}
			case ':', ' ', ',':
				after = append(after, i)
			}
			return i + 1
		})
		first := bytes.TrimLeft(body, " \t")
		if len(first) == 0 {
			continue
		}
		if closes != 0 && strings.IndexByte("}])", first[0]) < 0 {
			most--
			opener := map[byte]string{'}': "{", ']': "[", ')': "("}[closes]
			for _, i := range after {
				place := start + i + 1
				if body[i] == ':' && place < line.end && t.text[place] == ' ' {
					continue // behind the space
				}
				t.try(2, []edit{{place, place, opener}}, func() slip { return t.missing(place, opener) })
			}
		}
		if len(open) > 0 && at < len(t.text) {
			next := t.text[at:]
			next = next[:lineAround(next, 0).end]
			below := bytes.TrimLeft(next, " \t")
			if len(below) > 0 && indentation(next[:len(next)-len(below)]) <= indentation(body[:len(body)-len(first)]) {
				most--
				closer := closerOf(open[len(open)-1])
				for _, i := range append(after, len(bytes.TrimRight(body, " \t\r"))) {
					place := start + i
					t.try(2, []edit{{place, place, closer}}, func() slip { return t.missing(place, closer) })
				}
			}
		}
	}
}

var classInComment = regexp.MustCompile(`//[^\n]*?\S([ \t]*)(class[ \t]*:[^\n]*\{)[ \t]*\r?\n`)

// comments tries to end a comment before a class that stands in its line, and
// lines that lack half of their mark.
func (t *trials) comments() {
	for _, loc := range classInComment.FindAllSubmatchIndex(t.text[t.start:], 3) {
		at, end := t.start+loc[4], t.start+loc[5]
		t.try(1, []edit{{at, at, "\n"}}, func() slip {
			return slip{start: at, end: end, message: "this class stands in a comment, which ends with its line", title: "begin a line"}
		})
	}
	line := lineAround(t.text, t.at)
	body := bytes.TrimLeft(t.text[line.start:line.end], " \t")
	if at := line.end - len(body); len(body) > 1 && body[0] == '/' && body[1] != '/' {
		right := "//" + string(body[1:])
		t.try(0, []edit{{at, at, "/"}}, func() slip {
			return slip{start: at, end: at + 1, message: "a comment begins with //", title: "write //", help: []string{right}}
		})
	}
}
