package lint

import (
	"fmt"

	"github.com/retryc/retryc/compiler/ir"
)

// permanentFailures say that the server will never do it, and why.
var permanentFailures = map[string]string{
	"501": "the server does not know the method",
	"505": "the server does not speak this version of HTTP",
	"508": "the server found a loop",
	"511": "the network wants a sign-in first",

	"UNIMPLEMENTED":       "the server has no such method",
	"INVALID_ARGUMENT":    "the request itself is wrong",
	"PERMISSION_DENIED":   "the caller may not do this",
	"OUT_OF_RANGE":        "the request lies beyond what there is",
	"DATA_LOSS":           "data are gone for good",
	"NOT_FOUND":           "there is no such thing",
	"FAILED_PRECONDITION": "the state must be put right first",
	"ALREADY_EXISTS":      "it is there already",
	"CANCELLED":           "the caller gave up",
}

var retryOnPermanentFailure = &Rule{
	ID: "retry-on-permanent-failure", Harm: Classification, Severity: ir.Warning,
	Title: "a failure that time does not cure is retried",
	Class: func(p *Pass, f *Facts) {
		if !f.repeats() {
			return
		}
		for _, r := range f.Outcome {
			why, ok := permanentFailures[r.On]
			if !ok || r.Then != ir.Retry || f.again(r.On) < 1 {
				continue
			}
			p.class(f.Set, f.Class, finding{
				Field:   "outcome." + r.On,
				Message: fmt.Sprintf("%s is retried, but %s: %s%s", r.On, why, count(f.again(r.On), "futile request"), f.spent()),
				Help:    []string{"remove " + label(r.On)},
				Fix:     f.remove("outcome."+r.On, "stop retrying "+r.On),
			})
		}
	},
}
