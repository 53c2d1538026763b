package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen/engine"
)

var effectOverridesMethod = &Rule{
	ID: "effect-overrides-method", Harm: Safety, Severity: ir.Warning, Worst: ir.Error,
	Title: "the declared effect promises more than the HTTP method does",
	Class: func(p *Pass, f *Facts) {
		if f.Op.Kind != ir.HTTP || !f.repeats() || f.Effect == ir.NonIdempotent {
			return
		}
		of, ok := engine.MethodEffect(f.method())
		if !ok || f.Effect >= ir.Effect(of) || !f.Written("effect") {
			return
		}
		severity, because := ir.Warning, ""
		if word, ok := f.nameHas(moneyWords); ok {
			severity, because = ir.Error, fmt.Sprintf("; a class named %q had better be sure", word)
		}
		p.class(f.Set, f.Class, finding{
			Field: "effect", Severity: severity,
			Message: fmt.Sprintf("%q is declared for %s, which by itself is %s: all %d attempts may be applied%s",
				f.Effect, article(f.method()), ir.Effect(of), f.Attempts, because),
			Help: []string{
				fmt.Sprintf("leave effect out and give it a key: idempotency: {source: \"fields\", fields: [%q]}", f.exampleKey()),
				"if the server promises it, say where: waive: \"effect-overrides-method\": reason: \"…\"",
			},
		})
	},
}
