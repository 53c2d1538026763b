package diff

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/retryc/retryc/compiler/ir"
)

// drawClass draws a class that the compiler would accept, near enough: what a
// diff computes must hold for all of them.
func drawClass(t *rapid.T) ir.Class {
	seconds := func(name string, most int) time.Duration {
		return time.Duration(rapid.IntRange(1, most).Draw(t, name)) * time.Second
	}
	c := ir.Class{
		Set: "p", Name: "c",
		Op:             ir.Operation{Kind: ir.HTTP, Text: rapid.SampledFrom([]string{"GET h/a", "POST h/a", "PUT h/{x}", "DELETE /{r...}"}).Draw(t, "op")},
		Attempts:       rapid.IntRange(1, 9).Draw(t, "attempts"),
		AttemptTimeout: rapid.SampledFrom([]time.Duration{0, time.Second, time.Minute}).Draw(t, "timeout"),
		Deadline:       ir.Deadline{Within: seconds("within", 9000)},
		Backoff: ir.Backoff{
			Base: seconds("base", 9), Factor: rapid.Float64Range(1, 4).Draw(t, "factor"), Cap: seconds("cap", 900),
			Jitter: ir.Jitter(rapid.IntRange(0, 3).Draw(t, "jitter")),
		},
		Effect:     ir.Effect(rapid.IntRange(0, 2).Draw(t, "effect")),
		Duplicates: ir.Duplicates(rapid.IntRange(0, 1).Draw(t, "duplicates")),
		RetryAfter: ir.RetryAfter{Mode: ir.RetryAfterMode(rapid.IntRange(0, 3).Draw(t, "mode")), Max: seconds("max", 90)},
		Audience:   ir.Audience(rapid.IntRange(0, 1).Draw(t, "audience")),
		Nested:     ir.Nested(rapid.IntRange(0, 1).Draw(t, "nested")),
	}
	c.Backoff.Cap = max(c.Backoff.Cap, c.Backoff.Base)
	if rapid.Bool().Draw(t, "keyed") {
		c.Idempotency = ir.Idempotency{
			Source: ir.KeyFromFields, Fields: rapid.SampledFrom([][]string{{"a"}, {"a", "b"}, {"b", "a"}}).Draw(t, "fields"),
			Header: "Idempotency-Key", KeptFor: rapid.SampledFrom([]time.Duration{0, time.Minute, 24 * time.Hour}).Draw(t, "kept"),
		}
	}
	if rapid.Bool().Draw(t, "rule") {
		c.Outcome = []ir.OutcomeRule{{On: rapid.SampledFrom([]string{"404", "503", "5xx", "timeout"}).Draw(t, "on"), Then: ir.Outcome(rapid.IntRange(0, 4).Draw(t, "then"))}}
	}
	if rapid.Bool().Draw(t, "budget") {
		c.RetryBudget = &ir.Budget{Ratio: 0.1, Floor: float64(rapid.IntRange(0, 5).Draw(t, "floor"))}
	}
	return c
}

func setOfClass(c ir.Class) []*ir.Set {
	return []*ir.Set{{Name: "p", Dir: "p", Go: ir.GoTarget{Package: "pretry", Dir: "pretry"}, Classes: []ir.Class{c}}}
}

// Nothing differs from itself.
func TestSameIsNoChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawClass(t)
		if r := Compare(setOfClass(c), setOfClass(c), Options{}); len(r.Groups) != 0 {
			t.Fatalf("%s changed to itself", r.Groups[0].Changes[0].Title())
		}
	})
}

// Any two classes that differ in a value show a change, and each change has an id
// of its own, the same each time.
func TestChangesAreShown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := drawClass(t), drawClass(t)
		differ := false
		for i := range fields {
			differ = differ || fields[i].value(&x) != fields[i].value(&y)
		}
		r := Compare(setOfClass(x), setOfClass(y), Options{})
		if differ && len(r.Groups) == 0 {
			t.Fatal("a value differs, and no change is shown")
		}
		again := Compare(setOfClass(x), setOfClass(y), Options{})
		seen := map[string]bool{}
		for i, g := range r.Groups {
			for k, c := range g.Changes {
				if seen[c.ID] {
					t.Fatalf("two changes are called %s", c.ID)
				}
				seen[c.ID] = true
				if again.Groups[i].Changes[k].ID != c.ID {
					t.Fatalf("the id of %s is not the same twice", c.Title())
				}
				if m := mirror(mirror(c.Kind)); m != c.Kind {
					t.Fatalf("the mirror of the mirror of %s is %s", c.Kind, m)
				}
			}
		}
	})
}

// A rise of the whole class is never hidden: some change of it shows the rise.
func TestNoRiseIsHidden(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := drawClass(t), drawClass(t)
		y.Op = x.Op // what another pattern does is weighed apart
		total := compare(measured(&x, nil), measured(&y, nil))
		r := Compare(setOfClass(x), setOfClass(y), Options{})
		for i, h := range total {
			if h.Direction != Up {
				continue
			}
			shown := false
			for _, g := range r.Groups {
				for _, c := range g.Changes {
					shown = shown || c.Harms[i].Direction == Up && strings.Contains(c.Harms[i].Text, h.Text)
				}
			}
			if !shown {
				t.Fatalf("%s rises (%s), and no change shows it in full", Names[i], h.Text)
			}
		}
	})
}

// What was accepted in one state of a class does not cover another: the id changes
// with every value of the class, and a comment or an owner hides nothing.
func TestAcceptanceCoversWhatWasSeen(t *testing.T) {
	base := ir.Class{
		Set: "p", Name: "c", Op: ir.Operation{Kind: ir.HTTP, Text: "GET h/a"}, Attempts: 3, AttemptTimeout: time.Second,
		Deadline: ir.Deadline{Within: time.Second}, Backoff: ir.Backoff{Base: time.Second, Factor: 2, Cap: 5 * time.Second, Jitter: ir.NoJitter},
	}
	find := func(r *Report, field string) *Change {
		for _, g := range r.Groups {
			for _, c := range g.Changes {
				if c.Field == field {
					return c
				}
			}
		}
		t.Fatalf("no change of %s", field)
		return nil
	}
	longer := base
	longer.Deadline.Within = 5 * time.Minute
	alone := find(Compare(setOfClass(base), setOfClass(longer), Options{}), "deadline.within")
	more := longer
	more.Attempts = 9
	r := Compare(setOfClass(base), setOfClass(more), Options{})
	both := find(r, "deadline.within")
	if alone.ID == both.ID {
		t.Errorf("%s covers more attempts than were seen", alone.ID)
	}
	for _, field := range []string{"deadline.within", "attempts"} {
		if c := find(r, field); c.Harms[Load].Direction != Up || !strings.Contains(c.Harms[Load].Text, "2 -> 9 requests") || c.NoEffect != "" {
			t.Errorf("%s: load %s: %s (%s)", field, c.Harms[Load].Direction, c.Harms[Load].Text, c.NoEffect)
		}
	}

	retried := base
	retried.Deadline.Within = time.Minute
	quiet := retried
	retried.Outcome = []ir.OutcomeRule{{On: "500", Then: ir.Retry}}
	retried.Doc, retried.Owner = "another text", "somebody"
	if c := find(Compare(setOfClass(quiet), setOfClass(retried), Options{}), "outcome.500"); c.Harms[Waiting].Direction != Up {
		t.Errorf("a comment hides that waiting rises: %s", c.Harms[Waiting].Text)
	}

	// A POST that becomes repeatable makes requests that it did not make.
	post := quiet
	post.Op.Text, post.Effect = "POST h/a", ir.NonIdempotent
	claimed := post
	claimed.Effect = ir.Idempotent
	if c := find(Compare(setOfClass(post), setOfClass(claimed), Options{}), "effect"); c.Harms[Load].Direction != Up || c.Harms[Waiting].Direction != Up {
		t.Errorf("effect: load %s, waiting %s", c.Harms[Load].Direction, c.Harms[Waiting].Direction)
	}
}

// Copying every field makes one class the other: no field is forgotten when a
// change is looked at alone.
func TestFieldsCopy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := drawClass(t), drawClass(t)
		for i := range fields {
			fields[i].copy(&x, &y)
		}
		for i := range fields {
			if b, a := fields[i].value(&x), fields[i].value(&y); b != a {
				t.Fatalf("%s was not copied: %q, %q", fields[i].path, b, a)
			}
		}
	})
}

func TestParseGates(t *testing.T) {
	if got, err := ParseGates("load, api"); err != nil || !slices.Equal(got, []string{"load", "api"}) {
		t.Errorf("ParseGates = %v, %v", got, err)
	}
	if got, err := ParseGates("any"); err != nil || len(got) != len(Gates) {
		t.Errorf("any = %v, %v", got, err)
	}
	if got, err := ParseGates(""); err != nil || got != nil {
		t.Errorf("none = %v, %v", got, err)
	}
	if _, err := ParseGates("load,lod"); err == nil || err.Error() != `"lod" is no harm: load, duplicates, lost-work, waiting, waivers, api or any` {
		t.Errorf("an unknown gate: %v", err)
	}
}

func TestKebab(t *testing.T) {
	for path, want := range map[string]string{
		"backoff.cap": "backoff-cap", "deadline.extendAtMost": "deadline-extend-at-most", "outcome.UNAVAILABLE": "outcome-unavailable",
		"idempotency.keptFor": "idempotency-kept-for", "slow_down": "slow-down",
	} {
		if got := kebab(path); got != want {
			t.Errorf("kebab(%q) = %q, want %q", path, got, want)
		}
	}
}
