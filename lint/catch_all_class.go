package lint

import (
	"fmt"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
)

var catchAllClass = &Rule{
	ID: "catch-all-class", Harm: Hygiene, Severity: ir.Warning,
	Title: "unsafe retries arrive by a pattern that matches everything",
	Class: func(p *Pass, f *Facts) {
		if f.Op.Kind != ir.HTTP || f.Timing != ir.Inline || f.Effect != ir.NonIdempotent || !f.repeats() || !onlyWildcards(f.path()) {
			return
		}
		p.class(f.Set, f.Class, finding{
			Field:   "http",
			Message: fmt.Sprintf("%q gives %d attempts to every %s that nobody has thought about", f.Op.Text, f.Attempts, f.method()),
			Help:    []string{"name the operations that may be repeated, one class each", "for the rest: attempts: 1"},
		})
	},
}

func onlyWildcards(path string) bool {
	for _, seg := range strings.Split(path, "/") {
		if seg != "" && !strings.HasPrefix(seg, "{") {
			return false
		}
	}
	return true
}
