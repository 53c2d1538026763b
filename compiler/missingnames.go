package compiler

// Names that lead nowhere, and what was meant by them.

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"

	"cuelang.org/go/cue/ast"

	"github.com/retryc/retryc/compiler/ir"
)

func (e *evaluator) noReference(file *ast.File, id *ast.Ident, known, local map[string]bool, valueOf string) {
	if e.unit.mayDeclare(id.Name) || e.cutsIn(nil)[id.Name] {
		return // what it meant may have been cut away with another mistake
	}
	at := e.sources.span(id)
	if path := standard(id.Name); path != "" {
		if e.meantImports[path] {
			return // its import has a slip in it, which was reported
		}
		if key := file.Filename + " " + path; !e.usedAgain(key, at) {
			d := e.notes.mistake(at, "nothing is named %s; the package has to be imported", id.Name)
			d.Help = []string{`import "` + path + `"`}
			e.remember(key, d, "")
		}
		return
	}
	write := func(d *ir.Diagnostic, right string) {
		d.Fix = &ir.Fix{Title: "write " + right, Edits: []ir.Edit{{Span: at, Text: right}}}
	}
	if valueOf != "" {
		for _, w := range []string{"true", "false", "null"} {
			if strings.EqualFold(w, id.Name) {
				write(e.notes.mistake(at, "nothing is named %s; did you mean %s?", id.Name, w), w)
				return
			}
		}
		for _, words := range enumWords() {
			if slices.Contains(words, id.Name) {
				d := e.notes.mistake(at, "nothing is named %s: text stands in quotes", id.Name)
				d.Help = []string{`"` + id.Name + `"`}
				write(d, `"`+id.Name+`"`)
				return
			}
		}
	}
	inScope := namesInScope(file, id)
	candidates := append(sorted(inScope), append(sorted(known), sorted(local)...)...)
	if valueOf == "" { // likely the package of a function
		candidates = append(sorted(local), candidates...)
		for _, name := range sorted(local) {
			if rest, ok := strings.CutPrefix(id.Name, name); ok && rest != "" && unicode.IsUpper([]rune(rest)[0]) { // a point is missing
				for f := range e.importsNamed(name) {
					e.meantLocal[f] = true
				}
				right := name + "." + rest
				write(e.notes.mistake(at, "nothing is named %s; did you mean %s?", id.Name, right), right)
				return
			}
		}
	}
	if plain := strings.TrimLeft(id.Name, "_#"); plain != id.Name && known[plain] && theShape().policy.field(plain) == nil && !slices.Contains(predeclared, plain) {
		// The field is there without the mark that makes it one to share: the checks say so.
		if e.unit.sharedAs == nil {
			e.unit.sharedAs = map[string]string{}
		}
		e.unit.sharedAs[plain] = id.Name
		return
	}
	if len(id.Name) < 4 { // too short to tell a slip from another word
		candidates = slices.DeleteFunc(candidates, func(s string) bool { return slices.Contains(predeclared, s) })
	}
	if m := near(id.Name, candidates); m != "" && m != "_" && !strings.HasPrefix(m, "__") {
		if local[m] {
			for f := range e.importsNamed(m) {
				e.meantLocal[f] = true // it is used, but for a slip
			}
		}
		if e.meantNames == nil {
			e.meantNames = map[string]bool{}
		}
		e.meantNames[m] = true
		key := id.Name + " " + m
		if inScope[m] && !known[m] {
			key += " " + file.Filename // another file has another let of that name
		}
		d := e.notes.mistake(at, "nothing is named %s; did you mean %s?", id.Name, m)
		write(d, m)
		e.remember(key, d, m)
		return
	}
	if takesText(valueOf) && isIdentifier(id.Name) && id.Name[0] != '_' {
		e.notes.mistake(at, "nothing is named %s; text stands in quotes", id.Name).Help = []string{`"` + id.Name + `"`}
		return
	}
	if !e.usedAgain(id.Name, at) {
		e.remember(id.Name, e.notes.mistake(at, "nothing is named %s", id.Name), "")
	}
}

// missingName is a name that leads nowhere. Where nothing like it is declared it
// is one mistake, however often it is used; a slip is one each time.
type missingName struct {
	said  []*ir.Diagnostic
	meant string
}

func (e *evaluator) remember(key string, d *ir.Diagnostic, meant string) {
	if e.missing == nil {
		e.missing = map[string]*missingName{}
	}
	if e.missing[key] == nil {
		e.missing[key] = &missingName{meant: meant}
	}
	e.missing[key].said = append(e.missing[key].said, d)
}

// usedAgain adds a further use to what was said of a name, if it was.
func (e *evaluator) usedAgain(key string, at ir.Span) bool {
	n := e.missing[key]
	if n == nil {
		return false
	}
	n.said[0].Related = append(n.said[0].Related, ir.Related{Span: at, Message: "and here"})
	return true
}

// misspeltDeclarations moves what was said of a name that is used more than once
// to the one declaration that nothing uses and that was meant by it: there is the
// slip.
func (e *evaluator) misspeltDeclarations() {
	for key, n := range e.missing {
		used, _, _ := strings.Cut(key, " ")
		if len(n.said) < 2 || n.meant == "" {
			continue
		}
		var all []*ast.Ident
		for _, f := range e.pkg.files {
			ast.Walk(f, func(x ast.Node) bool {
				if id, ok := x.(*ast.Ident); ok && id.Name == n.meant {
					all = append(all, id)
				}
				return true
			}, nil)
		}
		if len(all) != 1 {
			continue
		}
		sp := e.sources.span(all[0])
		d := n.said[0]
		d.Related = []ir.Related{{Span: d.Span, Message: used + " is used here"}}
		for _, other := range n.said[1:] {
			d.Related = append(d.Related, ir.Related{Span: other.Span, Message: "and here"})
		}
		e.notes.mistakes = slices.DeleteFunc(e.notes.mistakes, func(o *ir.Diagnostic) bool { return slices.Contains(n.said[1:], o) })
		d.Span = sp
		d.Message = fmt.Sprintf("%s is used nowhere; did you mean %s, which is used and not declared?", n.meant, used)
		d.Fix = &ir.Fix{Title: "write " + used, Edits: []ir.Edit{{Span: sp, Text: used}}}
	}
}

// importsNamed lists the paths of the imports that a name stands for.
func (e *evaluator) importsNamed(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, f := range e.pkg.files {
			for spec := range f.ImportSpecs() {
				local := ast.ParseImportPath(importPath(spec)).Qualifier
				if spec.Name != nil {
					local = spec.Name.Name
				}
				if local == name && !yield(importPath(spec)) {
					return
				}
			}
		}
	}
}

// values finds the names in a file that are the whole value of a field or of an
// element of a list, and the name of that field: where text was meant, the quotes
// are missing.
func values(f *ast.File) map[*ast.Ident]string {
	out := map[*ast.Ident]string{}
	var put func(x ast.Expr, name string)
	put = func(x ast.Expr, name string) {
		switch x := x.(type) {
		case *ast.Ident:
			out[x] = name
		case *ast.ListLit:
			for _, e := range x.Elts {
				put(e, name)
			}
		}
	}
	ast.Walk(f, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok {
			if name, _, err := ast.LabelName(f.Label); err == nil {
				put(f.Value, name)
			}
		}
		return true
	}, nil)
	return out
}

// takesText reports whether a field of that name, anywhere in the language, holds
// text of the author's own.
func takesText(name string) bool {
	found := false
	var visit func(t *typ, name string)
	text := func(t *typ) bool {
		return t != nil && t.kind == scalarType && t.words == nil && scalars[t.name].kind == stringNode
	}
	visit = func(t *typ, name string) {
		if t == nil || found {
			return
		}
		for _, f := range t.fields {
			found = found || f.name == name && (text(f.typ) || text(f.typ.elem) || text(f.typ.text))
			visit(f.typ, name)
		}
		visit(t.elem, name)
		visit(t.body, name)
	}
	visit(theShape().policy, name)
	return found
}

// standard is the path of the package of CUE's that a name is likely to mean.
func standard(name string) string {
	switch name {
	case "strings", "list", "math", "strconv", "regexp", "time", "struct", "path", "net", "uuid":
		return name
	case "json", "yaml", "base64", "hex":
		return "encoding/" + name
	}
	return ""
}

func enumWords() [][]string {
	var out [][]string
	for _, name := range definitionNames() {
		if t := theShapeWords()[name]; t != nil {
			out = append(out, t)
		}
	}
	return out
}
