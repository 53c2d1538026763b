package lint

import (
	"fmt"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
)

var missingDescription = &Rule{
	ID: "missing-description", Harm: Hygiene, Severity: ir.Warning,
	Title: "a class does not say what it is for",
	Class: func(p *Pass, f *Facts) {
		if strings.TrimSpace(f.Doc) != "" {
			return
		}
		found := finding{
			Message: fmt.Sprintf("%s has no description: it becomes the Go doc comment, and is all that a reviewer has", f.Name),
			Help:    []string{"say it in the line above: // what it does, in a sentence"},
		}
		if at := f.Spans.Template; !at.IsZero() { // not above the data that the class is made from
			found.Related = []ir.Related{{Span: f.Label(""), Message: f.Name + " is made from this"}}
			p.add(at, found, f.Set.Name, f.Class.Name)
			return
		}
		p.class(f.Set, f.Class, found)
	},
}
