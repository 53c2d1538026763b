package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
)

// Checked is one state of the policies: what compiling and linting them gave.
type Checked struct {
	Sets     []*ir.Set       // all that were compiled: those that are linted, then others
	Mistakes []ir.Diagnostic // of all of them, and what compiling them warned of
	Results  Results
}

// Mending says how Mend looks at policies. It writes nothing.
type Mending struct {
	// Source returns the text of a file by the name in spans.
	Source func(name string) []byte

	// Check compiles and lints the policies with these texts in place of the
	// files of the same names. Sets that read none of the files may be returned
	// as they were.
	Check func(files map[string][]byte) (*Checked, error)

	// Known tells the findings that are accepted as they are. Nil: none.
	Known func(*ir.Diagnostic) bool
}

// Mended is what Mend has done: Files and Applied, and what it left.
type Mended struct {
	Fixed
	Before, After *Checked
	Refused       []Refused
}

// Refused is a finding whose fix is no fix here.
type Refused struct {
	ir.Diagnostic
	Why string // a phrase
}

// Mend applies the fixes that hold: the policies are compiled and linted with
// them, and a fix stays only if what it mends is gone and meant as the finding
// asked, nothing new is wrong or found, and no class means anything else but
// those that asked for it, in the field that they asked about. So no waiver that
// is needed becomes idle, to be taken out next. It goes on until no fix is left.
func Mend(m Mending) (*Mended, error) {
	first, err := m.Check(nil)
	if err != nil {
		return nil, err
	}
	w := &mender{Mending: m, state: first, refused: map[findingKey]bool{}}
	w.out = &Mended{Before: first, Fixed: Fixed{Files: map[string][]byte{}}}
	for {
		open := w.candidates()
		if len(open) == 0 {
			break
		}
		if err := w.round(open); err != nil {
			return nil, err
		}
	}
	w.out.After = w.state
	return w.out, nil
}

type mender struct {
	Mending
	state   *Checked // as the files in out are
	refused map[findingKey]bool
	out     *Mended
}

// candidate is one set of edits, with all the findings that it mends.
type candidate struct {
	edits []ir.Edit
	found []ir.Diagnostic
}

// findingKey is what a finding is about, wherever it stands.
type findingKey struct{ rule, set, class, field string }

func aboutOf(d *ir.Diagnostic) findingKey { return findingKey{d.Rule, d.Set, d.Class, d.Field} }

// candidates are the fixes not yet tried, by place, so that halves of them lie
// in few files.
func (w *mender) candidates() []candidate {
	var out []candidate
	for _, d := range w.state.Results.Findings {
		if d.Fix == nil || w.refused[aboutOf(&d)] || w.Known != nil && w.Known(&d) {
			continue
		}
		at := slices.IndexFunc(out, func(c candidate) bool { return slices.Equal(c.edits, d.Fix.Edits) })
		if at < 0 {
			at = len(out)
			out = append(out, candidate{edits: d.Fix.Edits})
		}
		out[at].found = append(out[at].found, d)
	}
	return out
}

func (w *mender) refuse(d ir.Diagnostic, why string) {
	if !w.refused[aboutOf(&d)] {
		w.refused[aboutOf(&d)] = true
		w.out.Refused = append(w.out.Refused, Refused{d, why})
	}
}

// source is the text as it is now.
func (w *mender) source(name string) []byte {
	if text, ok := w.out.Files[name]; ok {
		return text
	}
	return w.Source(name)
}

// round tries the candidates that do not meet. Those that do are candidates
// again in the next one, with spans of the text as it then is.
func (w *mender) round(open []candidate) error {
	taken := map[string][]ir.Edit{}
	var apart []candidate
	for _, c := range open {
		if !fits(c.edits, taken, w.source) {
			if len(apart) == 0 { // nothing is taken: it does not fit its own file
				for _, d := range c.found {
					w.refuse(d, "its place is not in its file")
				}
			}
			continue
		}
		for _, e := range c.edits {
			taken[e.Span.File] = append(taken[e.Span.File], e)
		}
		apart = append(apart, c)
	}
	r := &attempt{mender: w, before: w.state, after: w.state}
	if err := r.keep(apart); err != nil {
		return err
	}
	for name, text := range r.files {
		w.out.Files[name] = text
	}
	for _, c := range r.kept {
		w.out.Applied = append(w.out.Applied, c.found...)
	}
	w.state = r.after
	return nil
}

// attempt is one round: what was kept of it so far, and the state that gives.
type attempt struct {
	*mender
	before, after *Checked
	kept          []candidate
	files         map[string][]byte
}

// keep keeps as many of the candidates as hold together: all, or, where they do
// not, what holds of either half.
func (r *attempt) keep(some []candidate) error {
	if len(some) == 0 {
		return nil
	}
	all := slices.Concat(r.kept, some)
	var found []ir.Diagnostic
	for _, c := range all {
		found = append(found, c.found...)
	}
	fixed := ApplyFixes(found, r.source)
	files := map[string][]byte{}
	for name, text := range r.out.Files {
		files[name] = text
	}
	for name, text := range fixed.Files {
		files[name] = text
	}
	after, err := r.Check(files)
	if err != nil {
		return err
	}
	why := holds(r.before, after, found)
	switch {
	case why == "":
		r.kept, r.after, r.files = all, after, fixed.Files
		return nil
	case len(some) == 1:
		for _, d := range some[0].found {
			r.refuse(d, why)
		}
		return nil
	}
	half := len(some) / 2
	if err := r.keep(some[:half]); err != nil {
		return err
	}
	return r.keep(some[half:])
}

// holds says why fixes are none, or nothing where they are.
func holds(before, after *Checked, fixed []ir.Diagnostic) string {
	if d := news(before.Mistakes, after.Mistakes, func(d *ir.Diagnostic) mistakeKey {
		return mistakeKey{d.Severity, d.Set, d.Class, d.Message}
	}); d != nil {
		return "with it the policy has a mistake: " + d.Message
	}
	if why := unasked(before.Sets, after.Sets, fixed); why != "" {
		return why
	}
	was, is := before.Results, after.Results
	for _, pair := range [][2][]ir.Diagnostic{{was.Findings, is.Findings}, {was.all(), is.all()}} {
		if d := graver(pair[0], pair[1]); d != nil {
			return fmt.Sprintf("with it %s is found: %s", d.Rule, d.Message)
		}
	}
	if d := news(was.Mistakes, is.Mistakes, aboutOf); d != nil {
		return "with it the policy has a mistake: " + d.Message
	}
	left := map[findingKey]bool{}
	for _, d := range is.all() {
		left[aboutOf(&d)] = true
	}
	classes := classesOf(after.Sets)
	for i := range fixed {
		d := &fixed[i]
		if left[aboutOf(d)] {
			return "with it " + d.Rule + " is found all the same"
		}
		rule := Find(d.Rule)
		if rule == nil || rule.Mended == nil {
			continue
		}
		c := classes[className{d.Set, d.Class}]
		if c == nil || !rule.Mended(bare(c), d.Field) {
			return "with it " + strings.TrimPrefix(d.Field, "outcome.") + " means something else than the finding asks for"
		}
	}
	return ""
}

type mistakeKey struct {
	severity            ir.Severity
	set, class, message string
}

// graver is the first finding after that is new or has become graver. That a
// severity was lowered for what is mended now is no harm of the fix.
func graver(before, after []ir.Diagnostic) *ir.Diagnostic {
	after = slices.DeleteFunc(slices.Clone(after), func(d ir.Diagnostic) bool {
		return d.Rule == waiverUnused.ID && strings.HasPrefix(d.Field, "lint.")
	})
	if d := news(before, after, aboutOf); d != nil {
		return d
	}
	worst := map[findingKey]ir.Severity{}
	for i := range before {
		worst[aboutOf(&before[i])] = max(worst[aboutOf(&before[i])], before[i].Severity)
	}
	for i := range after {
		if after[i].Severity > worst[aboutOf(&after[i])] {
			return &after[i]
		}
	}
	return nil
}

// all are the findings, those that a waiver accepts too.
func (r *Results) all() []ir.Diagnostic {
	out := slices.Clone(r.Findings)
	for i := range r.Waived {
		out = append(out, r.Waived[i].Diagnostic)
	}
	return out
}

// news is the first of those after that there were fewer of before.
func news[K comparable](before, after []ir.Diagnostic, key func(*ir.Diagnostic) K) *ir.Diagnostic {
	n := map[K]int{}
	for i := range before {
		n[key(&before[i])]++
	}
	for i := range after {
		if n[key(&after[i])]--; n[key(&after[i])] < 0 {
			return &after[i]
		}
	}
	return nil
}

type className struct{ set, class string }

func (n className) String() string {
	if n.class == "" {
		return "the set " + n.set
	}
	return n.set + "." + n.class
}

func classesOf(sets []*ir.Set) map[className]*ir.Class {
	out := map[className]*ir.Class{}
	for _, s := range sets {
		for i := range s.Classes {
			if n := (className{s.Name, s.Classes[i].Name}); out[n] == nil { // of two sets of one name the first counts
				out[n] = &s.Classes[i]
			}
		}
	}
	return out
}

// unasked names a class or set that means something else than before where no
// finding asked for it.
func unasked(before, after []*ir.Set, fixed []ir.Diagnostic) string {
	asked := map[className][]string{}
	for i := range fixed {
		n := className{fixed[i].Set, fixed[i].Class}
		asked[n] = append(asked[n], fixed[i].Field)
	}
	was, is := map[string]*ir.Set{}, map[string]*ir.Set{}
	for _, s := range before {
		was[s.Dir] = s
	}
	for _, s := range after {
		is[s.Dir] = s
	}
	for _, s := range before {
		if is[s.Dir] == nil {
			return "with it the set " + s.Name + " is gone"
		}
	}
	for _, s := range after {
		old := was[s.Dir]
		if old == s {
			continue // it reads none of the files that were changed
		}
		if old == nil {
			return "with it there is a new set " + s.Name
		}
		var bad []string
		note := func(n className, fields []string) {
			for _, f := range fields {
				if !slices.ContainsFunc(asked[n], func(a string) bool { return reaches(a, f) }) {
					bad = append(bad, fmt.Sprintf("it would change %s, too (%s)", n, f))
				}
			}
		}
		note(className{set: s.Name}, changedInSet(old, s))
		classes := classesOf([]*ir.Set{s})
		for i := range old.Classes {
			a, n := &old.Classes[i], className{s.Name, old.Classes[i].Name}
			b := classes[n]
			if b == nil {
				return "with it " + n.String() + " is gone"
			}
			note(n, changed(a, b))
		}
		if len(s.Classes) > len(old.Classes) {
			return "with it there are new classes"
		}
		if len(bad) > 0 {
			return slices.MinFunc(bad, cmp.Compare)
		}
	}
	return ""
}

// reaches reports whether a finding about one field asks for a change of the
// other: the same, one within it, or the group it belongs to.
func reaches(asked, changed string) bool {
	return asked == changed || strings.HasPrefix(changed, asked+".") || strings.HasPrefix(asked, changed+".")
}
