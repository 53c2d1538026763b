package compiler

import (
	"regexp"
	"strings"
)

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// enumerate writes words as a sentence has them: a, b and c.
func enumerate(words []string) string {
	if n := len(words); n > 1 {
		return list(words[:n-1]) + " and " + words[n-1]
	}
	return list(words)
}

// list writes words with commas.
func list(words []string) string { return strings.Join(words, ", ") }

func last(path string) string {
	if i := strings.LastIndexByte(path, '.'); i >= 0 && !isIndex(path[i+1:]) {
		return path[i+1:]
	} else if i >= 0 {
		return last(path[:i])
	}
	return path
}

func isIndex(s string) bool {
	for _, r := range s {
		if r < '0' || r > '9' {
			return false
		}
	}
	return s != ""
}

// help writes a field with its value, quoting names that need it; an element of
// a list stands alone.
func help(path, value string) string {
	i := strings.LastIndexByte(path, '.')
	name := path[i+1:]
	if isIndex(name) && i >= 0 && !strings.HasPrefix(path, "outcome") && !strings.HasPrefix(path, "perOutcome") {
		return value
	}
	if path == "go.package" {
		return "go: {package: " + value + "}" // a line of its own would be a package clause
	}
	if !isIdentifier(name) {
		name = `"` + name + `"`
	}
	return name + ": " + value
}

func isIdentifier(s string) bool {
	for i, r := range s {
		if !(r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || i > 0 && r >= '0' && r <= '9') {
			return false
		}
	}
	return s != ""
}

// cuesWords is a message of CUE's that nothing here knows, in one line, without
// the words that say how CUE works rather than what is wrong.
func cuesWords(s string) string {
	return plainer.Replace(strings.Join(strings.Fields(s), " "))
}

var plainer = strings.NewReplacer(
	"disjunctions", "choices",
	"disjunction", "choice",
	"conflicting values", "values that differ:",
	"incomplete value", "value not given:",
	"out of bound", "out of range",
)

// withoutPackages drops what CUE puts behind hidden names: the package that they
// are hidden in.
func withoutPackages(s string) string { return hiddenIn.ReplaceAllString(s, "$1") }

var hiddenIn = regexp.MustCompile(`\b(_[\pL\pN_$]*)\([^()\s]*:?[\pL\pN_]+\)`)
