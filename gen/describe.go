package gen

import (
	"fmt"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/bounds"
)

// classDoc is the doc comment of a class's variable: what the author wrote, then
// what the policy amounts to.
func classDoc(c *ir.Class, n className) string {
	doc := strings.TrimSpace(c.Doc)
	if doc == "" {
		doc = fmt.Sprintf("%s is the operation class %q.", n.Var, c.Name)
	}
	return doc + "\n\n" + wrap(summary(c))
}

// summary says in a few sentences what a reader of the calling code should know.
func summary(c *ir.Class) string {
	spec := Lower(c)
	b := bounds.Of(&spec)
	var s []string
	if c.Op.Kind == ir.Task {
		s = append(s, fmt.Sprintf("Task %q.", c.Op.Text))
	} else {
		s = append(s, c.Op.Text+".")
	}
	if c.Attempts == 1 {
		s = append(s, "Tried once.")
	} else {
		limit := fmt.Sprintf("Up to %d attempts, none starting after %s (%s", c.Attempts, ir.FormatDuration(c.Deadline.Within), c.Deadline.Mode)
		if c.Deadline.Mode == ir.Extend {
			limit += " by deferral, " + ir.FormatDuration(c.Deadline.ExtendAtMost) + " at most"
		}
		s = append(s, limit+").")
	}
	if c.Effect == ir.NonIdempotent && c.Idempotency.Source == ir.NoKey && c.Duplicates == ir.Refused {
		s = append(s, "Never repeated after a failure that may have been applied: it has no key.")
	}
	switch c.Idempotency.Source {
	case ir.KeyFromFields:
		s = append(s, "Key from "+list(c.Idempotency.Fields)+".")
	case ir.KeyFromCaller:
		s = append(s, "Key from the caller.")
	case ir.RandomKey:
		s = append(s, "Random key, drawn once a call.")
	}
	switch c.RetryAfter.Mode {
	case ir.Override:
		s = append(s, "A server's delay overrides.")
	case ir.Stop:
		s = append(s, "A server's delay over "+ir.FormatDuration(c.RetryAfter.Max)+" ends it.")
	case ir.Clamp:
		s = append(s, "A server's delay is cut to "+ir.FormatDuration(c.RetryAfter.Max)+".")
	case ir.Ignore:
		s = append(s, "A server's delay is not read.")
	}
	switch c.Timing {
	case ir.Queue:
		s = append(s, "Deferred: a durable row that the engine times.")
	case ir.ByScheduler:
		s = append(s, "Deferred: a durable row; the platform's scheduler chooses the moment.")
	}
	worst := fmt.Sprintf("Worst case: %s in %s", requests(b.Requests), ir.FormatDuration(bounds.Round(b.Worst())))
	if c.AttemptTimeout == 0 {
		worst = fmt.Sprintf("Worst case: %s; an attempt has no timeout of its own", requests(b.Requests))
	}
	return strings.Join(append(s, worst+"."), " ")
}

// callDoc is the doc comment of a constructor.
func callDoc(c *ir.Class) string {
	what := strings.ReplaceAll(c.Name, "-", " ")
	switch c.Idempotency.Source {
	case ir.KeyFromFields:
		return wrap(fmt.Sprintf("Call names one logical %s: the same %s, the same operation and key. Every attempt of it carries the key.", what, list(c.Idempotency.Fields)))
	case ir.KeyFromCaller:
		return wrap(fmt.Sprintf("Call names one logical %s by the key of the caller, which every attempt carries.", what))
	case ir.RandomKey:
		return wrap(fmt.Sprintf("Call names one logical %s and draws its key, which every attempt carries.", what))
	}
	return fmt.Sprintf("Call names one logical %s.", what)
}

func requests(n int) string {
	if n == 1 {
		return "1 request"
	}
	return fmt.Sprintf("%d requests", n)
}

func list(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// wrap breaks text into lines of a doc comment's usual length.
func wrap(text string) string {
	const width = 96
	var b strings.Builder
	col := 0
	for i, w := range strings.Fields(text) {
		if i > 0 {
			if col+1+len(w) > width {
				b.WriteByte('\n')
				col = 0
			} else {
				b.WriteByte(' ')
				col++
			}
		}
		b.WriteString(w)
		col += len(w)
	}
	return b.String()
}
