package compiler

// Slips in package clauses and imports.

import (
	"bytes"
	"fmt"
	"strings"
)

// clause is the first word of the line, with its offset, where nothing but the
// beginning of a file stands above it.
func (d *diagnosis) clause() (word string, at int) {
	line := bytes.TrimLeft(d.text[d.line.start:d.line.end], " \t\uFEFF")
	at = d.line.end - len(line)
	return string(line[:firstWord(line)]), at
}

func (d *diagnosis) packageClause() (slip, bool) {
	word, at := d.clause()
	if word == "" || nearest1(word, "package") == "" {
		// The name may be missing, and the message on the next line.
		return slip{}, false
	}
	after := at + len(word)
	name := strings.TrimRight(strings.TrimSpace(string(d.text[min(after, d.line.end):d.line.end])), ";")
	if i := strings.Index(name, "//"); i >= 0 {
		name = strings.TrimSpace(name[:i])
	}
	if strings.HasPrefix(name, ":") && (word != "package" || !d.says("expected 'IDENT'")) || strings.HasPrefix(name, "=") {
		return slip{}, false
	}
	mark := strings.HasPrefix(name, ":")
	name = strings.TrimLeft(name, ": ")
	if bytes.ContainsFunc(d.text[:at], func(r rune) bool { return r == '{' || r == ':' }) {
		if word != "package" {
			return slip{}, false
		}
		m := slip{start: at, end: after, message: "the package clause stands first in a file, and once"}
		m.stand = []edit{{at, d.line.end, ""}}
		return m, true
	}
	right := packageName(strings.Trim(name, `"'`))
	whole := []edit{{at, d.line.end, "package " + right}}
	m := slip{start: at, end: after, help: []string{"package " + right}, title: "write package " + right, fix: whole}
	switch {
	case word != "package":
		m.message = fmt.Sprintf("%s is not the package clause; did you mean package?", word)
	case mark:
		m.message = "a package clause has no colon"
		m.start, m.end = d.at, d.at+1
	case name == "":
		m.message = "the package has no name"
		m.fix[0].with = "package " + right
	case strings.ContainsAny(name, `"'`):
		m.start = at + bytes.IndexAny(d.text[at:d.line.end], `"'`)
		m.end = m.start + len(name)
		m.message = "the name of a package stands without quotes"
	case strings.HasSuffix(string(bytes.TrimRight(d.text[at:d.line.end], " \t")), ";"):
		m.start = d.at
		m.end = d.at + 1
		m.message = "a package clause ends with its line: no semicolon"
	default:
		m.start = after + bytes.IndexByte(d.text[after:d.line.end], name[0])
		m.end = m.start + len(name)
		m.message = fmt.Sprintf("%q cannot name a policy set: lower-case letters, digits and \"_\", a letter first", name)
	}
	return m, true
}

func (d *diagnosis) importClause() (slip, bool) {
	word, at := d.clause()
	if word == "" || nearest1(word, "import") == "" {
		return slip{}, false
	}
	after := at + len(word)
	path := strings.TrimSpace(strings.TrimLeft(string(d.text[after:d.line.end]), " \t:="))
	plain := strings.Trim(strings.TrimRight(path, ";,"), `"'`)
	if plain == "" || strings.ContainsAny(plain, " \t\"'(){}:") {
		if word == "import" && bytes.ContainsAny(d.text[:at], "{:") && d.says("expected label") {
			m := slip{start: at, end: after, message: "imports stand below the package clause, before everything else"}
			m.stand = []edit{{at, d.line.end, ""}}
			return m, true
		}
		return slip{}, false
	}
	right := `import "` + plain + `"`
	m := slip{start: at, end: after, help: []string{right}, title: "write " + right, fix: []edit{{at, d.line.end, right}}}
	switch {
	case word != "import":
		m.message = fmt.Sprintf("%s is no declaration; did you mean import?", word)
	case bytes.ContainsAny(d.text[:at], "{:") && d.says("expected label"):
		m.message = "imports stand below the package clause, before everything else"
		m.help, m.title, m.fix = nil, "", nil
		m.stand = []edit{{at, d.line.end, ""}}
	case strings.HasPrefix(string(bytes.TrimLeft(d.text[after:d.line.end], " \t")), ":"):
		m.message = "an import has no colon"
	default:
		m.start = after + bytes.Index(d.text[after:d.line.end], []byte(path))
		m.end = m.start + len(path)
		m.message = "the path of an import stands in double quotes"
	}
	return m, true
}

// nearest1 is want where word is it, or a slip of it.
func nearest1(word, want string) string { return near(word, []string{want}) }
