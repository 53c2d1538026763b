package report

import (
	"bytes"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Compilers count bytes; people, terminals and SARIF each count something else.

var bom = []byte("\uFEFF")

// line returns line n of a file, counted from 1, without its line ending, and
// the number of bytes of a byte order mark that it starts with.
func (r *Report) line(file string, n int) (content []byte, mark int, ok bool) {
	text := r.source(file)
	if text == nil {
		return nil, 0, false
	}
	starts, known := r.lines[file]
	if !known {
		// Ten thousand results of one file are not ten thousand walks through it.
		starts = []int{0}
		for i, b := range text {
			if b == '\n' {
				starts = append(starts, i+1)
			}
		}
		if r.lines == nil {
			r.lines = map[string][]int{}
		}
		r.lines[file] = starts
	}
	if n < 1 || n > len(starts) {
		return nil, 0, false
	}
	text = text[starts[n-1]:]
	if n < len(starts) {
		text = text[:starts[n]-starts[n-1]-1]
	}
	text = bytes.TrimSuffix(text, []byte("\r"))
	if bytes.HasPrefix(text, bom) {
		mark = len(bom)
	}
	return text, mark, true
}

// before returns what stands before a byte column, counted from 1, of a line,
// without a byte order mark. A column beyond the line means its end.
func before(content []byte, mark, column int) string {
	end := min(max(column-1, mark), len(content))
	return string(content[mark:end])
}

// characters counts code points; a byte that is no UTF-8 counts as one.
func characters(s string) int { return utf8.RuneCountInString(s) }

// utf16Units counts what SARIF calls utf16CodeUnits: a code point beyond the
// basic plane is two.
func utf16Units(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// wide lists the first and last of the ranges that terminals show two cells
// wide: East Asian Width W and F of Unicode 16, neighbours with unassigned code
// points between them joined.
var wide = [][2]rune{
	{0x1100, 0x115F}, {0x231A, 0x231B}, {0x2329, 0x232A}, {0x23E9, 0x23EC}, {0x23F0, 0x23F0}, {0x23F3, 0x23F3},
	{0x25FD, 0x25FE}, {0x2614, 0x2615}, {0x2630, 0x2637}, {0x2648, 0x2653}, {0x267F, 0x267F}, {0x268A, 0x268F},
	{0x2693, 0x2693}, {0x26A1, 0x26A1}, {0x26AA, 0x26AB}, {0x26BD, 0x26BE}, {0x26C4, 0x26C5}, {0x26CE, 0x26CE},
	{0x26D4, 0x26D4}, {0x26EA, 0x26EA}, {0x26F2, 0x26F3}, {0x26F5, 0x26F5}, {0x26FA, 0x26FA}, {0x26FD, 0x26FD},
	{0x2705, 0x2705}, {0x270A, 0x270B}, {0x2728, 0x2728}, {0x274C, 0x274C}, {0x274E, 0x274E}, {0x2753, 0x2755},
	{0x2757, 0x2757}, {0x2795, 0x2797}, {0x27B0, 0x27B0}, {0x27BF, 0x27BF}, {0x2B1B, 0x2B1C}, {0x2B50, 0x2B50},
	{0x2B55, 0x2B55}, {0x2E80, 0x303E}, {0x3041, 0x3247}, {0x3250, 0xA4CF}, {0xA960, 0xA97F}, {0xAC00, 0xD7A3},
	{0xF900, 0xFAFF}, {0xFE10, 0xFE19}, {0xFE30, 0xFE6F}, {0xFF01, 0xFF60}, {0xFFE0, 0xFFE6}, {0x16FE0, 0x18DFF},
	{0x1AFF0, 0x1B2FF}, {0x1D300, 0x1D376}, {0x1F004, 0x1F004}, {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E},
	{0x1F191, 0x1F19A}, {0x1F200, 0x1F320}, {0x1F32D, 0x1F335}, {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393},
	{0x1F3A0, 0x1F3CA}, {0x1F3CF, 0x1F3D3}, {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4}, {0x1F3F8, 0x1F43E},
	{0x1F440, 0x1F440}, {0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D}, {0x1F54B, 0x1F54E}, {0x1F550, 0x1F567},
	{0x1F57A, 0x1F57A}, {0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4}, {0x1F5FB, 0x1F64F}, {0x1F680, 0x1F6C5},
	{0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D2}, {0x1F6D5, 0x1F6DF}, {0x1F6EB, 0x1F6EC}, {0x1F6F4, 0x1F6FC},
	{0x1F7E0, 0x1F7F0}, {0x1F90C, 0x1F93A}, {0x1F93C, 0x1F945}, {0x1F947, 0x1F9FF}, {0x1FA70, 0x1FAFF},
	{0x20000, 0x2FFFD}, {0x30000, 0x3FFFD},
}

// cells is the width of a code point on a terminal.
func cells(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r < wide[0][0]:
		return 1
	}
	i := sort.Search(len(wide), func(i int) bool { return wide[i][1] >= r })
	if i < len(wide) && wide[i][0] <= r {
		return 2
	}
	return 1
}

// indent is blank space as wide as s: tabs stay tabs, so that a caret stands
// right whatever the terminal makes of them.
func indent(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == '\t' {
			b.WriteByte('\t')
			continue
		}
		b.WriteString("  "[:cells(r)])
	}
	return b.String()
}

// plain replaces what a terminal or a reader would obey and not show: control
// characters, line separators and the marks that change the direction of text;
// and bytes that are no text.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return r
		case unicode.IsControl(r), r == '\u2028', r == '\u2029', r >= '\u202A' && r <= '\u202E', r >= '\u2066' && r <= '\u2069':
			return utf8.RuneError
		}
		return r
	}, s)
}

// Plain is text on one line as a terminal may be given it.
func Plain(s string) string { return plain(strings.Join(strings.Fields(s), " ")) }

func position(file string, line, column int) string {
	return plain(file) + ":" + strconv.Itoa(line) + ":" + strconv.Itoa(column)
}
