package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var loadAmplification = &Rule{
	ID: "load-amplification", Harm: Storm, Severity: ir.Warning, Worst: ir.Error,
	Title: "layers that each retry multiply",
	Tree: func(p *Pass, t *Tree) {
		for _, a := range t.amplified() {
			severity := ir.Warning
			if a.product >= amplificationError {
				severity = ir.Error
			}
			one := "one operation"
			if a.root.Audience == ir.Interactive {
				one = "one click"
			}
			message := fmt.Sprintf("%s: %s can make %s requests; from %d on this is an error", a.text(), one, a.requests(), amplificationError)
			p.class(a.mend.n.Facts.Set, a.mend.n.Class, finding{
				Field: a.mend.field(), Severity: severity, Message: message, Help: a.help(), Related: a.related(),
			})
		}
	},
}
