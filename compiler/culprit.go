package compiler

// Which value an error of CUE's is about, and where it stands.

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	cueerrors "cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/token"

	"github.com/retryc/retryc/compiler/ir"
)

// innermost is the error that says most exactly what it is about: of a choice
// without a fit, one of the arms, where they all fail at the same field.
func innermost(errs []cueerrors.Error) cueerrors.Error {
	if format, _ := errs[0].Msg(); !strings.HasSuffix(format, "errors in empty disjunction:") || len(errs) < 2 {
		return errs[0]
	}
	arm := errs[1].Path()
	for _, x := range errs[1:] {
		if !slices.Equal(x.Path(), arm) {
			return errs[0]
		}
	}
	return errs[1]
}

// whose finds the value that an error is about, where that is not the one which
// is read but one in it that no class has, such as a hidden field, or one that
// it refers to.
func (e *evaluator) whose(x cueerrors.Error, n *node, from []contribution) (*node, []contribution) {
	path := x.Path()
	var here []string
	for _, s := range e.value.Path().Selectors() {
		here = append(here, s.String())
	}
	if len(path) == 0 || len(here) == 0 {
		return n, from
	}
	k := 0
	for k < len(here) && k < len(path) && sameName(here[k], path[k]) {
		k++
	}
	switch {
	case k == len(path): // this one, or one that it is in
		return e.around(x.Position(), n, from)
	}
	l := &locator{}
	texts := from
	if k < len(here) {
		texts, k = l.top(e.pkg, path[0]), 1
	}
	for _, name := range path[k:] {
		texts = l.child(texts, strings.Trim(name, `"`))
	}
	if len(texts) == 0 {
		return n, from
	}
	from = texts
	m := &node{name: strings.Trim(path[len(path)-1], `"`)}
	e.place(m, from, n)
	return m, from
}

// around finds the field of a struct that a position is in, however deep.
func (e *evaluator) around(p token.Pos, n *node, from []contribution) (*node, []contribution) {
	if e.sources.at(p).IsZero() {
		return n, from
	}
	l := &locator{}
	for range 10 {
		name := ""
		for _, c := range from {
			for _, t := range l.expand(c) {
				s, ok := t.expr.(*ast.StructLit)
				if !ok {
					continue
				}
				for _, d := range s.Elts {
					f, ok := d.(*ast.Field)
					if !ok || f.Value == nil || f.Value.Pos().Filename() != p.Filename() || p.Offset() < f.Value.Pos().Offset() || p.Offset() >= f.Value.End().Offset() {
						continue
					}
					if plain, _, err := ast.LabelName(f.Label); err == nil {
						name = plain
					}
				}
			}
		}
		if name == "" {
			break
		}
		m := &node{name: name}
		inner := l.child(from, name)
		if len(inner) == 0 {
			break
		}
		e.place(m, inner, n)
		n, from = m, inner
	}
	return n, from
}

func sameName(a, b string) bool { return strings.Trim(a, `"`) == strings.Trim(b, `"`) }

// condition finds the condition that an error points at.
func (e *evaluator) condition(x cueerrors.Error) ast.Expr {
	var found ast.Expr
	for _, p := range append([]token.Pos{x.Position()}, x.InputPositions()...) {
		for _, f := range e.pkg.files {
			if f.Filename != p.Filename() {
				continue
			}
			ast.Walk(f, func(n ast.Node) bool {
				if c, ok := n.(*ast.IfClause); ok && c.Pos().Offset() == p.Offset() {
					found = c.Condition
				}
				return found == nil
			}, nil)
		}
		if found != nil {
			break
		}
	}
	return found
}

// spanAt is the stretch of what begins at a position.
func (e *evaluator) spanAt(p token.Pos) ir.Span {
	at := e.sources.at(p)
	if at.IsZero() {
		return at
	}
	var best ast.Node
	visit := func(f *ast.File) {
		ast.Walk(f, func(n ast.Node) bool {
			if best == nil && n.Pos().HasAbsPos() && n.Pos().Offset() == p.Offset() {
				switch n.(type) {
				case *ast.File, *ast.Field, *ast.CommentGroup, *ast.EmbedDecl:
				default:
					best = n
				}
			}
			return best == nil
		}, nil)
	}
	for _, f := range e.pkg.files {
		if f.Filename == p.Filename() {
			visit(f)
		}
	}
	if best == nil {
		return at
	}
	return e.sources.span(best)
}
