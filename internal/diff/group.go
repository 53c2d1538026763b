package diff

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
)

// group puts changes of one cause together, the worst first: one shared text that
// forty classes follow is one thing to read.
func group(changes []*Change, source func(string) []byte) []Group {
	type cause struct {
		field, before, after, file string
		offset                     int
	}
	index := map[cause]int{}
	var groups []Group
	for _, c := range changes {
		at := c.At
		if at.IsZero() {
			at = c.Was
		}
		key := cause{c.Field, c.Before, c.After, at.File, at.Start.Offset}
		if i, ok := index[key]; ok && shareable(c) && !at.IsZero() {
			groups[i].Changes = append(groups[i].Changes, c)
			continue
		}
		index[key] = len(groups)
		groups = append(groups, Group{Changes: []*Change{c}})
	}
	for i := range groups {
		groups[i].finish(source)
	}
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.risk(), a.risk()), strings.Compare(a.Changes[0].Name(), b.Changes[0].Name()))
	})
	return groups
}

// shareable reports whether a change can be one of several effects of a text.
func shareable(c *Change) bool { return c.Class != "" && c.Field != "class" && !c.Waiver }

func (g *Group) finish(source func(string) []byte) {
	slices.SortFunc(g.Changes, func(a, b *Change) int { return strings.Compare(a.Name(), b.Name()) })
	g.ID = g.Changes[0].ID
	if len(g.Changes) == 1 {
		return
	}
	first := g.Changes[0]
	at := first.At
	if at.IsZero() {
		at = first.Was
	}
	g.Cause = path.Dir(at.File)
	if g.Cause == "." {
		g.Cause = path.Base(at.File)
	}
	// The id must not depend on the folder that the diff is run in: it names the set,
	// or says that several share the text.
	owner := first.Set
	for _, c := range g.Changes {
		if c.Set != owner {
			owner = "shared"
			break
		}
	}
	if source != nil {
		if name := definition(source(at.File), at.Start.Line); name != "" {
			g.Cause += "." + name
			owner += "." + name
		}
	}
	h := sha256.New()
	for _, c := range g.Changes {
		fmt.Fprintln(h, c.ID)
	}
	g.ID = owner + "/" + first.Kind + "/" + hex.EncodeToString(h.Sum(nil)[:3])
}

// definition is the name of the top-level field that a line stands in: the last
// label at the start of a line, from there upwards.
func definition(text []byte, line int) string {
	lines := bytes.Split(text, []byte("\n"))
	for i := min(line, len(lines)) - 1; i >= 0; i-- {
		if m := topLabel.FindSubmatch(lines[i]); m != nil {
			return string(m[1])
		}
	}
	return ""
}

var topLabel = regexp.MustCompile(`^(_?#?[A-Za-z][\w-]*)[?!]?:`)

// Harms are the worst of the group, each with the class that it is read from.
func (g *Group) Harms() (Harms, [4]*Change) {
	var worst Harms
	var from [4]*Change
	for i := range worst {
		from[i] = g.Changes[0]
		worst[i] = g.Changes[0].Harms[i]
		for _, c := range g.Changes[1:] {
			if c.Harms[i].Direction > worst[i].Direction {
				worst[i], from[i] = c.Harms[i], c
			}
		}
	}
	return worst, from
}

// API is the worst effect of the group.
func (g *Group) API() API {
	worst := g.Changes[0].API
	for _, c := range g.Changes[1:] {
		if c.API.Effect > worst.Effect {
			worst = c.API
		}
	}
	return worst
}

// Accepted is who accepts every change of the group; "" nobody.
func (g *Group) Accepted() string {
	for _, c := range g.Changes {
		if c.Accepted == "" {
			return ""
		}
	}
	return g.Changes[0].Accepted
}

// risk orders groups: what compiles and means something else first, then what
// breaks or loses, then the rest.
func (g *Group) risk() int {
	harms, _ := g.Harms()
	risk := 0
	if g.API().Effect == Silent {
		risk += 1000
	}
	for i, weight := range [4]int{Load: 40, Duplicates: 160, LostWork: 80, Waiting: 10} {
		switch harms[i].Direction {
		case Up:
			risk += 2 * weight
		case Unknown:
			risk += weight / 2
		case Down:
			risk++
		}
	}
	if g.API().Effect == Breaks {
		risk += 100
	}
	if g.Changes[0].Waiver {
		risk += 60
	}
	if g.Changes[0].Trivial {
		risk = -1
	}
	return risk
}

// Span is where the group is read in the new state, and in the old one where it is
// gone.
func (g *Group) Span() ir.Span {
	if at := g.Changes[0].At; !at.IsZero() {
		return at
	}
	return g.Changes[0].Was
}
