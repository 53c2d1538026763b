package lint

import (
	"fmt"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
)

var patternWithoutHost = &Rule{
	ID: "pattern-without-host", Harm: Hygiene, Severity: ir.Info,
	Title: "a pattern matches any host in a set where others name theirs",
	Set: func(p *Pass, s *SetFacts) {
		other := ""
		for _, f := range s.Classes {
			if f.Op.Kind == ir.HTTP && !f.hostless() {
				other = f.Op.Text
				break
			}
		}
		if other == "" {
			return
		}
		_, host, _ := strings.Cut(other, " ")
		host, _, _ = strings.Cut(strings.TrimSpace(host), "/")
		for _, f := range s.Classes {
			if f.hostless() {
				p.class(s.Set, f.Class, finding{
					Field:   "http",
					Message: fmt.Sprintf("%q matches any host, although others of this set name theirs", f.Op.Text),
					Help:    []string{fmt.Sprintf("http: %q", f.method()+" "+host+f.path())},
				})
			}
		}
	},
}
