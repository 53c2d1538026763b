package diff

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/bounds"
)

// moved is where a quantity goes: a move of one part in a hundred or less is none.
func moved(before, after float64) Direction {
	switch {
	case after > before*1.01:
		return Up
	case after < before*0.99:
		return Down
	}
	return Same
}

func movedTime(before, after time.Duration) Direction {
	return moved(float64(before), float64(after))
}

// harm collects the quantities of one harm. If one rises and another falls, the
// harm is up, and both are shown.
type harm struct {
	up, down, unknown bool
	texts             []string
}

func (h *harm) add(d Direction, format string, args ...any) {
	switch d {
	case Up:
		h.up = true
	case Down:
		h.down = true
	case Unknown:
		h.unknown = true
	default:
		return
	}
	h.texts = append(h.texts, fmt.Sprintf(format, args...))
}

// result is the harm with its numbers; same says why nothing moved.
func (h *harm) result(same string) Harm {
	text := strings.Join(h.texts, "; ")
	switch {
	case h.up:
		return Harm{Up, text}
	case h.down:
		return Harm{Down, text}
	case h.unknown:
		return Harm{Unknown, text}
	}
	return Harm{Same, same}
}

func opposite(d Direction) Direction {
	switch d {
	case Up:
		return Down
	case Down:
		return Up
	}
	return d
}

// compare reads the four harms off the class before and after.
func compare(b, a *measure) Harms {
	return Harms{load(b, a), duplicates(b, a), lostWork(b, a), waiting(b, a)}
}

func setDiff(before, after map[string]bool) (gone, come []string) {
	for on := range before {
		if !after[on] {
			gone = append(gone, on)
		}
	}
	for on := range after {
		if !before[on] {
			come = append(come, on)
		}
	}
	sort.Strings(gone)
	sort.Strings(come)
	return gone, come
}

// endsAlike is what ends the operation, of what the other side knows too: a failure
// that one side counts as success says it all there, and a condition that a side
// does not declare is an unknown failure to it.
func (m *measure) endsAlike(other *measure) map[string]bool {
	out := make(map[string]bool, len(m.ends))
	for on := range m.ends {
		if !other.hidden[on] {
			out[on] = true
		}
	}
	for _, on := range other.spec.Conditions {
		if !slices.Contains(m.spec.Conditions, on) && m.ends["error"] {
			out[on] = true
		}
	}
	return out
}

func countMove(come, gone []string) Direction {
	if len(come) > 0 {
		return Up
	}
	if len(gone) > 0 {
		return Down
	}
	return Same
}

func movedNames(come, gone []string) string {
	var parts []string
	if len(come) > 0 {
		parts = append(parts, "now "+fold(come))
	}
	if len(gone) > 0 {
		parts = append(parts, "no longer "+fold(gone))
	}
	return strings.Join(parts, ", ")
}

// fold names a few codes, and counts many.
func fold(codes []string) string {
	if len(codes) > 9 {
		return fmt.Sprintf("%s … %s (%d of them)", codes[0], codes[len(codes)-1], len(codes))
	}
	return strings.Join(codes, " ")
}

func boolMove(before, after bool) Direction {
	switch {
	case !before && after:
		return Up
	case before && !after:
		return Down
	}
	return Same
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func short(d time.Duration) string { return ir.FormatDuration(bounds.Round(d)) }
