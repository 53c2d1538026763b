package lint

import (
	"io/fs"
	"time"

	"github.com/retryc/retryc/compiler/ir"
)

// RunWithout runs all rules but one.
func RunWithout(sets []*ir.Set, opt Options, id string) Results {
	var rest []*Rule
	for _, r := range rules {
		if r.ID != id {
			rest = append(rest, r)
		}
	}
	return run(sets, opt, rest)
}

// Archives names the archives by their stems.
func Archives() (stems []string) {
	entries, err := archives.ReadDir("rules")
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		stems = append(stems, e.Name()[:len(e.Name())-len(".txtar")])
	}
	return stems
}

// WaiverSoon is the threshold of waiver-ends-soon.
const WaiverSoon time.Duration = waiverSoon

// MarkdownFrom is Markdown of archives that an update has just written.
func MarkdownFrom(dir fs.FS) (string, error) { return pages{dir}.markdown() }
