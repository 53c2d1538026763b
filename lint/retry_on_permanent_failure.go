package lint

import (
	"fmt"
	"strings"

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
	ID: "retry-on-permanent-failure", Harm: Classification, Severity: ir.Info, Worst: ir.Warning,
	Title:  "a failure that time does not cure is retried",
	Mended: func(f *Facts, field string) bool { return f.ends(field) },
	Class: func(p *Pass, f *Facts) {
		if !f.repeats() {
			return
		}
		for _, r := range f.Outcome {
			if r.Then != ir.Retry || f.again(r.On) < 1 {
				continue
			}
			if r.On == "5xx" {
				p.among5xx(f)
				continue
			}
			why, ok := permanentFailures[r.On]
			if !ok {
				continue
			}
			help, fix := f.giveUp(r.On)
			p.class(f.Set, f.Class, finding{
				Field: "outcome." + r.On, Severity: ir.Warning,
				Message: fmt.Sprintf("%s is retried, but %s: %s%s", r.On, why, count(f.again(r.On), "futile request"), f.spent()),
				Help:    []string{help},
				Fix:     fix,
			})
		}
	},
}

// among5xx notes the codes that are retried only because all of their class are:
// servers send them seldom, so that it is no more than a note.
func (p *Pass) among5xx(f *Facts) {
	var codes, help []string
	for _, on := range []string{"501", "505", "508", "511"} {
		if _, own := f.written(on); !own && f.retried(on) {
			codes = append(codes, on)
			help = append(help, label(on)+": \"terminal\"")
		}
	}
	if len(codes) == 0 {
		return
	}
	which := codes[0]
	if last := len(codes) - 1; last > 0 {
		which = strings.Join(codes[:last], ", ") + " and " + codes[last]
	}
	p.class(f.Set, f.Class, finding{
		Field:   "outcome.5xx",
		Message: fmt.Sprintf("5xx takes in %s, which time does not cure: each is answered with %s%s", which, count(f.again(codes[0]), "futile request"), f.spent()),
		Help:    []string{"beside it: " + strings.Join(help, ", ")},
	})
}
