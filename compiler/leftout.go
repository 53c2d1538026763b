package compiler

// Files that CUE leaves out, by name or by attribute, and what would vanish with
// them.

import (
	"path/filepath"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
)

// hiddenFile reports a file whose classes would vanish with it.
func (u *unit) hiddenFile(abs string) {
	text, err := u.tree.read(abs)
	if err != nil {
		return
	}
	src := newSource(abs, u.tree.show(abs), text)
	u.sources[abs] = src
	at := src.start()
	if i := plainClass.FindIndex(text); i != nil {
		at = src.span(i[0], i[1])
	}
	u.poisoned = true
	u.mistake(at, "CUE leaves out %q, and its classes with it: a name that begins with \"_\", or ends with _test or _tool, is no policy's", filepath.Base(abs))
}

// exclusion is whether a file takes part.
type exclusion int

const (
	counts   exclusion = iota
	byItself           // @ignore
	byTags             // @if, since there are no tags
)

// excluded evaluates @if and @ignore as CUE does when no tag is given: what a
// policy says must not depend on a command line. So a file that depends on one is
// reported, and one that takes no part for it is a mistake, or the classes in it
// were gone without a word that fails.
func (u *unit) excluded(f *ast.File) exclusion {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.Package:
			return counts
		case *ast.Attribute:
			name, body := d.Split()
			switch name {
			case "ignore":
				return byItself
			case "if":
				e, err := parser.ParseExpr("", body)
				if err == nil && buildTag(e) {
					u.warning(u.sources.span(d), "@if(%s) depends on the command line, and retryc gives no tags: this file counts", body)
					u.tagged = true
					return counts
				}
				u.mistake(u.sources.span(d), "@if(%s) leaves this file out, since retryc gives no tags: take @if away, or move the file to a folder of its own", body)
				return byTags
			}
		}
	}
	return counts
}

// ignored reports whether a file says that it takes no part.
func ignored(f *ast.File) bool {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.Package:
			return false
		case *ast.Attribute:
			if name, _ := d.Split(); name == "ignore" {
				return true
			}
		}
	}
	return false
}

// readLeftOut reads a file that tags leave out as if it took part, so that its
// own mistakes are told as well. Where several depend on tags they stand for each
// other, and together they would say what nobody meant.
func (u *unit) readLeftOut() {
	switch {
	case len(u.leftOut) == 0:
	case len(u.leftOut) == 1 && !u.tagged:
		u.take(u.leftOut[0].syntax, u.leftOut[0].source)
	default:
		u.poisoned = true
	}
}

func buildTag(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return buildTag(e.X)
	case *ast.UnaryExpr:
		return !buildTag(e.X)
	case *ast.BinaryExpr:
		if e.Op.String() == "&&" {
			return buildTag(e.X) && buildTag(e.Y)
		}
		return buildTag(e.X) || buildTag(e.Y)
	}
	return false
}
