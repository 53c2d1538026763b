package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen/engine"
)

// newKeys says in which ways operations under way at the deploy get another key:
// the bytes of a sample of logical operations are compared, not the fields.
func newKeys(b, a *ir.Class) []string {
	from, to := b.Idempotency, a.Idempotency
	if from.Source == ir.NoKey || to.Source == ir.NoKey {
		return nil
	}
	var out []string
	switch {
	case from.Source != to.Source:
		out = append(out, "get another key")
	case from.Source == ir.KeyFromFields:
		x, y := sample(b, a)
		if x != y {
			out = append(out, "get another key")
		}
	}
	if from.Sent == ir.InHeader && to.Sent == ir.InHeader {
		if !strings.EqualFold(from.Header, to.Header) {
			out = append(out, fmt.Sprintf("send it as %s instead of %s", to.Header, from.Header))
		}
		if from.Quote != to.Quote {
			out = append(out, "send it in other bytes")
		}
	}
	return out
}

// sample derives the keys of one logical operation under both policies. A field of
// the same name has the same value; so has a renamed one, which stands where the
// old one stood.
func sample(b, a *ir.Class) (before, after string) {
	values := map[string]string{}
	var x, y []string
	for i, f := range b.Idempotency.Fields {
		values[f] = fmt.Sprint("value ", i)
		x = append(x, values[f])
	}
	same := renamed(b.Idempotency.Fields, a.Idempotency.Fields)
	for i, f := range a.Idempotency.Fields {
		v, known := values[f]
		switch {
		case known:
		case same:
			v = x[i]
		default:
			v = fmt.Sprint("another ", i)
		}
		y = append(y, v)
	}
	return engine.DeriveKey(keyName(b), x...), engine.DeriveKey(keyName(a), y...)
}

// keyName is the name that a class's keys are hashed with.
func keyName(c *ir.Class) string {
	if len(c.Aliases) > 0 {
		return c.Aliases[0]
	}
	return c.Name
}

// renamed reports whether the fields are the same but for names: as many, and none
// of those that stayed has moved.
func renamed(before, after []string) bool {
	if len(before) != len(after) || slices.Equal(before, after) {
		return false
	}
	for i := range before {
		if before[i] != after[i] && (slices.Contains(after, before[i]) || slices.Contains(before, after[i])) {
			return false
		}
	}
	return true
}

// missing lists what of before is not in after.
func missing(before, after []string) []string {
	var out []string
	for _, f := range before {
		if !slices.Contains(after, f) {
			out = append(out, f)
		}
	}
	return out
}
