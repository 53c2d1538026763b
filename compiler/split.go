package compiler

import (
	"bytes"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/schema"
)

// read makes nodes of everything in a unit: of literal text directly, of the
// rest through CUE.
func (u *unit) read() found {
	p := u.parts()
	out := found{set: &node{kind: structNode, fields: p.set}, class: p.class, classes: p.literal}
	if p.needsCUE() {
		u.evaluate(p, &out)
	}
	return out
}

// parts is a unit taken apart.
type parts struct {
	set     []*node // literal fields of the set
	class   *node   // the label of the first field class
	literal []*node // literal classes

	computed map[string]bool // classes that need CUE
	fields   map[string]bool // fields of the set that need CUE
	shared   int             // declarations that are neither
	whole    bool            // CUE has to see all at once: what makes classes is not a list of them
}

func (p *parts) needsCUE() bool {
	return p.whole || p.shared > 0 || len(p.computed) > 0 || len(p.fields) > 0
}

// evaluateAll makes CUE read literal text as well. The tests set it to see that
// the two readers agree.
var evaluateAll = false

// parts finds what is literal. A name that is declared more than once is
// literal when all its declarations are and they only add to each other.
func (u *unit) parts() *parts {
	p := &parts{computed: map[string]bool{}, fields: map[string]bool{}}
	r := reader{u.sources}
	set := &node{kind: structNode}
	classes := map[string]*node{}
	var order []string
	all := false // a pattern says something about every class
	for _, f := range u.files {
		if bytes.IndexByte(f.text, '@') >= 0 {
			u.attributes(f.syntax)
		}
		for _, d := range f.syntax.Decls {
			switch d := d.(type) {
			case *ast.Package, *ast.CommentGroup, *ast.Attribute:
			case *ast.ImportDecl:
				p.shared++
			case *ast.Field:
				name, ok := plainLabel(d)
				switch {
				case !ok:
					p.shared++
					u.optionalSetField(d)
					switch d.Label.(type) {
					case *ast.ListLit, *ast.Alias, *ast.ParenExpr, *ast.Interpolation:
						p.whole = true // it may declare class
					}
				case name == "class":
					if p.class == nil {
						p.class = &node{name: "class", label: u.sources.span(d.Label), value: u.sources.span(d.Value)}
					}
					s, ok := d.Value.(*ast.StructLit)
					if !ok || d.Alias != nil {
						p.whole = true
						continue
					}
					for _, e := range slices.Clone(s.Elts) {
						switch e := e.(type) {
						case *ast.Field:
							cn, ok := plainLabel(e)
							if !ok {
								if _, pattern := e.Label.(*ast.ListLit); pattern {
									all = true
								} else if !u.misplaced(e) {
									p.whole = true
								} else if e.Constraint == token.NOT { // CUE would miss it as well
									s.Elts = slices.DeleteFunc(s.Elts, func(d ast.Decl) bool { return d == e })
								}
								continue
							}
							u.optionalFields(e, cn)
							n := r.fieldOf(e)
							if n != nil && n.doc == "" && s.Lbrace == token.NoPos {
								n.doc = docOf(d)
							}
							old, seen := classes[cn]
							if seen && old != nil {
								old.also = append(old.also, u.sources.span(e))
							}
							switch {
							case n == nil:
								p.computed[cn] = true
							case !seen:
								classes[cn] = n
								order = append(order, cn)
							case old.kind != structNode || n.kind != structNode || !old.merge(n):
								p.computed[cn] = true
							}
						case *ast.CommentGroup, *ast.Attribute:
						default:
							p.whole = true
						}
					}
				default:
					n := r.fieldOf(d)
					if n == nil || !set.put(n) {
						p.fields[name] = true
					}
				}
			case *ast.LetClause:
				p.shared++
			case *ast.EmbedDecl:
				p.shared++
				p.whole = p.whole || !embedsSchema(d, f.syntax)
			default:
				p.whole = true // a comprehension
			}
		}
	}
	p.whole = p.whole || evaluateAll
	if all {
		for _, name := range order {
			p.computed[name] = true
		}
	}
	for _, n := range set.fields {
		if !p.fields[n.name] && !p.whole {
			p.set = append(p.set, n)
		}
	}
	if p.whole {
		return p
	}
	for _, name := range order {
		if !p.computed[name] {
			p.literal = append(p.literal, classes[name])
		}
	}
	return p
}

// embedsSchema reports whether an embedding is of the schema, which adds no
// class and no field.
func embedsSchema(d *ast.EmbedDecl, f *ast.File) bool {
	sel, ok := d.Expr.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return false
	}
	for spec := range f.ImportSpecs() {
		name := ast.ParseImportPath(importPath(spec)).Qualifier
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if name == id.Name {
			return ast.ParseImportPath(importPath(spec)).Path == schema.ImportPath
		}
	}
	return false
}

// misplaced reports what stands where a class was meant and CUE would be silent
// about: hidden, definition and optional fields.
func (u *unit) misplaced(f *ast.Field) bool {
	id, ok := f.Label.(*ast.Ident)
	at := u.sources.span(f.Label)
	var d *ir.Diagnostic
	switch name := labelText(f.Label); {
	case ok && (strings.HasPrefix(id.Name, skippedName) || id.Name == unknown):
		return true // in the place of what could not be read, which was said
	case ok && len(id.Name) > 0 && (id.Name[0] == '_' || id.Name[0] == '#'):
		kind := "hidden"
		if id.Name[0] == '#' || len(id.Name) > 1 && id.Name[1] == '#' {
			kind = "a definition"
		}
		d = u.mistake(at, "%s is %s, so it is no class; to share it, declare it outside of class", id.Name, kind)
	case f.Constraint == token.OPTION:
		d = u.mistake(at, "%s is optional, so it is no class", name)
		d.Help = []string{quoteName(name) + ": " + pasted(u.sources.text(u.sources.span(f.Value)))}
	case f.Constraint == token.NOT:
		d = u.mistake(at, "%s only says that the class has to be there; the class itself is missing", name)
		d.Help = []string{quoteName(name) + ": " + exampleClass}
	default:
		return false
	}
	d.Set = u.name
	return true
}

func labelText(l ast.Label) string {
	name, _, err := ast.LabelName(l)
	if err != nil {
		return "the field"
	}
	return name
}

// optionalSetField reports "class?:" and its kin at the top of a file.
func (u *unit) optionalSetField(f *ast.Field) {
	if f.Constraint == token.ILLEGAL {
		return
	}
	name := labelText(f.Label)
	if theShape().policy.field(name) == nil {
		return
	}
	u.cuts = append(u.cuts, cut{name: name})
	d := u.mistake(u.sources.span(f.Label), "%s%s sets nothing: it only says what the field may be", name, constraintMark(f))
	d.Help = []string{name + ": " + pasted(u.sources.text(u.sources.span(f.Value)))}
}

func constraintMark(f *ast.Field) string {
	if f.Constraint == token.NOT {
		return "!"
	}
	return "?"
}

// optionalFields reports fields like "attempts?: 3" in the text of a class: CUE
// takes them for constraints and is silent.
func (u *unit) optionalFields(class *ast.Field, name string) {
	var visit func(e ast.Expr, path string)
	visit = func(e ast.Expr, path string) {
		s, ok := e.(*ast.StructLit)
		if !ok {
			return
		}
		for _, d := range s.Elts {
			f, ok := d.(*ast.Field)
			if !ok || f.Value == nil {
				continue
			}
			field, _, err := ast.LabelName(f.Label)
			if err != nil {
				continue
			}
			full := join(path, field)
			if f.Constraint != token.ILLEGAL && setsField(s, field) {
				continue // a constraint on what is set beside it
			}
			if f.Constraint != token.ILLEGAL {
				if u.unset == nil {
					u.unset = map[string][]string{}
				}
				u.unset[name] = append(u.unset[name], full)
				d := u.mistake(u.sources.span(f.Label), "%s%s sets nothing: it only says what the field may be", field, constraintMark(f))
				d.Class, d.Field = name, full
				if value := u.sources.text(u.sources.span(f.Value)); !strings.Contains(value, "\n") {
					d.Help = []string{help(full, value)}
				}
				continue
			}
			visit(f.Value, full)
		}
	}
	visit(class.Value, "")
}

// setsField reports whether a struct has a regular field of a name.
func setsField(s *ast.StructLit, name string) bool {
	for _, d := range s.Elts {
		if f, ok := d.(*ast.Field); ok && f.Constraint == token.ILLEGAL && f.Value != nil {
			if plain, _, err := ast.LabelName(f.Label); err == nil && plain == name {
				return true
			}
		}
	}
	return false
}

// attributes reports attributes that would make a policy depend on a command
// line or on other files. All others mean nothing here.
func (u *unit) attributes(n ast.Node) {
	ast.Walk(n, func(n ast.Node) bool {
		var list []*ast.Attribute
		switch n := n.(type) {
		case *ast.Field:
			list = n.Attrs
		case *ast.Attribute:
			list = []*ast.Attribute{n}
		}
		for _, a := range list {
			switch name, body := a.Split(); name {
			case "tag":
				u.warning(u.sources.span(a), "@tag(%s) takes a value from a command line, and retryc gives none: what a policy says must not depend on who runs it", body)
			case "embed":
				u.mistake(u.sources.span(a), "@embed(%s) reads another file, which retryc does not: write the value here", body)
			}
		}
		return true
	}, nil)
}
