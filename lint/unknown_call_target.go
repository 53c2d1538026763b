package lint

import (
	"fmt"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/nearest"
)

var unknownCallTarget = &Rule{
	ID: "unknown-call-target", Harm: Storm, Severity: ir.Error, Final: true,
	Title: "calls names a class that does not exist",
	Tree: func(p *Pass, t *Tree) {
		if t.Unknown {
			return
		}
		for _, n := range t.nodes {
			if !n.linted {
				continue
			}
			for i := range n.edges {
				e := &n.edges[i]
				set, _, _ := strings.Cut(e.call.Class, ".")
				if e.target != nil || e.call.Class == "" || t.partial[set] {
					continue
				}
				message, help := fmt.Sprintf("no policy set has a class %q", e.call.Class), []string{"name it as set.class; a layer that is no class: {name: \"mesh\", attempts: 3}"}
				if near := nearest.Of(e.call.Class, t.names()); near != "" {
					message += fmt.Sprintf("; did you mean %q?", near)
					help = []string{fmt.Sprintf("%q", near)}
				}
				field := e.field()
				if n.Written(field + ".class") {
					field += ".class"
				}
				p.class(n.Facts.Set, n.Class, finding{Field: field, Message: message, Help: help})
			}
		}
	},
}
