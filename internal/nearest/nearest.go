// Package nearest finds the name somebody meant when they mistyped one.
package nearest

// Of returns the word of the list that is within a typo or two of word, and ""
// where none is. Of equally near words the first in the list wins. A transposed
// pair counts as one typo (the restricted Damerau-Levenshtein distance).
func Of(word string, list []string) string {
	best, bestAt := "", limit(word)+1
	for _, w := range list {
		if d := Distance(word, w); d < bestAt {
			best, bestAt = w, d
		}
	}
	return best
}

// limit is how many typos a word can hold and still be recognised: a third of
// its length, and three at most.
func limit(word string) int {
	return min(3, max(1, len([]rune(word))/3))
}

// Distance is the number of insertions, deletions, substitutions and swaps of
// neighbours that turn a into b.
func Distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	rows := [3][]int{}
	for i := range rows {
		rows[i] = make([]int, len(t)+1)
	}
	before, last, cur := rows[0], rows[1], rows[2]
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(s); i++ {
		cur[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			cur[j] = min(last[j]+1, cur[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, last, cur = last, cur, before
	}
	return last[len(t)]
}
