package lint

import (
	"strings"
	"testing"

	"github.com/retryc/retryc/compiler/ir"
)

// A rule that panics does so for the caller, who can make a report of it; it does
// not end the program from a goroutine that nobody watches.
func TestPanicsReachTheCaller(t *testing.T) {
	bad := func(*Pass, *Facts) { panic("the rule has a bug") }
	badSet := func(*Pass, *SetFacts) { panic("the rule has a bug") }
	for _, r := range []*Rule{{ID: "x-y", Class: bad}, {ID: "x-y", Set: badSet}} {
		func() {
			defer func() {
				err, ok := recover().(error)
				if !ok || !strings.Contains(err.Error(), "the rule has a bug") || !strings.Contains(err.Error(), "TestPanicsReachTheCaller") {
					t.Errorf("recovered %v", err)
				}
			}()
			run([]*ir.Set{set("a", class("x", 2)), set("b", class("y", 2))}, Options{}, []*Rule{r})
			t.Error("no panic")
		}()
	}
}
