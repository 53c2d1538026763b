package report

import (
	"fmt"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/diff"
)

// DiffText writes a diff of policies for people: a block a change, the worst
// first.
func DiffText(w io.Writer, r *diff.Report, colored bool) error {
	p := &printer{w: w}
	paint := painter(colored)
	trivial := false
	told := map[string]bool{}
	for i := range r.Groups {
		g := &r.Groups[i]
		c := g.Changes[0]
		if c.Trivial {
			trivial = true
			p.printf("%s\n", plain(heading(g)))
			continue
		}
		if i > 0 && !trivial {
			p.printf("\n")
		}
		place := placeOf(g)
		title := plain(heading(g))
		p.printf("%s%s%s\n", paint(bold, title), strings.Repeat(" ", max(2, 68-utf8.RuneCountInString(title))), place)
		diffBody(p, r, g, told, paint)
	}
	return p.err
}

func diffBody(p *printer, r *diff.Report, g *diff.Group, told map[string]bool, paint func(color, string) string) {
	c := g.Changes[0]
	line := func(name, word, text string) {
		p.printf("%s\n", strings.TrimRight(fmt.Sprintf("  %-10s  %-5s  %s", name, word, plain(text)), " "))
	}
	api := g.API()
	if api.Effect == diff.Silent {
		line("Go API", api.Effect.String(), api.Text)
	}
	if c.NoEffect != "" && len(g.Changes) == 1 {
		line("no effect", "", c.NoEffect)
	} else if !c.Waiver && c.Class != "" && !strings.HasPrefix(c.Field, "waive.") {
		harms, from := g.Harms()
		for i, h := range harms {
			text := h.Text
			if len(g.Changes) > 1 && h.Direction != diff.Same {
				text += " (" + from[i].Name() + ")"
			}
			line(diff.Names[i], words[h.Direction], text)
		}
		if idle := idle(g); len(idle) > 0 {
			line("no effect", "", some(idle))
		}
	}
	if c.Class != "" && !strings.HasPrefix(c.Field, "waive.") {
		line("rows", "", c.Rows)
	}
	if api.Effect != diff.Silent {
		line("Go API", api.Effect.String(), api.Text)
	}
	if len(g.Changes) > 1 {
		line("classes", "", some(names(g)))
	}
	said := map[string]int{}
	var order []string
	for _, each := range g.Changes {
		if told[each.Name()] {
			continue
		}
		told[each.Name()] = true
		for _, f := range r.Findings[each.Name()] {
			if said[f]++; said[f] == 1 {
				order = append(order, f)
			}
		}
	}
	for _, f := range order {
		line("findings", fmt.Sprintf("+%d", said[f]), f)
	}
	line("id", "", g.ID)
	if by := g.Accepted(); by != "" {
		line("accepted", "", "by "+by)
	}
}

// words are the directions in a column; what cannot be known is a question mark.
var words = map[diff.Direction]string{diff.Same: "same", diff.Up: "up", diff.Down: "down", diff.Unknown: "?"}

// idle lists the classes of a group that nothing reaches.
func idle(g *diff.Group) []string {
	var out []string
	if len(g.Changes) == 1 {
		return nil
	}
	for _, c := range g.Changes {
		if c.NoEffect != "" {
			out = append(out, c.Name())
		}
	}
	return out
}

// some lists a few names, and counts the rest.
func some(names []string) string {
	const few = 12
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}

func names(g *diff.Group) []string {
	out := make([]string, len(g.Changes))
	for i, c := range g.Changes {
		out[i] = c.Name()
	}
	return out
}

// heading is the first line of a group.
func heading(g *diff.Group) string {
	c := g.Changes[0]
	name := c.Name()
	if g.Cause != "" {
		name = g.Cause
	}
	return name + ": " + c.Title()
}

// placeOf says where the value is, and was.
func placeOf(g *diff.Group) string {
	c := g.Changes[0]
	var text string
	switch {
	case c.At.IsZero() && c.Was.IsZero():
		return ""
	case c.At.IsZero():
		text = "was " + spot(c.Was)
	case c.Was.IsZero():
		text = spot(c.At)
	case c.Was.File == c.At.File:
		text = fmt.Sprintf("%s (was %d:%d)", spot(c.At), c.Was.Start.Line, c.Was.Start.Column)
	default:
		text = fmt.Sprintf("%s (was %s)", spot(c.At), spot(c.Was))
	}
	if n := len(g.Changes); n > 1 {
		text += fmt.Sprintf("; %d classes", n)
	}
	return text
}

func spot(s ir.Span) string {
	return fmt.Sprintf("%s:%d:%d", path.Clean(s.File), s.Start.Line, s.Start.Column)
}
