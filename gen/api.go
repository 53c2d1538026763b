package gen

import (
	"strings"

	"github.com/retryc/retryc/compiler/ir"
)

// Constructor is what callers of a generated package write to name an operation:
// the part of its API that depends on the policy.
type Constructor struct {
	Var    string   // "Charge"
	Params []string // "orderID"; empty: none
	Type   string   // of the parameters: "string" or "Key"
	Result string   // "Call" or "DurableCall"
}

// String is the constructor as a caller reads it.
func (c Constructor) String() string {
	params := ""
	if len(c.Params) > 0 {
		params = strings.Join(c.Params, ", ") + " " + c.Type
	}
	return c.Var + ".Call(" + params + ")"
}

// Constructors lists the constructors of a set's package, in the order of its
// classes. A class whose Go name another has already has none: its Var is "".
func Constructors(set *ir.Set) []Constructor {
	names, _ := nameClasses(set, reservedNames())
	out := make([]Constructor, len(set.Classes))
	for i := range set.Classes {
		out[i] = constructor(&set.Classes[i], names[i])
	}
	return out
}

func constructor(c *ir.Class, n className) Constructor {
	k := Constructor{Var: n.Var, Result: "Call"}
	if c.Timing != ir.Inline {
		k.Result = "DurableCall"
	}
	switch c.Idempotency.Source {
	case ir.KeyFromFields:
		k.Params, k.Type = params(c.Idempotency.Fields), "string"
	case ir.KeyFromCaller:
		k.Params, k.Type = []string{"key"}, "Key"
	}
	return k
}
