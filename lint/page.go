package lint

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/retryc/retryc/internal/nearest"
)

//go:embed rules/*.txtar
var archives embed.FS

// pages reads archives from a file system that has them below rules.
type pages struct{ fs.FS }

// Page is what is told about a rule: prose and examples, from its archive.
type Page struct {
	Rule  *Rule
	Prose string // paragraphs: why it hurts, and the source
	Bad   []Example
	Good  []Example
}

// Example is one policy, or several sets that belong together, of an archive.
type Example struct {
	Name     string       // "bad", "good-webhook"
	Files    []txtar.File // "bad.cue", or "<set>/<file>.cue" below a folder of that name
	Findings string       // as printed; empty for a good one
}

// Sets reports whether the example is several sets in folders of their own.
func (e *Example) Sets() bool { return strings.Contains(e.Files[0].Name, "/") }

// PageOf reads a rule's archive. The error of an unknown rule suggests the
// nearest.
func PageOf(id string) (*Page, error) { return pages{archives}.page(id) }

func (from pages) page(id string) (*Page, error) {
	r := Find(id)
	if r == nil {
		if near := nearest.Of(id, ids()); near != "" {
			return nil, fmt.Errorf("no rule is called %q; did you mean %q?", id, near)
		}
		return nil, fmt.Errorf("no rule is called %q; retryc rules lists them", id)
	}
	text, err := fs.ReadFile(from, "rules/"+id+".txtar")
	if err != nil {
		return nil, err
	}
	p, err := parsePage(text)
	if err != nil {
		return nil, fmt.Errorf("rules/%s.txtar: %w", id, err)
	}
	p.Rule = r
	return p, nil
}

// parsePage reads an archive: sections bad*.cue and good*.cue, or folders of
// these names, and bad*.findings.
func parsePage(text []byte) (*Page, error) {
	a := txtar.Parse(text)
	p := &Page{Prose: strings.TrimSpace(string(a.Comment))}
	index := map[string]*[2]int{} // by name: which list, and where in it
	for _, f := range a.Files {
		name, rest, nested := strings.Cut(f.Name, "/")
		ext := ""
		if !nested {
			i := strings.LastIndexByte(name, '.')
			if i < 0 {
				return nil, fmt.Errorf("section %q is neither a policy nor findings", f.Name)
			}
			name, ext = name[:i], name[i:]
		}
		list, which := &p.Bad, 0
		if strings.HasPrefix(name, "good") {
			list, which = &p.Good, 1
		} else if !strings.HasPrefix(name, "bad") {
			return nil, fmt.Errorf("section %q begins with neither bad nor good", f.Name)
		}
		at := index[name]
		switch {
		case ext == ".findings" && which == 0 && at != nil:
			p.Bad[at[1]].Findings = string(f.Data)
			continue
		case ext != "" && ext != ".cue":
			return nil, fmt.Errorf("section %q has no policy before it", f.Name)
		}
		if at == nil {
			at = &[2]int{which, len(*list)}
			index[name] = at
			*list = append(*list, Example{Name: name})
		}
		if nested {
			f.Name = rest
		}
		(*list)[at[1]].Files = append((*list)[at[1]].Files, f)
	}
	return p, nil
}

// Explain is the page of a rule for a terminal.
func Explain(id string) (string, error) {
	p, err := PageOf(id)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\n%s\n", p.Rule.ID, p.Rule.severityText(), p.Prose)
	for i, e := range p.Bad {
		heading := "For example:"
		if i > 0 {
			heading = "Or:"
		}
		fmt.Fprintf(&b, "\n%s\n\n%s\nretryc says:\n\n%s", heading, e.indented(), shift(e.Findings))
	}
	for i, e := range p.Good {
		heading := "Instead:"
		if i > 0 {
			heading = "Nothing is said about:"
		}
		fmt.Fprintf(&b, "\n%s\n\n%s", heading, e.indented())
	}
	if p.Rule.Final {
		b.WriteString("\nIt cannot be waived.\n")
	} else {
		fmt.Fprintf(&b, "\nTo accept it, on the class or on its set:\n\n    waive: %q: {reason: \"…\", until: \"…\"}\n", p.Rule.ID)
	}
	return b.String(), nil
}

func (r *Rule) severityText() string {
	if r.worst() != r.Severity {
		return r.Severity.String() + " or " + r.worst().String()
	}
	return r.Severity.String()
}

// source is the example as one text, each file of several under its name.
func (e *Example) source() string {
	if !e.Sets() {
		return string(e.Files[0].Data)
	}
	var b strings.Builder
	for i, f := range e.Files {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "// %s\n%s", f.Name, f.Data)
	}
	return b.String()
}

func (e *Example) indented() string { return shift(e.source()) }

func shift(text string) string {
	var b strings.Builder
	for _, l := range strings.SplitAfter(text, "\n") {
		if strings.TrimSpace(l) != "" {
			b.WriteString("    ")
		}
		b.WriteString(l)
	}
	return b.String()
}
