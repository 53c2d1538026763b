package lint

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/retryc/retryc/compiler/ir"
)

// Comparing pairs and walking the tree find the same conflicts.
func TestPairsAndTreeAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var facts []*Facts
		for i := range rapid.IntRange(2, together).Draw(t, "classes") {
			text := rapid.SampledFrom([]string{"GET", "POST"}).Draw(t, "method") + " " + rapid.SampledFrom([]string{"", "h.example"}).Draw(t, "host")
			for range rapid.IntRange(1, 3).Draw(t, "segments") {
				text += "/" + rapid.SampledFrom([]string{"a", "b", "{x}", "{y}:go"}).Draw(t, "segment")
			}
			text += rapid.SampledFrom([]string{"", "", "/{rest...}", "/{$}", "/"}).Draw(t, "end")
			c := class(fmt.Sprintf("c%d", i), 2)
			c.Op = ir.Operation{Kind: ir.HTTP, Text: text}
			facts = append(facts, bare(&c))
		}
		found := func(by func([]*Facts, func(a, b *Facts))) []string {
			var out []string
			by(facts, func(a, b *Facts) { out = append(out, a.Name+" "+b.Name) })
			slices.Sort(out)
			return slices.Compact(out)
		}
		if a, b := found(pairs), found(walk); !slices.Equal(a, b) {
			t.Fatalf("pairs %v, tree %v", a, b)
		}
	})
}
