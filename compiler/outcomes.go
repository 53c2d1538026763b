package compiler

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen/engine"
)

// outcomes checks the keys of outcome, outcomeAfterAmbiguous and perOutcome,
// whose meaning depends on the kind of the class and on its conditions.
func (c *checker) outcomes() {
	kind, known := c.kind()
	conditions, knownConditions := c.look("conditions")
	var own []string
	unread := false // a condition has no name, and any key may be it
	if conditions != nil {
		for _, n := range conditions.elems {
			if n.broken {
				if _, right := scalars["#ConditionName"].check(n); n.kind == stringNode && right != "" {
					own = append(own, strings.Trim(right, `"`)) // as it is told to be called
				} else {
					unread = true
				}
				continue
			}
			if isPhase(n.text) || engine.Reserved(n.text) {
				what := "a phase of failure already"
				if !isPhase(n.text) {
					what = "a word of retryc's own"
				}
				c.at(n, join("conditions", n.name), "%q is %s: name the condition something else", n.text, what)
				continue
			}
			own = append(own, n.text)
		}
	}
	for _, path := range []string{"outcome", "outcomeAfterAmbiguous", "perOutcome"} {
		n, ok := c.look(path)
		if !ok || n == nil {
			continue
		}
		for _, f := range n.fields {
			mayBe := snakeRE.MatchString(f.name) // it could be a condition
			switch {
			case !known, mayBe && !knownConditions, mayBe && unread && near(f.name, conditionNames(kind)) == "":
			default:
				c.outcomeKey(f, n, join(path, f.name), kind, own)
			}
			if path == "perOutcome" && f.kind == structNode {
				c.limit(f, join(path, f.name))
			}
		}
	}
}

func (c *checker) outcomeKey(f, parent *node, path string, kind ir.Kind, own []string) {
	if slices.Contains(own, f.name) || validCondition(kind, f.name) {
		return
	}
	broken := f.broken
	defer func() { f.broken = f.broken || broken }()
	upper := strings.ToUpper(f.name)
	for _, other := range []ir.Kind{ir.HTTP, ir.GRPC} {
		if other != kind && (validCondition(other, f.name) || validCondition(other, upper)) && !validCondition(kind, upper) {
			what := map[ir.Kind]string{ir.HTTP: "an HTTP status", ir.GRPC: "a gRPC code"}[other]
			c.atLabel(f, path, "%q is %s, and the class is %s", f.name, what, kind)
			return
		}
	}
	m, guess := "", false // guess: that it is right is not said
	switch n, err := strconv.Atoi(f.name); {
	case err == nil && isIndex(f.name) && kind == ir.GRPC && n < len(grpcCodes()):
		m = grpcCodes()[n]
	case isIndex(f.name) && kind == ir.GRPC:
		c.atLabel(f, path, "%q is no gRPC code: they have names, such as \"UNAVAILABLE\"", f.name)
		return
	case isIndex(f.name):
		c.atLabel(f, path, "%q is no HTTP status: they go from 100 to 599", f.name)
		return
	case kind == ir.HTTP && len(f.name) == 3 && isIndex(f.name[:1]) && strings.Trim(f.name[1:], "xX*") == "":
		if f.name[0] < '1' || f.name[0] > '5' {
			c.atLabel(f, path, "%q is no class of HTTP statuses: they go from \"1xx\" to \"5xx\"", f.name)
			return
		}
		m = f.name[:1] + "xx"
	case kind == ir.HTTP && len(f.name) == 3 && f.name[0] >= '1' && f.name[0] <= '5' && strings.ContainsAny(f.name, "xX*"):
		m, guess = f.name[:1]+"xx", true
	default:
		m = near(f.name, append(append([]string(nil), own...), conditionNames(kind)...))
	}
	if m != "" {
		d := c.atLabel(f, path, "%q is not a code, a phase or a condition of the class; did you mean %q?", f.name, m)
		right := quoteName(m)
		d.Help = []string{right + ": " + c.valueOf(f)}
		if parent.field(m) == nil && !guess {
			d.Fix = &ir.Fix{Title: "rename it to " + m, Edits: []ir.Edit{{Span: f.label, Text: right}}}
		}
		return
	}
	d := c.atLabel(f, path, "%q is not a code, a phase or a condition of the class", f.name)
	if engine.Reserved(f.name) {
		d.Message = fmt.Sprintf("%q is no outcome of an attempt: %s", f.name, map[string]string{
			"offline": "whenOffline says what happens without a network",
			"crash":   "nothing answers when a process dies",
		}[f.name])
		return
	}
	if snakeRE.MatchString(f.name) {
		d.Help = []string{fmt.Sprintf("conditions: [%q]", f.name)}
		if n := c.root.field("conditions"); n != nil {
			d.Help = []string{fmt.Sprintf("conditions: [%s]", list(append(quotedAll(own), strconv.Quote(f.name))))}
		}
	}
}

// limit checks one entry of perOutcome.
func (c *checker) limit(f *node, path string) {
	if len(f.fields) == 0 && !f.broken {
		c.at(f, path, "the entry for %q changes nothing: it has attempts, base and cap", f.name).Help = []string{help(path, "{attempts: 2}")}
		return
	}
	timing, _, known := c.wordAt("timing")
	if known && timing == "scheduler" {
		for _, name := range []string{"base", "cap"} {
			if n := f.field(name); n != nil && !n.broken {
				c.atLabel(n, join(path, name), "%s has no effect with timing scheduler: the platform waits, not retryc", name)
			}
		}
		return
	}
	effective := func(name string) (n *node, own, ok bool) {
		if n := f.field(name); n != nil {
			return n, true, !n.broken
		}
		n, known := c.look("backoff." + name)
		return n, false, known && n != nil
	}
	base, ownBase, ok1 := effective("base")
	limit, ownCap, ok2 := effective("cap")
	if !ok1 || !ok2 || !ownBase && !ownCap || limit.duration >= base.duration {
		return
	}
	wrong, other, name, otherName := limit, base, "cap", "base"
	if !ownCap {
		wrong, other, name, otherName = base, limit, "base", "cap"
	}
	relation := map[string]string{"cap": "below", "base": "above"}[name]
	d := c.at(wrong, join(path, name), "%s %s is %s %s %s", name, wrong.quoted(), relation, otherName, other.quoted())
	d.Related = append(d.Related, ir.Related{Span: other.value, Message: otherName + " here"})
}

func quotedAll(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = strconv.Quote(w)
	}
	return out
}
