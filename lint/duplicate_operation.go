package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var duplicateOperation = &Rule{
	ID: "duplicate-operation", Harm: Hygiene, Severity: ir.Error,
	Title: "two classes claim the same operation",
	Set: func(p *Pass, s *SetFacts) {
		told := map[string]bool{} // of several classes with one pattern, each is told beside the first
		for _, pair := range conflicts(s) {
			first, second := pair.a, pair.b
			if pair.same && told[second.Name] {
				continue
			}
			told[second.Name] = told[second.Name] || pair.same
			message := fmt.Sprintf("%q is the operation of %s too: nothing says which of the two policies holds", second.Op.Text, first.Name)
			if !pair.same {
				message = fmt.Sprintf("%q and %q of %s match the same requests, and neither is the more specific", second.Op.Text, first.Op.Text, first.Name)
			}
			narrow := "narrow one: a literal segment wins over a wildcard"
			if second.Op.Kind == ir.GRPC {
				narrow = "narrow one: a method wins over all methods of its service"
			}
			field := second.Op.Kind.String()
			p.class(s.Set, second.Class, finding{
				Field: field, Message: message,
				Help:    []string{"remove one of them", narrow},
				Related: []ir.Related{{Span: first.Span(field), Message: first.Name + " claims it here"}},
			})
		}
	},
}
