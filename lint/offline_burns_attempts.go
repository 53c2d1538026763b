package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

var offlineBurnsAttempts = &Rule{
	ID: "offline-burns-attempts", Harm: Classification, Severity: ir.Warning,
	Title: "a device without a network uses up the attempts of work that could wait",
	Class: func(p *Pass, f *Facts) {
		if !f.durable() || f.WhenOffline != ir.CountOffline {
			return
		}
		p.class(f.Set, f.Class, finding{
			Field:   "whenOffline",
			Message: fmt.Sprintf("without a network all %s spent on requests that cannot leave the device", count(f.Attempts, "attempt is", "attempts are")),
			Help:    []string{"whenOffline: \"suspend\""},
			Fix:     f.replace("whenOffline", "\"suspend\"", "wait for the network"),
		})
	},
}
