package compiler

import (
	"fmt"
	"slices"
	"sort"
	"strconv"

	"github.com/retryc/retryc/compiler/ir"
)

// build turns the files of a unit into a set: the fields of the set, then each
// class by itself.
func (u *unit) build(set *ir.Set) {
	found := u.read()
	u.findings(set, found)
}

// found is what the two readers made of a unit.
type found struct {
	set     *node // the fields of the set but class
	class   *node // the field class, for its label; nil: none
	classes []*node
}

// templatePlace is a place in the text that several classes are made of: what is
// wrong there is one mistake, whatever each class makes of it.
type templatePlace struct {
	field string
	at    ir.Span
}

func (u *unit) findings(set *ir.Set, in found) {
	self := ir.Span{File: u.folder.Dir}
	for _, f := range u.files {
		if p := packageClause(f.syntax); p != nil && p.Name.Name == u.name {
			self = u.sources.span(p.Name)
			break
		}
	}
	shape := theShape()
	c := &checker{sources: u.sources, shared: u.sharedAs, lost: u.cutsIn(nil), what: "the set", set: u.name, self: self, root: in.set}
	c.structure(in.set, shape.policy, "")
	for _, b := range in.set.field("retryBudgets").entries() {
		if b.kind == structNode {
			c.budget(b, "retryBudgets."+b.name)
		}
	}
	if in.class == nil && !c.excused("class") && !u.poisoned {
		c.mistake(self, "the set has no class").Help = []string{classHelp}
	}
	set.Spans.Self = ir.Place{Label: self, Value: self}
	d := theDefaults()
	u.add(c.notes)
	lowerSet(set, in.set, d)
	if in.class != nil {
		set.Spans.Add(ir.Place{Path: "class", Label: in.class.label, Value: in.class.value})
	}
	set.Spans.Sort()

	u.classes = len(in.classes)
	sort.SliceStable(in.classes, func(i, j int) bool { return in.classes[i].name < in.classes[j].name })
	u.placeCuts(in.classes)
	labels := map[ir.Span]int{}
	for _, n := range in.classes {
		labels[n.label]++
	}
	for _, n := range in.classes {
		n.made = !n.maker.IsZero() || labels[n.label] > 1
	}
	type made struct {
		notes notes
		class ir.Class
		sound bool
	}
	out := make([]made, len(in.classes))
	const chunk = 64
	each((len(in.classes)+chunk-1)/chunk, func(k int) {
		for i := k * chunk; i < min((k+1)*chunk, len(in.classes)); i++ {
			n := in.classes[i]
			c := &checker{sources: u.sources, lost: u.cutsIn(n), what: fmt.Sprintf("class %q", n.name), set: u.name, class: n.name, self: n.label, root: n}
			if n.made {
				c.what = "the class"
				if !n.template.IsZero() {
					c.self = n.template
				}
			}
			for _, path := range u.unset[n.name] {
				c.claim(path)
			}
			c.checkClass(shape.class)
			out[i].notes = c.notes
			if out[i].sound = len(c.mistakes) == 0 && len(u.unset[n.name]) == 0 && len(c.lost) == 0 && !hasBroken(n); out[i].sound {
				out[i].class = c.lower(n.doc)
			}
		}
	})
	said := map[templatePlace]*ir.Diagnostic{} // of what several classes are made of
	for i := range out {
		if in.classes[i].made {
			out[i].notes.mistakes = slices.DeleteFunc(out[i].notes.mistakes, func(d *ir.Diagnostic) bool {
				key := templatePlace{d.Field, d.Span}
				first := said[key]
				if first == nil {
					said[key] = d
					return false
				}
				if first.Class == d.Class || first.Message == d.Message {
					return false
				}
				first.Related = union(first.Related, d.Related)
				return true
			})
		}
		u.add(out[i].notes)
		if out[i].sound {
			set.Classes = append(set.Classes, out[i].class)
		}
	}
	u.acrossClasses(set, in)
	u.nothingVanishes(set, in)
}

// nothingVanishes says of what is not sound that it is, where nobody has said
// why: a class must not be missing from a set without a word.
func (u *unit) nothingVanishes(set *ir.Set, in found) {
	if len(u.mistakes) > 0 {
		return
	}
	sound := map[string]bool{}
	for i := range set.Classes {
		sound[set.Classes[i].Name] = true
	}
	for _, n := range in.classes {
		if !sound[n.name] {
			u.mistake(n.label, "class %q cannot be worked out, and CUE does not say why", n.name).Class = n.name
		}
	}
	for _, n := range in.set.fields {
		if hasBroken(n) {
			u.mistake(n.label, "%s cannot be worked out, and CUE does not say why", n.name)
		}
	}
}

func (c *checker) checkClass(t *typ) {
	if reason, right := scalars["#ClassName"].check(&node{text: c.class}); reason != "" {
		d := c.mistake(c.root.label, "%q is not the name of a class: %s", c.class, reason)
		d.Set, d.Class = c.set, c.class
		if said := c.sources.text(c.root.label); right != "" && (said == c.class || said == strconv.Quote(c.class)) {
			d.Help = []string{right}
			d.Fix = &ir.Fix{Title: "rename it to " + right, Edits: []ir.Edit{{Span: c.root.label, Text: right}}}
		}
	}
	if c.root.kind == brokenNode {
		return
	}
	if c.root.kind != structNode {
		c.at(c.root, "", "class %q is %s: it is a struct of fields", c.class, c.root.quoted()).Help = []string{quoteName(c.class) + ": " + exampleClass}
		return
	}
	c.structure(c.root, t, "")
	c.rules()
}

func hasBroken(n *node) bool {
	if n.broken || n.incomplete || n.kind == brokenNode {
		return true
	}
	for _, f := range n.fields {
		if hasBroken(f) {
			return true
		}
	}
	for _, e := range n.elems {
		if hasBroken(e) {
			return true
		}
	}
	return false
}

// entries are the fields of a struct, none of nil.
func (n *node) entries() []*node {
	if n == nil {
		return nil
	}
	return n.fields
}

// lowerSet makes the set-level fields of a node. Whether a severity without a
// reason is lowered is the linter's to know.
func lowerSet(set *ir.Set, n *node, d *defaults) {
	set.Go = ir.GoTarget{Package: set.Name + "retry"}
	g := n.field("go")
	if g != nil {
		text(g.field("package"), &set.Go.Package)
		text(g.field("dir"), &set.Go.Dir)
	}
	if set.Go.Dir == "" {
		set.Go.Dir = set.Go.Package
	}
	for _, b := range n.field("retryBudgets").entries() {
		set.Budgets = append(set.Budgets, lowerBudget(b, b.name, d))
	}
	sort.Slice(set.Budgets, func(i, j int) bool { return set.Budgets[i].Name < set.Budgets[j].Name })
	for _, r := range n.field("lint").entries() {
		change := ir.RuleChange{Rule: r.name}
		word(r, ir.ParseSeverity, &change.Severity)
		word(r.field("severity"), ir.ParseSeverity, &change.Severity)
		text(r.field("reason"), &change.Reason)
		set.Lint = append(set.Lint, change)
	}
	sort.Slice(set.Lint, func(i, j int) bool { return set.Lint[i].Rule < set.Lint[j].Rule })
	set.Waive = lowerWaivers(n.field("waive"))
	places(&set.Spans, n, "")
}

// shareBudgets gives each class that names a shared budget the budget's numbers.
func shareBudgets(set *ir.Set) {
	for i := range set.Classes {
		b := set.Classes[i].RetryBudget
		if b == nil || b.Name == "" {
			continue
		}
		for _, shared := range set.Budgets {
			if shared.Name == b.Name {
				*b = shared
			}
		}
	}
}

// acrossClasses reports what only the classes together have wrong.
func (u *unit) acrossClasses(set *ir.Set, in found) {
	shareBudgets(set)
	names := map[string]*node{}
	for _, n := range in.classes {
		names[n.name] = n
	}
	budgets, misspelt := in.set.field("retryBudgets"), budgetsByAnotherName(in.set)
	aliases := map[string]*node{}
	for _, n := range in.classes {
		c := &checker{sources: u.sources, set: u.name, class: n.name, root: n}
		if b := n.field("retryBudget"); b != nil && b.kind == stringNode && !b.broken && budgets.field(b.text) == nil && (budgets == nil || budgets.kind == structNode && !budgets.incomplete) {
			if misspelt.field(b.text) != nil {
				drop(set, n.name) // its numbers are not known
			} else {
				c.unknownBudget(b, budgets, misspelt)
			}
		}
		if a := n.field("aliases"); a != nil && !a.broken {
			for _, e := range a.elems {
				if e.broken {
					continue
				}
				path := join("aliases", e.name)
				if other := names[e.text]; other != nil && other != n {
					d := c.at(e, path, "%q is a class of the set: an alias is a name that no class has any more", e.text)
					d.Related = append(d.Related, ir.Related{Span: other.label, Message: fmt.Sprintf("class %q", e.text)})
				} else if first := aliases[e.text]; first != nil {
					d := c.at(e, path, "%q is the alias of another class as well", e.text)
					d.Related = append(d.Related, ir.Related{Span: first.value, Message: "there"})
				} else {
					aliases[e.text] = e
				}
			}
		}
		if len(c.mistakes) > 0 {
			u.add(c.notes)
			drop(set, n.name)
		}
	}
}

func drop(set *ir.Set, name string) {
	for i := range set.Classes {
		if set.Classes[i].Name == name {
			set.Classes = append(set.Classes[:i], set.Classes[i+1:]...)
			return
		}
	}
}

// budgetsByAnotherName is the field of a set that was meant to be its
// retryBudgets, or nil.
func budgetsByAnotherName(set *node) *node {
	t := theShape().policy
	for _, f := range set.entries() {
		if t.field(f.name) == nil && f.kind == structNode {
			if m, where := (&checker{}).meant(f, set, t, ""); m == "retryBudgets" && where == "" {
				return f
			}
		}
	}
	return nil
}

func (c *checker) unknownBudget(b, budgets, misspelt *node) {
	var names []string
	for _, f := range slices.Concat(budgets.entries(), misspelt.entries()) {
		names = append(names, f.name)
	}
	if m := near(b.text, names); m != "" {
		d := c.at(b, "retryBudget", "the set has no retry budget %q; did you mean %q?", b.text, m)
		c.suggest(d, b, "retryBudget", `"`+m+`"`, true)
		return
	}
	d := c.at(b, "retryBudget", "the set has no retry budget %q", b.text)
	d.Help = []string{fmt.Sprintf("retryBudgets: %s: {ratio: 0.1}", quoteName(b.text)), "retryBudget: {ratio: 0.1}"}
	if misspelt != nil {
		d.Help = d.Help[1:] // beside it, the name would be there already
	}
}

func quoteName(s string) string {
	if isIdentifier(s) {
		return s
	}
	return `"` + s + `"`
}
