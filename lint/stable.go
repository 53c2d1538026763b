package lint

import (
	"strconv"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
)

// Stable returns what names the fields of findings so that they can be known
// again: an entry of a list by what it is, "calls.payments.charge", and no longer
// by where in its list it stands. Of equal entries the second ends in "#2".
func Stable(sets []*ir.Set) func(ir.Diagnostic) ir.Diagnostic {
	byName := make(map[string]*ir.Set, len(sets))
	for _, s := range sets {
		byName[s.Name] = s
	}
	return func(d ir.Diagnostic) ir.Diagnostic {
		list, rest, ok := strings.Cut(d.Field, ".")
		s := byName[d.Set]
		if !ok || s == nil {
			return d
		}
		c := s.Class(d.Class)
		if c == nil {
			return d
		}
		var entries []string
		switch list {
		case "aliases":
			entries = c.Aliases
		case "conditions":
			entries = c.Conditions
		case "idempotency":
			if rest, ok = strings.CutPrefix(rest, "fields."); !ok {
				return d
			}
			list, entries = "idempotency.fields", c.Idempotency.Fields
		case "calls":
			for _, call := range c.Calls {
				entries = append(entries, call.Class+call.Name)
			}
		default:
			return d
		}
		number, below, _ := strings.Cut(rest, ".")
		at, err := strconv.Atoi(number)
		if err != nil || at < 0 || at >= len(entries) {
			return d
		}
		name := entries[at]
		same := 1
		for _, e := range entries[:at] {
			if e == name {
				same++
			}
		}
		if same > 1 {
			name += "#" + strconv.Itoa(same)
		}
		d.Field = list + "." + name
		if below != "" {
			d.Field += "." + below
		}
		return d
	}
}
