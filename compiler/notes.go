package compiler

import (
	"fmt"
	"sort"

	"github.com/retryc/retryc/compiler/ir"
)

// notes collects what is to be said about a set.
type notes struct {
	mistakes []*ir.Diagnostic
	warnings []*ir.Diagnostic
}

// mistake adds an error and returns it, so that help and related places can be
// put on it.
func (n *notes) mistake(at ir.Span, format string, args ...any) *ir.Diagnostic {
	d := &ir.Diagnostic{Rule: ir.InvalidPolicy, Severity: ir.Error, Message: fmt.Sprintf(format, args...), Span: at}
	n.mistakes = append(n.mistakes, d)
	return d
}

func (n *notes) warning(at ir.Span, format string, args ...any) *ir.Diagnostic {
	d := &ir.Diagnostic{Rule: ir.InvalidPolicy, Severity: ir.Warning, Message: fmt.Sprintf(format, args...), Span: at}
	n.warnings = append(n.warnings, d)
	return d
}

func (n *notes) add(m notes) {
	n.mistakes = append(n.mistakes, m.mistakes...)
	n.warnings = append(n.warnings, m.warnings...)
}

// settle orders diagnostics by place and drops those that say again what
// another said: a mistake in a shared definition is one mistake, however many
// classes use it. The classes it was found through are kept as related places.
func settle(list []*ir.Diagnostic) []ir.Diagnostic {
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if a.Span.File != b.Span.File {
			return a.Span.File < b.Span.File
		}
		if a.Span.Start.Offset != b.Span.Start.Offset {
			return a.Span.Start.Offset < b.Span.Start.Offset
		}
		return a.Message < b.Message
	})
	var out []ir.Diagnostic
	for _, d := range list {
		if n := len(out); n > 0 && out[n-1].Span == d.Span && out[n-1].Message == d.Message {
			out[n-1].Related = union(out[n-1].Related, d.Related)
			continue
		}
		out = append(out, *d)
	}
	for i := range out {
		out[i].Related = union(nil, out[i].Related)
	}
	return out
}

func union(a, b []ir.Related) []ir.Related {
	for _, r := range b {
		known := false
		for _, o := range a {
			known = known || o.Span == r.Span
		}
		if !known {
			a = append(a, r)
		}
	}
	return a
}
