package compiler_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/retryc/retryc/compiler"
	"github.com/retryc/retryc/compiler/ir"
)

// mutated is a sound policy with one of each thing that people write.
const mutated = `package shop

import "strings"

let wait = "10s"

_limits: {long: "2m", short: "5s"}
_hosts: {eu: "eu.example", us: "us.example"}

#Quick: {
	attempts: 3
	backoff: {base: "1s", cap: "9s"}
}

// Charge a card.
class: charge: {
	#Quick
	http:           "POST api.example/v1/charges"
	attemptTimeout: wait
	deadline: within: _limits.long
	idempotency: {source: "fields", fields: ["order_id"], keptFor: "24h"}
	outcome: "409": "reread"
	owner: strings.ToLower("TEAM")
}

// List them.
class: "list-all": {http: "GET api.example/v1/charges", attempts: 1, attemptTimeout: "5s", deadline: within: "10s"}

class: {
	for name, host in _hosts if name != "xx" {
		"list-\(name)": {
			#Quick
			http:     "GET \(host)/list"
			deadline: within: "1m"
		}
	}
}
`

// most are the shares, in percent, of the mutants with a mistake that may get two
// messages, and more than two, and how many fixes may not make the policy right.
var most = struct {
	two, more float64
	wrong     int
}{1.0, 0.1, 2}

var ownNames = regexp.MustCompile(`_retryc[A-Z]\w*`)

type mutant struct{ what, text string }

var tokens = regexp.MustCompile(`[A-Za-z_#]+|[0-9]+|"[^"]*"`)

// mutants are the texts with one character or one token less, or twice.
func mutants() []mutant {
	var out []mutant
	add := func(at int, kind, what, text string) {
		line := strings.Count(mutated[:at], "\n") + 1
		out = append(out, mutant{fmt.Sprintf("line %d, %s %q: %s", line, kind, what, strings.Split(text, "\n")[line-1]), text})
	}
	first := strings.IndexByte(mutated, '\n')
	for i := first; i < len(mutated); i++ {
		c := mutated[i]
		if c != '\t' {
			add(i, "without", string(c), mutated[:i]+mutated[i+1:])
		}
		if c != ' ' && c != '\t' && c != '\n' {
			add(i, "twice", string(c), mutated[:i+1]+mutated[i:])
		}
	}
	for _, loc := range tokens.FindAllStringIndex(mutated, -1) {
		if token := mutated[loc[0]:loc[1]]; len(token) > 1 {
			add(loc[0], "without token", token, mutated[:loc[0]]+mutated[loc[1]:])
			add(loc[0], "token twice", token, mutated[:loc[1]]+" "+mutated[loc[0]:])
		}
	}
	return out
}

// One character or token less, or one twice, is one mistake and gets one message.
func TestMutants(t *testing.T) {
	options := func(text string) compiler.Options {
		base := filepath.FromSlash("/shop")
		return compiler.Options{Base: base, Overlay: map[string][]byte{filepath.Join(base, "p.cue"): []byte(text)}}
	}
	compileAll := func(opt compiler.Options) (mistakes []ir.Diagnostic, show string) {
		results, err := compiler.Compile(opt, []compiler.Folder{{Dir: ".", Named: true}})
		if err != nil {
			t.Fatalf("%v\n%s", err, opt.Overlay)
		}
		return results[0].Mistakes, printedFor(t, results)
	}
	compileText := func(text string) (mistakes []ir.Diagnostic, show string) { return compileAll(options(text)) }
	if m, show := compileText(mutated); len(m) > 0 {
		t.Fatalf("the policy is not sound:\n%s", show)
	}
	broken, two, more, fixes, wrong := 0, 0, 0, 0, 0
	for _, m := range mutants() {
		mistakes, show := compileText(m.text)
		if name := ownNames.FindString(show); name != "" {
			t.Errorf("%s\nspeaks of %s:\n%s", m.what, name, show)
		}
		for _, word := range jargon[:neverSaid] {
			for _, d := range mistakes {
				if strings.Contains(d.Message, word) {
					t.Errorf("%s\nspeaks of %q:\n%s", m.what, word, show)
				}
			}
		}
		switch n := len(mistakes); {
		case n == 0:
			continue
		case n == 2:
			two++
		case n > 2:
			more++
		}
		broken++
		if len(mistakes) == 1 && mistakes[0].Fix != nil {
			fixes++
			if left, after := compileAll(fixed(options(m.text), mistakes[0].Fix)); len(left) > 0 {
				wrong++
				t.Logf("%s\nthe fix %q does not make it right:\n%s\n%s", m.what, mistakes[0].Fix.Title, show, after)
			}
		}
		if len(mistakes) > 1 {
			t.Logf("%d messages: %s\n%s", len(mistakes), m.what, show)
		}
	}
	t.Logf("%d mutants with a mistake: %d get two messages, %d more; %d have a fix", broken, two, more, fixes)
	if wrong > most.wrong {
		t.Errorf("%d fixes do not make the policy right, want at most %d", wrong, most.wrong)
	}
	if share := 100 * float64(two) / float64(broken); share > most.two {
		t.Errorf("%.1f %% of the mutants get two messages, want at most %v %%", share, most.two)
	}
	if share := 100 * float64(more) / float64(broken); share > most.more {
		t.Errorf("%.1f %% of the mutants get more than two messages, want at most %v %%", share, most.more)
	}
}
