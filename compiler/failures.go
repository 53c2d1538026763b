package compiler

import (
	"strings"

	"cuelang.org/go/cue"
)

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
		if strings.HasPrefix(name, "_retryc") {
			continue
		}
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
