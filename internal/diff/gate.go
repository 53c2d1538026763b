package diff

import (
	"fmt"
	"slices"
	"strings"
)

// Gates are the words that --fail-on-rise takes.
var Gates = []string{"load", "duplicates", "lost-work", "waiting", "waivers", "api"}

// ParseGates reads a list of gates, of which "any" stands for all. The error names
// the word that is none.
func ParseGates(text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	var out []string
	for w := range strings.SplitSeq(text, ",") {
		w = strings.TrimSpace(w)
		switch {
		case w == "any":
			return slices.Clone(Gates), nil
		case slices.Contains(Gates, w):
			out = append(out, w)
		default:
			return nil, fmt.Errorf("%q is no harm: %s or any", w, strings.Join(Gates, ", "))
		}
	}
	return out, nil
}

// Rises lists the gates that a change needs acceptance for.
func (c *Change) Rises() []string {
	var out []string
	for i, h := range c.Harms {
		if h.Direction == Up {
			out = append(out, strings.ReplaceAll(Names[i], " ", "-"))
		}
	}
	if c.Waiver {
		out = append(out, "waivers")
	}
	if c.API.Effect != OK {
		out = append(out, "api")
	}
	return out
}

// Accept marks the changes that ids accept, by who says so, and returns the ids
// that fit no change.
func (r *Report) Accept(ids, by []string) (unused []int) {
	for i, id := range ids {
		fits := false
		for g := range r.Groups {
			for _, c := range r.Groups[g].Changes {
				if c.ID == id || r.Groups[g].ID == id {
					c.Accepted, fits = by[i], true
				}
			}
		}
		if !fits {
			unused = append(unused, i)
		}
	}
	return unused
}

// Open lists, of the gates, those that a change rises which nobody has accepted,
// and the groups that hold such a change.
func (r *Report) Open(gates []string) (risen []string, groups []*Group) {
	for i := range r.Groups {
		g := &r.Groups[i]
		open := false
		for _, c := range g.Changes {
			if c.Accepted != "" {
				continue
			}
			for _, rise := range c.Rises() {
				if slices.Contains(gates, rise) {
					open = true
					if !slices.Contains(risen, rise) {
						risen = append(risen, rise)
					}
				}
			}
		}
		if open {
			groups = append(groups, g)
		}
	}
	slices.SortFunc(risen, func(a, b string) int { return slices.Index(Gates, a) - slices.Index(Gates, b) })
	return risen, groups
}

// Changes counts the changes.
func (r *Report) Changes() int {
	n := 0
	for _, g := range r.Groups {
		n += len(g.Changes)
	}
	return n
}
