package compiler

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"github.com/retryc/retryc/compiler/ir"
)

// evaluator reads what only CUE can work out.
type evaluator struct {
	*unit
	notes        *notes
	pkg          *pkgFiles
	imports      *packages
	poison       map[*ast.Ident]bool // references that lead nowhere and were cut out
	at           []contribution      // the declarations of class
	index        *classIndex
	reading      string // the class being read
	root         cue.Value
	built        []*ast.File // what root was made of
	maker        ir.Span     // what the name of that class is made of; zero where it is plain
	field        string      // the path of the value that is being reported
	value        cue.Value   // that value
	closed       []refused
	meantImports map[string]bool // packages of CUE's whose import has a slip in it
	meantLocal   map[string]bool // imports that only a slip keeps from being used
	missing      map[string]*missingName
	followed     map[ast.Expr]bool       // references whose error was looked for
	blaming      bool                    // the error of a field beside is being reported
	circular     map[ast.Node]bool       // whether a text goes over itself
	evaluated    map[*pkgFiles]cue.Value // imported packages by themselves
	meantNames   map[string]bool         // what a slip kept from being used
	conflicts    map[[2]ir.Span]ir.Span  // pairs of texts that were reported, and where
	wraps        int                     // makers taken out of the way
	tagsSaid     map[ir.Span]bool        // attributes whose value turned out to be missing
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
	e := &evaluator{unit: u, notes: &u.notes, pkg: pkg, imports: imports, poison: map[*ast.Ident]bool{}, tagsSaid: map[ir.Span]bool{}, meantLocal: map[string]bool{}, conflicts: map[[2]ir.Span]ir.Span{}}
	for _, m := range missing {
		if e.meantImports == nil {
			e.meantImports = map[string]bool{}
		}
		e.meantImports[m.meant] = true
		e.poisonImport(m.file, m.spec, m.names...)
		cutDeclaration(m.file, m.spec.Pos().Offset(), "")
	}
	e.cutReferences(imports)
	e.at = (&locator{}).top(pkg, "class")
	e.index = indexClasses(e.at)
	defer e.dropTags()
	if p.whole || len(p.computed) <= batchSize || e.classesAreReferredTo() {
		e.everything(e.withoutBroken(e.assemble(pkg.files)), p, out)
		return
	}
	e.batches(p, out)
}

// dropTags drops the warnings of tags whose want of a value was reported as the
// mistake that it is.
func (e *evaluator) dropTags() {
	e.unit.warnings = slices.DeleteFunc(e.unit.warnings, func(d *ir.Diagnostic) bool { return e.tagsSaid[d.Span] })
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
	e.selfMade()
}

func (e *evaluator) classes(class cue.Value, p *parts, label *node) []*node {
	if k := class.IncompleteKind(); k != cue.StructKind && k != cue.BottomKind {
		n := e.node(class, "class", e.at, nil)
		if n.kind == brokenNode {
			return nil
		}
		d := e.report(n.value, n, "class is %s: it is a struct of classes by name", n.quoted())
		d.Help = []string{classHelp}
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
	var refused []int
	for _, f := range fields {
		if !p.whole && !p.computed[f.name] {
			continue
		}
		n := e.class(f, label)
		if e.sayClosed() {
			refused = append(refused, len(out))
		}
		out = append(out, n)
		e.reading, e.maker = "", ir.Span{}
	}
	e.readOpened(out, refused, label)
	return out
}

// class reads one class.
func (e *evaluator) class(f valueField, label *node) *node {
	e.reading = f.name
	from := e.index.of(f.name)
	e.maker = ir.Span{}
	var maker contribution // not what a pattern adds to it
	if i := slices.IndexFunc(from, func(c contribution) bool { return len(c.via) == 0 }); i >= 0 {
		maker = from[i]
	} else if len(from) > 0 {
		maker = from[0]
	}
	if maker.field != nil && maker.label != ast.Node(maker.field.Label) {
		e.maker = e.sources.span(maker.label)
	}
	n := e.node(f.value, f.name, from, label)
	n.doc = docOfClass(from, f.value)
	if n.kind == structNode && len(n.fields) == 0 {
		if at, _ := e.loop(from); !at.IsZero() { // nothing but itself, by way of another
			e.cycle(n, from)
			n.kind = brokenNode
		}
	}
	if n.label.IsZero() && label != nil {
		n.label = label.label
	}
	n.maker = e.maker
	for _, c := range from { // the plain ones have been looked through
		if c.field != nil && len(c.via) == 0 {
			if _, plain := plainLabel(c.field); !plain {
				e.optionalFields(c.field, f.name)
			}
		}
	}
	if len(e.cuts) > 0 {
		for _, c := range from {
			if c.field != nil {
				n.also = append(n.also, e.sources.span(c.field))
			}
		}
	}
	if !e.maker.IsZero() {
		n.template = e.sources.span(maker.field.Label)
	}
	return n
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
		if it.Selector().LabelType() != cue.StringLabel {
			continue // of a list, where a struct was meant
		}
		name := it.Selector().Unquoted()
		if strings.HasPrefix(name, opened) {
			continue
		}
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
	if len(from) == 0 {
		e.placeBySource(n, v)
	}
	e.place(n, from, around)
	kind := v.IncompleteKind()
	switch {
	case kind == cue.BottomKind:
		e.bottom(v, n, from)
		return n
	case kind == cue.StructKind:
		n.kind = structNode
		if !v.IsConcrete() {
			if op, arms := v.Expr(); op == cue.OrOp && len(arms) > 1 {
				n.kind = brokenNode
				if !e.isPoisoned(from) {
					d := e.report(n.value, n, "%s is left open between %d structs: mark one with *, or keep one", name, len(arms))
					d.Field = e.path(v)
				}
				return n
			}
		}
		e.fields(v, n, from)
		if err := v.Err(); err != nil && !hasBroken(n) {
			if !e.isPoisoned(from) {
				done := e.about(v)
				e.errorAt(err, n, from)
				done()
			}
			n.partly()
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
	if e.mixesPoison(from) {
		n.unmade, n.incomplete = []string{"*"}, true
	}
	for _, f := range e.regular(v) {
		l := &locator{}
		at := l.child(from, f.name)
		if isNotAllowed(f.value) {
			n.fields = append(n.fields, e.notAllowed(f, at, from, n))
			continue
		}
		if isOpen(f.value) && e.waits(at, v, n, from) {
			n.fields = append(n.fields, &node{name: f.name, kind: brokenNode})
			continue
		}
		n.fields = append(n.fields, e.node(f.value, f.name, at, n))
	}
	n.unmade = append(n.unmade, e.undecidable(v, from)...)
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
	if n.kind == numberNode { // as it is written, and as large: CUE's own numbers end somewhere
		if lit := (reader{sources{}}).text(e.sources.text(n.value)); lit != nil && lit.kind == numberNode {
			n.text, n.integer, n.whole, n.number = lit.text, lit.integer, lit.whole, lit.number
		}
	}
}

// bottom reads a value that is an error: its own, or that of something in it.
func (e *evaluator) bottom(v cue.Value, n *node, from []contribution) {
	n.kind = brokenNode
	defer e.about(v)()
	if format := firstFormat(v.Err()); format == "structural cycle" {
		if !e.isPoisoned(from) {
			e.cycle(n, from)
		}
		return
	}
	inner := &node{kind: structNode, value: n.value, related: n.related}
	before := len(e.closed)
	e.fields(v, inner, from)
	made := len(inner.fields) > 0 && !e.isPoisoned(from) && e.makersFail(n, from)
	if len(inner.fields) > 0 {
		n.kind, n.fields = structNode, inner.fields
		n.unmade = append(n.unmade, inner.unmade...)
		if n.incomplete = made || inner.incomplete; n.incomplete || len(e.closed) > before || hasBroken(n) {
			return
		}
		n.partly()
	}
	if e.isPoisoned(from) || e.isUnknown(v) {
		return // what a field holds that the language does not have is nobody's matter
	}
	e.errorAt(v.Err(), n, from)
}

// partly says of a struct that something in it is wrong which is no field: its
// fields are looked at, but none is missed.
func (n *node) partly() {
	n.unmade, n.incomplete = append(n.unmade, "*"), true
	if len(n.fields) == 0 {
		n.kind = brokenNode
	}
}

// makersFail reports what leaves comprehensions and names that are put together
// in a struct without a value.
func (e *evaluator) makersFail(n *node, from []contribution) bool {
	unmade := (&locator{}).unmade(from)
	if len(unmade) == 0 || !e.sayCauses(n, from) {
		return false
	}
	n.unmade = unmade
	return true
}

// open reports a value that has not been given.
func (e *evaluator) open(v cue.Value, n *node, from []contribution) {
	n.kind = brokenNode
	if e.isPoisoned(from) {
		return
	}
	if e.isUnknown(v) {
		return // a wrong name, whatever it has for a value: the checks say so
	}
	defer e.about(v)()
	e.openMistake(v, n, from)
}

// about names the value that mistakes are reported for until the returned
// function is called.
func (e *evaluator) about(v cue.Value) (done func()) {
	field, value := e.field, e.value
	e.field, e.value = e.path(v), v
	return func() { e.field, e.value = field, value }
}
