package compiler

import (
	"fmt"
	"sort"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	cueerrors "cuelang.org/go/cue/errors"

	"github.com/retryc/retryc/compiler/ir"
)

// evaluator reads what only CUE can work out.
type evaluator struct {
	*unit
	notes   *notes
	pkg     *pkgFiles
	imports *packages
	poison  map[*ast.Ident]bool // references that lead nowhere and were cut out
	at      []contribution      // the declarations of class
	index   *classIndex
	reading string // the class being read
	closed  []refused
}

// refused is a field of the language that a closed definition does not take.
type refused struct {
	name  string
	label ir.Span
	from  []contribution // of the struct that holds it
}

// batchSize is how many classes one context evaluates: CUE keeps all that it
// evaluated, and its memory grows faster than the number of classes.
var batchSize = 200

// evaluate builds the unit with CUE and adds what is not literal to out.
func (u *unit) evaluate(p *parts, out *found) {
	imports := &packages{u: u, read: map[string]*pkgFiles{}}
	missing := u.checkImports(imports)
	pkg := &pkgFiles{imports: imports.files}
	for _, f := range u.files {
		pkg.files = append(pkg.files, f.syntax)
	}
	e := &evaluator{unit: u, notes: &u.notes, pkg: pkg, imports: imports, poison: map[*ast.Ident]bool{}}
	for _, m := range missing {
		e.poisonImport(m.file, m.spec)
		cutDeclaration(m.file, m.spec.Pos().Offset())
	}
	e.cutReferences(imports)
	e.at = (&locator{}).top(pkg, "class")
	e.index = indexClasses(e.at)
	if p.whole || len(p.computed) <= batchSize || e.classesAreReferredTo() {
		e.everything(e.assemble(pkg.files), p, out)
		return
	}
	e.batches(p, out)
}

// everything reads all that needs CUE from one evaluated package.
func (e *evaluator) everything(v cue.Value, p *parts, out *found) {
	class := v.LookupPath(cue.MakePath(cue.Str("class")))
	if class.Exists() && (p.whole || len(p.computed) > 0) {
		if out.class == nil {
			out.class = &node{name: "class"}
		}
		if len(e.at) > 0 {
			out.class.label = e.sources.span(e.at[0].label)
			out.class.value = e.sources.span(e.at[0].expr)
		}
		out.classes = append(out.classes, e.classes(class, p, out.class)...)
	}
	for _, f := range e.regular(v) {
		if f.name == "class" || !p.whole && !p.fields[f.name] {
			continue
		}
		n := e.node(f.value, f.name, (&locator{}).top(e.pkg, f.name), nil)
		e.sayClosed()
		out.set.fields = append(out.set.fields, n)
	}
	if !p.whole {
		for _, name := range sorted(p.fields) { // one that is an error has no entry among the regular ones
			if out.set.field(name) == nil {
				if x := v.LookupPath(cue.MakePath(cue.Str(name))); x.Err() != nil {
					out.set.fields = append(out.set.fields, e.node(x, name, (&locator{}).top(e.pkg, name), nil))
				}
			}
		}
	}
	e.rest(v)
}

func (e *evaluator) classes(class cue.Value, p *parts, label *node) []*node {
	if k := class.IncompleteKind(); k != cue.StructKind && k != cue.BottomKind {
		n := e.node(class, "class", e.at, nil)
		d := e.report(n.value, n, "class is %s: it is a struct of classes by name", n.quoted())
		d.Help = []string{"class: \"get-order\": {…}"}
		return nil
	}
	fields := e.regular(class)
	if len(fields) == 0 && class.Err() != nil {
		n := &node{kind: brokenNode, name: "class"}
		e.place(n, e.at, nil)
		e.errorAt(class.Err(), n, e.at)
		return nil
	}
	var out []*node
	for _, f := range fields {
		if !p.whole && !p.computed[f.name] {
			continue
		}
		e.reading = f.name
		from := e.index.of(f.name)
		n := e.node(f.value, f.name, from, label)
		if e.sayClosed() {
			n.kind = brokenNode
		}
		n.doc = docOfClass(from, f.value)
		if n.label.IsZero() && label != nil {
			n.label = label.label
		}
		out = append(out, n)
		e.reading = ""
	}
	return out
}

type valueField struct {
	name  string
	value cue.Value
}

// regular lists the regular fields of a struct, also of one that is an error
// because of what is in it.
func (e *evaluator) regular(v cue.Value) []valueField {
	it, err := v.Fields()
	if err != nil {
		return nil
	}
	var out []valueField
	for it.Next() {
		name := it.Selector().Unquoted()
		out = append(out, valueField{name, it.Value()})
	}
	return out
}

// node reads one evaluated value; from are the texts that gave it.
func (e *evaluator) node(v cue.Value, name string, from []contribution, around *node) *node {
	if d, ok := v.Default(); ok {
		v = d
	}
	n := &node{name: name}
	e.place(n, from, around)
	kind := v.IncompleteKind()
	switch {
	case kind == cue.BottomKind:
		e.bottom(v, n, from)
		return n
	case kind == cue.StructKind:
		n.kind = structNode
		e.fields(v, n, from)
		if err := v.Err(); err != nil && !hasBroken(n) {
			if !e.isPoisoned(from) {
				e.errorAt(err, n, from)
			}
			n.kind = brokenNode
		}
		return n
	case kind == cue.ListKind:
		n.kind = listNode
		it, err := v.List()
		if err != nil {
			e.open(v, n, from)
			return n
		}
		l := &locator{}
		for i := 0; it.Next(); i++ {
			n.elems = append(n.elems, e.node(it.Value(), itoa(i), l.child(from, itoa(i)), n))
		}
		return n
	case !v.IsConcrete():
		e.open(v, n, from)
		return n
	}
	e.scalar(v, n, kind, from)
	return n
}

func (e *evaluator) fields(v cue.Value, n *node, from []contribution) {
	for _, f := range e.regular(v) {
		l := &locator{}
		at := l.child(from, f.name)
		if isNotAllowed(f.value) {
			n.fields = append(n.fields, e.notAllowed(f, at, from, n))
			continue
		}
		n.fields = append(n.fields, e.node(f.value, f.name, at, n))
	}
}

func isNotAllowed(v cue.Value) bool {
	if v.IncompleteKind() != cue.BottomKind {
		return false
	}
	for _, x := range cueerrors.Errors(v.Err()) {
		if format, _ := x.Msg(); format == "field not allowed" && len(x.Path()) == len(v.Path().Selectors()) {
			return true
		}
	}
	return false
}

// notAllowed keeps a field that a closed definition refuses. One that the
// language has is reported with the others of the definition; one that it does
// not have is a wrong name whoever refuses it, and the checks say so.
func (e *evaluator) notAllowed(f valueField, at, parent []contribution, around *node) *node {
	n := &node{name: f.name, kind: brokenNode}
	e.place(n, at, around)
	for _, c := range at { // the label in the class, not in the definition
		if len(c.via) == 0 {
			n.label = e.sources.span(c.label)
		}
	}
	if e.inLanguage(f.value) {
		e.closed = append(e.closed, refused{f.name, n.label, parent})
	}
	return n
}

func (e *evaluator) inLanguage(v cue.Value) bool {
	t := theShape().policy
	for _, s := range v.Path().Selectors() {
		if s.LabelType() != cue.StringLabel {
			return false
		}
		switch name := s.Unquoted(); t.kind {
		case structType:
			f := t.field(name)
			if f == nil {
				return false
			}
			t = f.typ
		case mapType:
			t = t.elem
		case unionType:
			f := t.body.field(name)
			if f == nil {
				return false
			}
			t = f.typ
		default:
			return false
		}
	}
	return true
}

// sayClosed reports the fields that a closed definition refused: the mistake is
// one, however many fields there are.
func (e *evaluator) sayClosed() bool {
	if len(e.closed) == 0 {
		return false
	}
	all := e.closed
	e.closed = nil
	var names []string
	first := all[0]
	for _, r := range all {
		names = append(names, r.name)
		if later(first.label, r.label) {
			first = r
		}
	}
	def, at := "the struct", ir.Span{}
	for _, c := range first.from {
		if ref := definition(c.expr); ref != nil {
			at = e.sources.span(ref)
			def = e.sources.text(at)
			break
		}
	}
	sort.Strings(names)
	d := e.notes.mistake(first.label, "%s is closed, so %s cannot be added with &", def, enumerate(names))
	d.Class = e.reading
	if !at.IsZero() {
		d.Related = []ir.Related{{Span: at, Message: fmt.Sprintf("%s is unified here", def)}}
		d.Help = []string{fmt.Sprintf("embed it: {%s, %s: …}", def, first.name)}
	}
	return true
}

// definition finds the reference in "#Quick & {…}".
func definition(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return definition(x.X)
	case *ast.BinaryExpr:
		if d := definition(x.X); d != nil {
			return d
		}
		return definition(x.Y)
	case *ast.Ident, *ast.SelectorExpr:
		return x
	}
	return nil
}

func (e *evaluator) scalar(v cue.Value, n *node, kind cue.Kind, from []contribution) {
	switch {
	case kind == cue.StringKind:
		n.kind = stringNode
		n.text, _ = v.String()
	case kind == cue.BytesKind:
		n.kind = bytesNode
	case kind == cue.BoolKind:
		n.kind = boolNode
		n.truth, _ = v.Bool()
	case kind == cue.NullKind:
		n.kind = nullNode
	case kind&cue.NumberKind != 0:
		n.kind = numberNode
		text, err := v.MarshalJSON()
		if err != nil {
			e.errorAt(err, n, from)
			n.kind = brokenNode
			return
		}
		n.text = string(text)
		setNumber(n, n.text, kind == cue.IntKind)
	default:
		e.open(v, n, from)
		return
	}
	e.choose(n, from)
}

// bottom reads a value that is an error: its own, or that of something in it.
func (e *evaluator) bottom(v cue.Value, n *node, from []contribution) {
	n.kind = brokenNode
	inner := &node{kind: structNode, value: n.value, related: n.related}
	before := len(e.closed)
	e.fields(v, inner, from)
	if len(inner.fields) > 0 && len(e.closed) > before {
		n.kind, n.fields = structNode, inner.fields
		return
	}
	if len(inner.fields) > 0 {
		n.kind, n.fields = structNode, inner.fields
		if hasBroken(n) {
			return
		}
		n.kind = brokenNode
	}
	if e.isPoisoned(from) {
		return
	}
	e.errorAt(v.Err(), n, from)
}

// open reports a value that has not been given.
func (e *evaluator) open(v cue.Value, n *node, from []contribution) {
	n.kind = brokenNode
	if e.isPoisoned(from) {
		return
	}
	e.openMistake(v, n, from)
}

// isPoisoned reports whether a value hangs on a reference that was reported.
func (e *evaluator) isPoisoned(from []contribution) bool {
	for _, c := range from {
		if c.field != nil && hasEmbed(c.field) {
			return true
		}
	}
	if len(e.poison) == 0 {
		return false
	}
	found := false
	l := &locator{}
	for _, c := range from {
		nodes := append([]ast.Node{c.expr}, c.via...)
		for _, x := range l.expand(c) {
			nodes = append(nodes, x.expr)
			nodes = append(nodes, x.via...)
		}
		for _, x := range nodes {
			if x == nil {
				continue
			}
			ast.Walk(x, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && e.poison[id] {
					found = true
				}
				return !found
			}, nil)
		}
	}
	return found
}

func hasEmbed(f *ast.Field) bool {
	for _, a := range f.Attrs {
		if name, _ := a.Split(); name == "embed" {
			return true
		}
	}
	return false
}

// place puts a node where the text is that the fewest references lead to.
func (e *evaluator) place(n *node, from []contribution, around *node) {
	l := &locator{}
	for i, c := range from {
		if i == 0 || len(c.via) == 0 {
			n.label = e.sources.span(c.label)
		}
		if len(c.via) == 0 {
			break
		}
	}
	nearest := -1
	for _, c := range from {
		for _, x := range l.expand(c) {
			sp := e.sources.span(x.expr)
			if sp.IsZero() || nearest >= 0 && len(x.via) >= nearest {
				continue
			}
			nearest = len(x.via)
			n.value, n.related = sp, e.relatedOf(x)
			if n.label.IsZero() {
				n.label = sp
			}
		}
	}
	if n.value.IsZero() {
		n.value = n.label
	}
	if n.value.IsZero() && around != nil {
		// Made by an expression that cannot be followed: that expression is what
		// the author can edit.
		n.value, n.label, n.related = around.value, around.value, around.related
	}
}

// choose puts a scalar where the text stands that says its value; where none
// does, at the first text that is no mere constraint.
func (e *evaluator) choose(n *node, from []contribution) {
	l := &locator{}
	literals := reader{e.sources}
	best := -1
	for _, c := range from {
		for _, x := range l.expand(c) {
			sp := e.sources.span(x.expr)
			if sp.IsZero() {
				continue
			}
			rank := 1
			if lit := literals.value(x.expr); lit != nil {
				rank = 0
				if lit.kind == n.kind && (lit.text == n.text || lit.kind == numberNode && lit.number == n.number || lit.kind == boolNode && lit.truth == n.truth) {
					rank = 3
					if len(x.via) == 0 {
						rank = 4
					}
				}
			} else if isConstraint(x.expr) {
				rank = 0
			}
			if rank > best {
				best = rank
				n.value, n.related = sp, e.relatedOf(x)
				if label := e.sources.span(c.label); !label.IsZero() {
					n.label = label
				}
			}
		}
	}
}

func isConstraint(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return true
	case *ast.UnaryExpr:
		return !strings.Contains("+-*!", x.Op.String())
	}
	return false
}

func (e *evaluator) relatedOf(x contribution) []ir.Related {
	var out []ir.Related
	for _, v := range x.via {
		if sp := e.sources.span(v); !sp.IsZero() {
			out = append(out, ir.Related{Span: sp, Message: "through this reference"})
		}
	}
	return out
}

// docOfClass is the comment above the class, wherever it was made: above its
// own name, or above "class" where both stand on one line.
func docOfClass(from []contribution, v cue.Value) string {
	for _, c := range from {
		if c.field == nil {
			continue
		}
		if doc := docOf(c.field); doc != "" {
			return doc
		}
		if c.around != nil {
			if doc := docOf(c.around); doc != "" {
				return doc
			}
		}
	}
	if len(from) > 0 {
		return ""
	}
	for _, g := range v.Doc() {
		if g.Doc {
			return commentText(g)
		}
	}
	return ""
}

// rest reports errors in what no class needs: definitions and hidden fields.
func (e *evaluator) rest(v cue.Value) {
	it, err := v.Fields(cue.All())
	if err != nil {
		return
	}
	for it.Next() {
		if it.Selector().LabelType() == cue.StringLabel && !strings.HasPrefix(it.Selector().String(), "_") {
			continue
		}
		name := it.Selector().String()
		e.failures(it.Value(), name, (&locator{}).top(e.pkg, name))
	}
}

// failures reports values that no unification can mend. A definition may well
// leave values open.
func (e *evaluator) failures(v cue.Value, name string, from []contribution) {
	if v.IncompleteKind() != cue.BottomKind || !v.IsConcrete() || v.Err() == nil {
		return
	}
	inner := false
	if it, err := v.Fields(cue.All()); err == nil {
		for it.Next() {
			if x := it.Value(); x.IncompleteKind() == cue.BottomKind && x.IsConcrete() && x.Err() != nil {
				inner = true
				l := &locator{}
				child := it.Selector().String()
				if it.Selector().LabelType() == cue.StringLabel {
					child = it.Selector().Unquoted()
				}
				e.failures(x, child, l.child(from, child))
			}
		}
	}
	if inner || e.isPoisoned(from) {
		return
	}
	n := &node{name: name, kind: brokenNode}
	e.place(n, from, nil)
	e.errorAt(v.Err(), n, from)
}
