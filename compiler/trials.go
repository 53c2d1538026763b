package compiler

// Mending by trial: one character or word more, less or other, at the places
// that a mistake is likely to be, and of all texts that result the one that makes
// the most sense.

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	cueerrors "cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/parser"

	"github.com/retryc/retryc/internal/nearest"
)

// A trial is one way to mend a text, and how little it makes sense.
type trial struct {
	slip  slip
	edits []edit
	cost  int
}

// The parts of a cost. A mistake that stays outweighs what is odd; of mends that
// make equal sense, the one that is most often meant wins, then the nearest.
const (
	costOfMistake = 10_000
	costOfOddity  = 1_000
	costOfKind    = 300
)

// mostTried bounds the text that is read on trial, in bytes, for one file.
const mostTried = 3 << 20

// longestLine is how long a line may be that is mended by trial: nobody writes
// longer ones, and each trial reads it.
const longestLine = 4000

// trials mends one chunk of a file.
type trials struct {
	u     *unit
	s     *source
	text  []byte // of the file up to the end of the chunk
	start int    // of the chunk
	at    int    // the place of the parser's first message
	names map[string]bool

	best *trial
}

// with is the chunk with edits, and where the place of the message, or what was
// edited behind it, ends in it.
func (t *trials) with(edits []edit) (chunk []byte, past int) {
	at := t.start
	for _, e := range edits {
		chunk = append(chunk, t.text[at:e.start]...)
		if e.start <= t.at {
			past = len(chunk) + len(e.with) + max(0, t.at-e.end)
		}
		chunk = append(chunk, e.with...)
		past = max(past, len(chunk))
		at = e.end
	}
	if len(edits) > 0 && edits[0].start > t.at {
		past = max(past, t.at-t.start)
	}
	return append(chunk, t.text[at:]...), past
}

func (t *trials) parse(chunk []byte) (f *ast.File, mistakes, first int) {
	t.u.tried += len(chunk)
	f, err := parser.ParseFile("", chunk, t.u.module.version()) // it gives up soon
	if err == nil {
		return f, 0, len(chunk)
	}
	_, first = firstErrorIn(err, len(chunk))
	return f, len(cueerrors.Errors(err)), first
}

// costOf is what a text with edits costs; ok is false where it is no better than
// without. Where more is wrong further on, the text up to there is looked at. known
// edits are those of a recogniser.
func (t *trials) costOf(edits []edit, known bool) (cost int, ok bool) {
	chunk, past := t.with(edits)
	f, mistakes, first := t.parse(chunk)
	if mistakes == 0 {
		return t.odd(f, false) * costOfOddity, true
	}
	if first < edits[0].start-t.start || first <= past && !known {
		return 0, false
	}
	// As far as the line below, for all trials alike.
	near := lineAround(t.text, min(lineAround(t.text, t.at).end+1, len(t.text))).end + 1
	near = max(past, min(near, len(t.text))-t.start+len(chunk)-(len(t.text)-t.start))
	if cut := lastSeparator(chunk, min(first, near)); cut >= past {
		if first < near {
			cost = costOfMistake / 2
		}
		upTo := bytes.Clone(chunk[:cut])
		open := openBrackets(upTo)
		for i := len(open) - 1; i >= 0; i-- {
			upTo = append(upTo, closerOf(upTo[open[i]])...)
		}
		if f, mistakes, _ = t.parse(upTo); mistakes == 0 {
			cost += costOfMistake + t.odd(f, true)*costOfOddity
			if !known && slices.ContainsFunc(edits, func(e edit) bool {
				return strings.ContainsAny(e.with+string(t.text[e.start:e.end]), "{}[]()")
			}) {
				cost += 2 * costOfOddity
			}
			return cost, true
		}
	}
	if known {
		// Behind what is open at the end, a value may be missing as well.
		closes := edits[0].with != "" && strings.Trim(edits[0].with, "}]) \t\n") == ""
		return 3 * costOfMistake, first > past || closes && first >= edits[0].start-t.start
	}
	return 4 * costOfMistake, first > past
}

func (t *trials) odd(f *ast.File, part bool) int {
	o := oddities{declared: t.names, part: part}
	return o.file(f)
}

// lastSeparator is where the last field or element before a place ends.
func lastSeparator(text []byte, before int) int {
	found := 0
	scan(text[:before], func(i int) int {
		if text[i] == ',' || text[i] == '\n' {
			found = i
		}
		return i + 1
	})
	return found
}

// try holds one more way against the best so far.
func (t *trials) try(kind int, edits []edit, m func() slip) { t.tryAs(kind, edits, false, m) }

func (t *trials) tryAs(kind int, edits []edit, known bool, m func() slip) {
	if t.u.tried > mostTried || edits[0].start < t.start {
		return
	}
	cost, ok := t.costOf(edits, known)
	if !ok {
		return
	}
	distance := edits[0].start - t.at
	if distance < 0 {
		distance = -distance
	}
	cost += kind*costOfKind + min(distance, costOfKind-1)
	if t.best == nil || cost < t.best.cost {
		made := m()
		if made.message == "" {
			return
		}
		t.best = &trial{made, edits, cost}
	}
}

var keywords = []string{"for", "in", "if", "let", "package", "import"}

var wordRE = regexp.MustCompile(`[A-Za-z_]+`)

// mend finds what was most likely meant. known is what a recogniser says of the
// mistake; it is left alone where nothing makes clearly more sense.
func (t *trials) mend(known slip) (slip, []edit, bool) {
	if len(known.asRead) > 0 {
		return known, known.asRead, true
	}
	if (known.all || known.lost != "") && len(known.stand) > 0 { // that something is missing is certain
		chunk, _ := t.with(known.stand)
		if _, _, first := t.parse(chunk); first >= known.stand[0].start-t.start+len(known.stand[0].with) {
			return known, known.stand, true
		}
	}
	kind, closer := 0, false
	if len(known.fix) == 1 && known.fix[0].with == "" {
		if e := known.fix[0]; e.end == e.start+1 && strings.IndexByte(")]}", t.text[e.start]) >= 0 {
			kind, closer = 3, true // the one too many may well stand before it
		}
	}
	if len(known.fix) > 0 {
		t.tryAs(kind, known.fix, true, func() slip { return known })
	} else if len(known.stand) > 0 {
		t.tryAs(4, known.stand, true, func() slip { return known })
	}
	if t.best != nil && t.best.cost >= 3*costOfMistake && strings.HasSuffix(string(bytes.TrimRight(t.text, " \t\r\n")), ":") {
		return t.best.slip, t.best.edits, true // the file ends in the middle of being written
	}
	if t.best != nil && t.best.cost < costOfOddity && len(known.fix) > 0 && !closer {
		return t.best.slip, t.best.edits, true
	}
	if line := lineAround(t.text, t.at); line.end-line.start > longestLine {
		if t.best == nil {
			return slip{}, nil, false
		}
		return t.best.slip, t.best.edits, true
	}
	t.brackets()
	t.comments()
	window := t.window()
	t.nameless(window)
	t.characters(window)
	t.pairs(window)
	t.words(window)
	t.unquoted(window)
	if t.best == nil {
		return slip{}, nil, false
	}
	m := t.best.slip
	if m.fix == nil && m.stand == nil {
		m.fix = t.best.edits
		if m.help == nil {
			m.help = t.helpWith(m.fix)
		}
	}
	return m, t.best.edits, true
}

// helpWith is the field around edits, as it is with them, where it is short.
func (t *trials) helpWith(edits []edit) []string {
	const long = 90
	line := lineAround(t.text, edits[0].start)
	last := edits[len(edits)-1]
	if last.end > line.end || strings.Contains(last.with, "\n") || len(edits) > 1 {
		return nil
	}
	from := max(line.start, t.start)
	whole := string(t.text[from:last.start]) + last.with + string(t.text[last.end:line.end])
	at := last.start - from
	for _, c := range []struct{ before, after string }{{"", ""}, {"{,", ",}"}} {
		start, end := 0, len(whole)
		if c.before != "" {
			start = strings.LastIndexAny(whole[:at], c.before) + 1
			if i := strings.IndexAny(whole[at+len(last.with):], c.after); i >= 0 {
				end = at + len(last.with) + i
			}
		}
		piece := strings.Trim(strings.TrimSpace(whole[start:end]), ",")
		if len(piece) > 0 && len(piece) <= long && strings.ContainsAny(piece, ":=") && parsesAsFile(piece) {
			return []string{piece}
		}
	}
	return nil
}

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

var labelBefore = regexp.MustCompile(`("[^"\n]*"|[A-Za-z_#][A-Za-z0-9_]*)[ \t]*:[ \t]*$`)

// neverClosed is a bracket that was meant to be closed.
func (t *trials) neverClosed(at int) slip {
	return slip{start: at, end: at + 1, message: fmt.Sprintf("this %c is never closed", t.text[at]), title: "close it"}
}

// missing is a character or a word that is not there.
func (t *trials) missing(at int, what string) slip {
	before := bytes.TrimRight(t.text[lineAround(t.text, at).start:at], " \t")
	end := at + max(1, firstWord(t.text[at:lineAround(t.text, at).end]))
	m := slip{start: at, end: min(end, len(t.text)), title: "write " + what}
	name := ""
	if f := nameBefore.FindSubmatch(before); f != nil {
		name = string(f[1])
	}
	switch what {
	case ":":
		m.title, m.message = "write a colon", "a colon is missing here"
		if name != "" {
			m.message = "a colon is missing after " + name
		}
	case ",":
		m.title, m.message = "write a comma", "a comma is missing here"
	case `"`:
		m.title = "write the quote"
		m.message = "a quote is missing here"
		switch {
		case t.opensText(at):
			m.message = "the text that ends here has no opening quote"
			if i := bytes.IndexByte(t.text[at:], '"'); i >= 0 {
				m.start, m.end = at, at+i+1
			}
		default:
			line := lineAround(t.text, at)
			if i := bytes.LastIndexByte(t.text[line.start:at], '"'); i >= 0 {
				m.start, m.end = line.start+i, at
				m.message = "the text that begins here has no closing quote"
			}
		}
	case "}", "]", ")":
		opener := map[string]byte{"}": '{', "]": '[', ")": '('}[what]
		open := openBrackets(t.text[t.start:at])
		if n := len(open); n > 0 && t.text[t.start+open[n-1]] == opener {
			m = t.neverClosed(t.start + open[n-1])
		} else if i := bytes.LastIndex(t.text[t.start:at], []byte(`\(`)); what == ")" && i >= 0 {
			m = t.neverClosed(t.start + i + 1)
		} else {
			m.message = "a " + what + " is missing here"
		}
	case "{":
		m.message = "a { is missing here"
		if name != "" && len(before) > 0 && before[len(before)-1] != ':' {
			m.message = "a { is missing after " + name
		} else if f := labelBefore.FindSubmatch(before); f != nil {
			m.start, m.end = at, at
			m.message = fmt.Sprintf("a { is missing after %s:", f[1])
		}
	default:
		m.message = fmt.Sprintf("%s is missing here", what)
		if len(what) == 1 {
			m.message = "a " + m.message
		}
	}
	return m
}

// opensText reports whether a quote at a place would begin text, as far as those
// before it in its line tell.
func (t *trials) opensText(at int) bool {
	line := lineAround(t.text, at)
	for i := line.start; i < at; i++ {
		if t.text[i] == '"' {
			if i = skipString(t.text, i); i >= at {
				return false
			}
		}
	}
	return true
}

// extra is a character or a word too many.
func (t *trials) extra(at, end int) slip {
	what := string(t.text[at:end])
	m := slip{start: at, end: end, title: "remove it", message: fmt.Sprintf("%q cannot stand here", what)}
	doubled := at > 0 && t.text[at-1] == t.text[at] || end < len(t.text) && t.text[end] == t.text[at]
	switch {
	case what == `"`:
		m.message = "one quote too many"
	case doubled && what == ":":
		m.message = "one colon too many"
	case doubled && what == ",":
		m.message = "one comma too many"
	case strings.Contains(")]}", what):
		m.message = fmt.Sprintf("%q closes nothing", what)
	case strings.Contains("([{", what):
		m.message = fmt.Sprintf("one %s too many", what)
	}
	return m
}

// other is a character or a word in the place of another.
func (t *trials) other(at, end int, right string) slip {
	what := string(t.text[at:end])
	m := slip{start: at, end: end, title: "write " + right, message: fmt.Sprintf("%q cannot stand here; did you mean %s?", what, right)}
	switch right {
	case `"`:
		m.message = fmt.Sprintf("%s cannot stand here; did you mean a quote?", what)
	case ":", "=", ",":
		m.message = fmt.Sprintf("%q cannot stand here; did you mean %q?", what, right)
	}
	return m
}
