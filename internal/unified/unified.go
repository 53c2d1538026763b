// Package unified prints the difference of two texts in the unified format that
// patch and code review tools read. The card allows no library for it.
package unified

import (
	"bytes"
	"fmt"
	"strings"
)

// context is the number of unchanged lines around a change, as diff -u has it.
const context = 3

// maxCells bounds the table of the longest common subsequence; beyond it a
// changed middle is shown as one replacement.
const maxCells = 4 << 20

// Diff returns the unified diff that turns old into new, and "" where they are
// equal. Line endings do not count.
func Diff(oldName string, old []byte, newName string, new []byte) string {
	a, b := lines(old), lines(new)
	ops := compare(a, b)
	var out strings.Builder
	for _, h := range hunks(ops) {
		if out.Len() == 0 {
			fmt.Fprintf(&out, "--- %s\n+++ %s\n", oldName, newName)
		}
		h.print(&out)
	}
	return out.String()
}

func lines(text []byte) []string {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	if len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// op is one line: ' ' in both, '-' in the old text only, '+' in the new only.
type op struct {
	kind byte
	text string
	a, b int // lines of each text before this one
}

func compare(a, b []string) []op {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var ops []op
	for i := range head {
		ops = append(ops, op{' ', a[i], i, i})
	}
	ops = append(ops, middle(a[head:len(a)-tail], b[head:len(b)-tail], head)...)
	for i := range tail {
		ops = append(ops, op{' ', a[len(a)-tail+i], len(a) - tail + i, len(b) - tail + i})
	}
	return ops
}

// middle finds a longest common subsequence by dynamic programming.
func middle(a, b []string, base int) []op {
	var ops []op
	i, j := 0, 0
	if len(a)*len(b) <= maxCells {
		width := len(b) + 1
		table := make([]int32, (len(a)+1)*width)
		for i := len(a) - 1; i >= 0; i-- {
			for j := len(b) - 1; j >= 0; j-- {
				if a[i] == b[j] {
					table[i*width+j] = table[(i+1)*width+j+1] + 1
				} else {
					table[i*width+j] = max(table[(i+1)*width+j], table[i*width+j+1])
				}
			}
		}
		for i < len(a) && j < len(b) {
			switch {
			case a[i] == b[j]:
				ops = append(ops, op{' ', a[i], base + i, base + j})
				i++
				j++
			case table[(i+1)*width+j] >= table[i*width+j+1]:
				ops = append(ops, op{'-', a[i], base + i, base + j})
				i++
			default:
				ops = append(ops, op{'+', b[j], base + i, base + j})
				j++
			}
		}
	}
	for ; i < len(a); i++ {
		ops = append(ops, op{'-', a[i], base + i, base + j})
	}
	for ; j < len(b); j++ {
		ops = append(ops, op{'+', b[j], base + i, base + j})
	}
	return ops
}

type hunk []op

// hunks cuts the operations into runs of changes with their context.
func hunks(ops []op) []hunk {
	var out []hunk
	for i := 0; i < len(ops); i++ {
		if ops[i].kind == ' ' {
			continue
		}
		start, end, last := max(0, i-context), i, i
		for end = i; end < len(ops) && end-last <= 2*context; end++ {
			if ops[end].kind != ' ' {
				last = end
			}
		}
		end = min(len(ops), last+context+1)
		out = append(out, hunk(ops[start:end]))
		i = end - 1
	}
	return out
}

func (h hunk) print(out *strings.Builder) {
	var olds, news int
	for _, o := range h {
		if o.kind != '+' {
			olds++
		}
		if o.kind != '-' {
			news++
		}
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", extent(h[0].a, olds), extent(h[0].b, news))
	for _, o := range h {
		fmt.Fprintf(out, "%c%s\n", o.kind, o.text)
	}
}

// extent writes a range as diff -u does: the count left out where it is 1, and
// the line before it where it is 0.
func extent(before, n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", before)
	case 1:
		return fmt.Sprint(before + 1)
	}
	return fmt.Sprintf("%d,%d", before+1, n)
}
