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
		p.class(f.Set, f.Class, finding{
			Message: fmt.Sprintf("%s has no description: it becomes the Go doc comment, and is all that a reviewer has", f.Name),
			Help:    []string{"say it in the line above: // what it does, in a sentence"},
		})
	},
}
