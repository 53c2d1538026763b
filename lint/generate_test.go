package lint_test

import (
	"fmt"
	"strings"

	"golang.org/x/tools/txtar"
)

// policies makes sets of ten classes of five kinds, each class calling two of
// the set before it; one in fifty has a finding.
func policies(classes int) []txtar.File {
	var files []txtar.File
	for s := range classes / 10 {
		var b strings.Builder
		fmt.Fprintf(&b, "package s%d\n", s)
		for i := range 10 {
			fmt.Fprintf(&b, "\n// Does one of the things that services do.\nclass: \"c-%d\": {\n", i)
			switch i % 5 {
			case 0:
				fmt.Fprintf(&b, "\thttp: \"GET h%d.example/v1/x%d/{id}\"\n\tattempts: 3\n\tbackoff: {base: \"200ms\", cap: \"5s\"}\n\tdeadline: within: \"30s\"\n", s, i)
			case 1:
				fmt.Fprintf(&b, "\thttp: \"POST h%d.example/v1/x%d\"\n\tattempts: 4\n\tbackoff: {base: \"400ms\", cap: \"5s\"}\n\tdeadline: within: \"1m\"\n\tidempotency: {source: \"fields\", fields: [\"order_id\"], keptFor: \"24h\"}\n\toutcome: {\"409\": \"reread\", \"500\": \"terminal\"}\n", s, i)
			case 2:
				fmt.Fprintf(&b, "\tgrpc: \"p%d.v1.S%d/Get\"\n\teffect: \"safe\"\n\tattempts: 3\n\tbackoff: {base: \"200ms\", cap: \"5s\", jitter: \"equal\"}\n\tdeadline: within: \"30s\"\n", s, i)
			case 3:
				fmt.Fprintf(&b, "\thttp: \"PUT h%d.example/v1/x%d/{id}\"\n\tattempts: 12\n\ttiming: \"queue\"\n\tbackoff: {base: \"20s\", cap: \"1h\"}\n\tdeadline: {within: \"8h\", mode: \"expire\"}\n\tidempotency: {source: \"fields\", fields: [\"x_id\"]}\n", s, i)
			case 4:
				jitter := "full"
				if s%5 == 0 && i == 4 {
					jitter = "none"
				}
				fmt.Fprintf(&b, "\thttp: \"GET h%d.example/v1/y%d/{id}\"\n\tattempts: 3\n\tbackoff: {base: \"200ms\", cap: \"5s\", jitter: %q}\n\tdeadline: within: \"30s\"\n\tperOutcome: \"429\": base: \"2s\"\n", s, i, jitter)
			}
			b.WriteString("\tattemptTimeout: \"2s\"\n")
			if s > 0 {
				fmt.Fprintf(&b, "\tcalls: [\"s%d.c-%d\", \"s%d.c-%d\"]\n", s-1, i, s-1, (i+1)%10)
			}
			b.WriteString("}\n")
		}
		files = append(files, txtar.File{Name: fmt.Sprintf("s%d/s.cue", s), Data: []byte(b.String())})
	}
	return files
}
