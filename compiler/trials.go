package compiler

// Mending by trial: one character or word more, less or other, at the places
// that a mistake is likely to be, and of all texts that result the one that makes
// the most sense.

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	cueerrors "cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/parser"
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
	if known.sure {
		return known, known.edits(), true
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
