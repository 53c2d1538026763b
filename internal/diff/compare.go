package diff

import (
	"slices"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen"
)

// Options of a comparison. The functions answer what another package computes; nil
// leaves it out.
type Options struct {
	// Before and After answer how calls multiply in the two trees.
	Before, After Calls

	// Source returns the text of a file after the change, or before it, for the
	// names of shared definitions.
	Source func(file string) []byte

	// Findings lists what the linter newly says of a class, by "set.class".
	Findings map[string][]string
}

// Calls tells the most requests that one operation of a class makes along its
// calls. The class may differ from the tree's.
type Calls interface {
	Requests(*ir.Class) int
}

// Report is what changed between two states of a tree of policies.
type Report struct {
	Sets     int     // after the change
	Touched  int     // sets with changes
	Groups   []Group // the worst first
	Findings map[string][]string
}

// Group is one cause: a change of one class, or of a shared text that many follow.
type Group struct {
	Cause   string    // "shared/net.#Quick", for a shared text; "" otherwise
	ID      string    // accepts every change of the group
	Changes []*Change // all with the same values before and after
}

// differ compares two trees.
type differ struct {
	sets [2][]*ir.Set // before, after
	opt  Options
}

// Compare lists what the policies mean now that they did not mean before.
func Compare(before, after []*ir.Set, opt Options) *Report {
	d := &differ{sets: [2][]*ir.Set{before, after}, opt: opt}
	var changes []*Change
	for _, s := range after {
		old := find(before, s)
		if old == nil {
			old = &ir.Set{Name: s.Name, Go: s.Go}
		}
		changes = append(changes, d.compareSet(old, s)...)
	}
	for _, s := range before {
		if findOld(after, s) == nil {
			changes = append(changes, d.compareSet(s, &ir.Set{Name: s.Name, Go: s.Go})...)
		}
	}
	changes = append(changes, d.reached(changes)...)
	r := &Report{Sets: len(after), Groups: group(changes, opt.Source), Findings: opt.Findings}
	touched := map[string]bool{}
	for _, c := range changes {
		touched[c.Set] = true
	}
	r.Touched = len(touched)
	return r
}

// find returns the set of before that became s: of the same name, else the one of
// its folder.
func find(before []*ir.Set, s *ir.Set) *ir.Set {
	for _, b := range before {
		if b.Name == s.Name {
			return b
		}
	}
	for _, b := range before {
		if b.Dir == s.Dir && b.Dir != "" {
			return b
		}
	}
	return nil
}

func findOld(after []*ir.Set, b *ir.Set) *ir.Set {
	for _, s := range after {
		if s.Name == b.Name || s.Dir == b.Dir && b.Dir != "" {
			return s
		}
	}
	return nil
}

// measured measures a class; old says that its calls are those of the tree before.
func (d *differ) measured(c *ir.Class, old bool) *measure {
	calls := d.opt.After
	if old {
		calls = d.opt.Before
	}
	if calls == nil {
		return measured(c, nil)
	}
	return measured(c, calls.Requests)
}

// compareSet lists the changes of a set and its classes. An empty set stands for
// one that is not there.
func (d *differ) compareSet(before, after *ir.Set) []*Change {
	changes := setChanges(before, after)
	was, is := constructors(before), constructors(after)
	pairs, removed, added := match(before, after)
	for _, p := range pairs {
		p.was, p.is = was[p.before.Name], is[p.after.Name]
		if p.before.Name != p.after.Name {
			changes = append(changes, d.renamed(p))
		}
		changes = append(changes, d.compareClass(p)...)
	}
	for _, c := range removed {
		changes = append(changes, d.removed(before, after, c, was[c.Name]))
	}
	for _, c := range added {
		changes = append(changes, d.added(before, after, c))
	}
	return changes
}

func constructors(s *ir.Set) map[string]gen.Constructor {
	out := map[string]gen.Constructor{}
	for i, k := range gen.Constructors(s) {
		out[s.Classes[i].Name] = k
	}
	return out
}

// match pairs the classes of two states of a set: by name, by alias, and last by
// the operation, which a renamed class keeps.
func match(before, after *ir.Set) (pairs []*pair, removed, added []*ir.Class) {
	taken := map[string]bool{}
	var rest []*ir.Class
	for i := range after.Classes {
		c := &after.Classes[i]
		if b := before.Class(c.Name); b != nil {
			pairs = append(pairs, &pair{before: b, after: c})
			taken[b.Name] = true
			continue
		}
		rest = append(rest, c)
	}
	former := func(c *ir.Class) *ir.Class {
		for i := range before.Classes {
			b := &before.Classes[i]
			if !taken[b.Name] && slices.Contains(c.Aliases, b.Name) {
				return b
			}
		}
		var same *ir.Class
		for i := range before.Classes {
			b := &before.Classes[i]
			if taken[b.Name] || b.Op != c.Op {
				continue
			}
			if same != nil {
				return nil // two could have become it: neither did for certain
			}
			same = b
		}
		return same
	}
	for _, c := range rest {
		if b := former(c); b != nil {
			pairs = append(pairs, &pair{before: b, after: c})
			taken[b.Name] = true
			continue
		}
		added = append(added, c)
	}
	for i := range before.Classes {
		if b := &before.Classes[i]; !taken[b.Name] {
			removed = append(removed, b)
		}
	}
	slices.SortFunc(pairs, func(a, b *pair) int { return strings.Compare(a.after.Name, b.after.Name) })
	return pairs, removed, added
}
