package compiler

import (
	"sort"
	"strconv"
	"strings"

	"github.com/retryc/retryc/internal/nearest"
)

// near returns the candidate that word is a typo of, or "". Letter case and a
// plural do not count as typos, and neither does an end that was left off, where
// what is there begins one candidate only.
func near(word string, candidates []string) string {
	for _, c := range candidates {
		if strings.EqualFold(word, c+"s") || strings.EqualFold(word, c+"es") {
			return c
		}
	}
	lower := make([]string, len(candidates))
	for i, c := range candidates {
		if len(word) > 1 && len(c) > 1 || strings.EqualFold(word, c) { // any letter is one slip from any other
			lower[i] = strings.ToLower(c)
		}
	}
	found := nearest.Of(strings.ToLower(word), lower)
	for i, c := range lower {
		if c != "" && c == found {
			return candidates[i]
		}
	}
	return begun(word, candidates)
}

// begun returns the one candidate that begins with word, which has four letters
// or more: "ABORT" of "ABORTED".
func begun(word string, candidates []string) string {
	if len(strings.Trim(word, "_#")) < 4 {
		return ""
	}
	found := ""
	for _, c := range candidates {
		if len(c) < len(word) || !strings.EqualFold(c[:len(word)], word) || c == found {
			continue
		}
		if found != "" {
			return ""
		}
		found = c
	}
	return found
}

func sorted[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func itoa(i int) string { return strconv.Itoa(i) }
