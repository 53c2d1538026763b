package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var duplicatesTolerated = &Rule{
	ID: "duplicates-tolerated", Harm: Safety, Severity: ir.Info,
	Title: "an operation is repeated without a key because its duplicates are said to do no harm",
	Class: func(p *Pass, f *Facts) {
		if f.Effect != ir.NonIdempotent || f.Duplicates != ir.Tolerated || !f.repeats() || f.keyed() {
			return
		}
		p.class(f.Set, f.Class, finding{
			Field:   "duplicates",
			Message: fmt.Sprintf("%s may be applied up to %d times: its duplicates are said to do no harm", f.what(), f.Attempts),
			Help:    []string{"say why, where a reviewer sees it: waive: \"duplicates-tolerated\": reason: \"…\""},
		})
	},
}
