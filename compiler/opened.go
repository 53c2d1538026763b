package compiler

// A closed definition refuses fields, and CUE then says no more of the class. So
// what is in such a class is looked at once more, with no definition closed.

import (
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"github.com/retryc/retryc/compiler/ir"
)

// opened begins the names that definitions have while they are open.
const opened = "retrycOpened_"

// readOpened reads the classes again whose fields a closed definition refused.
func (e *evaluator) readOpened(classes []*node, which []int, label *node) {
	if len(which) == 0 {
		return
	}
	root := e.root
	undo := e.openDefinitions()
	class := e.build(e.built).LookupPath(cue.MakePath(cue.Str("class")))
	for _, i := range which {
		old := classes[i]
		old.kind = brokenNode
		value := class.LookupPath(cue.MakePath(cue.Str(old.name)))
		if !value.Exists() && value.Err() == nil {
			continue
		}
		n := e.class(valueField{old.name, value}, label)
		n.incomplete = true // it cannot be used as it is
		classes[i] = n
		e.closed = nil
		e.reading, e.maker = "", ir.Span{}
	}
	undo()
	e.root = root
}

// openDefinitions makes fields of the definitions, until the returned function is
// called.
func (e *evaluator) openDefinitions() (undo func()) {
	var back []func()
	open := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if name := n.Name; len(name) > 1 && name[0] == '#' || strings.HasPrefix(name, "_#") && len(name) > 2 {
				n.Name = opened + strings.TrimLeft(name, "_#")
				back = append(back, func() { n.Name = name })
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "close" && len(n.Args) == 1 {
				args := n.Args
				id.Name, n.Args = "and", []ast.Expr{&ast.ListLit{Elts: args}}
				back = append(back, func() { id.Name, n.Args = "close", args })
			}
		}
		return true
	}
	packages := []*pkgFiles{e.pkg}
	for _, path := range sorted(e.imports.read) {
		if p := e.imports.read[path]; p != nil {
			packages = append(packages, p)
		}
	}
	forget := func() {
		for _, p := range packages {
			p.byName, p.made = nil, nil
		}
	}
	for _, f := range e.built {
		ast.Walk(f, open, nil)
	}
	for _, p := range packages {
		for _, f := range p.files {
			ast.Walk(f, open, nil)
		}
	}
	forget()
	return func() {
		for _, f := range back {
			f()
		}
		forget()
	}
}
