package lint

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
)

// Baseline lists findings that were there on the day a team began: they no
// longer fail a run, new ones do. A finding is known by its rule, its class and
// its field, so that it may move within its file; one that has become graver is
// new. The fields of findings are to be made Stable first.
type Baseline struct {
	entries map[baselineKey]ir.Severity
}

type baselineKey struct{ Rule, Set, Class, Field string }

// BaselineEntry is one finding of a baseline.
type BaselineEntry struct {
	Rule, Set, Class, Field string
	Severity                ir.Severity
}

func keyOf(d *ir.Diagnostic) baselineKey { return baselineKey{d.Rule, d.Set, d.Class, d.Field} }

// baselined reports whether a rule's findings may enter a baseline: mistakes,
// drift and final rules may not.
func baselined(rule string) bool {
	r := Find(rule)
	return r != nil && !r.Final
}

// baselineFile is how a baseline is stored: one finding a line, so that two
// branches that shrink it merge.
type baselineFile struct {
	Version  int               `json:"version"`
	Findings []json.RawMessage `json:"findings"`
}

type baselineLine struct {
	Rule     string `json:"rule"`
	Set      string `json:"set"`
	Class    string `json:"class,omitempty"`
	Field    string `json:"field,omitempty"`
	Severity string `json:"severity"`
}

// ReadBaseline reads a baseline file. An entry of a rule that is no longer
// known, or may not be there, is an error: it was written by a newer version, or
// by hand.
func ReadBaseline(text []byte) (*Baseline, error) {
	var f baselineFile
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("not a baseline: %w", plainly(err, "an object with version and findings"))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("not a baseline: text follows its end")
	}
	if f.Version != 1 {
		return nil, fmt.Errorf("baseline version %d is not 1; write it anew with lint --write-baseline", f.Version)
	}
	b := &Baseline{entries: map[baselineKey]ir.Severity{}}
	for i, raw := range f.Findings {
		var l baselineLine
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		if err := d.Decode(&l); err != nil {
			return nil, fmt.Errorf("finding %d of the baseline: %w", i+1, plainly(err, "an object with rule, set and severity"))
		}
		severity, ok := ir.ParseSeverity(l.Severity)
		switch {
		case Find(l.Rule) == nil:
			return nil, fmt.Errorf("finding %d of the baseline: no rule is called %q", i+1, l.Rule)
		case !baselined(l.Rule):
			return nil, fmt.Errorf("finding %d of the baseline: %s cannot be in a baseline", i+1, l.Rule)
		case !ok:
			return nil, fmt.Errorf("finding %d of the baseline: %q is not a severity; one of info, warning, error", i+1, l.Severity)
		case l.Set == "":
			return nil, fmt.Errorf("finding %d of the baseline names no set", i+1)
		}
		k := baselineKey{l.Rule, l.Set, l.Class, l.Field}
		b.entries[k] = max(b.entries[k], severity)
	}
	return b, nil
}

// plainly words an error about JSON without the types of this program.
func plainly(err error, want string) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	kind, _, _ := strings.Cut(wrong.Value, " ") // "number 1.5"
	what := map[string]string{"array": "a list", "string": "a text", "bool": "true or false", "number": "a number", "object": "an object"}[kind]
	if wrong.Field != "" {
		return fmt.Errorf("%s is %s", wrong.Field, what)
	}
	return fmt.Errorf("%s where %s belongs", what, want)
}

// Bytes is the baseline's file: the same for the same findings.
func (b *Baseline) Bytes() []byte {
	var out strings.Builder
	out.WriteString("{\n  \"version\": 1,\n  \"findings\": [")
	for i, e := range b.Entries() {
		line, err := json.Marshal(baselineLine{e.Rule, e.Set, e.Class, e.Field, e.Severity.String()})
		if err != nil {
			panic(err) // strings alone always encode
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n    ")
		out.Write(line)
	}
	if len(b.entries) > 0 {
		out.WriteString("\n  ")
	}
	out.WriteString("]\n}\n")
	return []byte(out.String())
}

// Entries lists the findings by set, class, field and rule.
func (b *Baseline) Entries() []BaselineEntry {
	out := make([]BaselineEntry, 0, len(b.entries))
	for k, s := range b.entries {
		out = append(out, BaselineEntry{k.Rule, k.Set, k.Class, k.Field, s})
	}
	slices.SortFunc(out, func(x, y BaselineEntry) int {
		return cmp.Or(cmp.Compare(x.Set, y.Set), cmp.Compare(x.Class, y.Class), cmp.Compare(x.Field, y.Field), cmp.Compare(x.Rule, y.Rule))
	})
	return out
}

// Write returns the baseline after a run that found these: what it holds of the
// sets that ran is replaced by the findings of that severity and above, what it
// holds of others stays. A nil baseline is an empty one.
func (b *Baseline) Write(found []ir.Diagnostic, atLeast ir.Severity, ran func(set string) bool) *Baseline {
	out := &Baseline{entries: map[baselineKey]ir.Severity{}}
	if b != nil {
		for k, s := range b.entries {
			if !ran(k.Set) {
				out.entries[k] = s
			}
		}
	}
	for i := range found {
		d := &found[i]
		if baselined(d.Rule) && d.Severity >= atLeast && ran(d.Set) {
			out.entries[keyOf(d)] = max(out.entries[keyOf(d)], d.Severity)
		}
	}
	return out
}

// Knows reports whether the baseline has a finding, at no lesser severity.
func (b *Baseline) Knows(d *ir.Diagnostic) bool {
	return b != nil && baselined(d.Rule) && d.Severity != 0 && b.entries[keyOf(d)] >= d.Severity
}

// Gone lists what the baseline holds of the sets that ran and these findings,
// the waived ones left out, no longer show.
func (b *Baseline) Gone(found []ir.Diagnostic, ran func(set string) bool) []BaselineEntry {
	if b == nil {
		return nil
	}
	here := map[baselineKey]bool{}
	for i := range found {
		here[keyOf(&found[i])] = true
	}
	var out []BaselineEntry
	for _, e := range b.Entries() {
		if ran(e.Set) && !here[baselineKey{e.Rule, e.Set, e.Class, e.Field}] {
			out = append(out, e)
		}
	}
	return out
}
