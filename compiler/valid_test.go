package compiler_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/golden"
)

// Each sound policy compiles to what its archive shows: every value that is not
// zero, and for every written field where its value and its name are.
func TestValid(t *testing.T) {
	for path, a := range archives(t, "../testdata/compile/*.txtar") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			if len(bytes.TrimSpace(a.Comment)) == 0 {
				t.Error("no sentence that says the behaviour")
			}
			opt := options(a)
			results := compile(t, opt)
			diagnostics, sources := said(results)
			for _, d := range diagnostics {
				checkPlace(t, opt, d, sources)
			}
			var b strings.Builder
			b.WriteString(printed(t, diagnostics, sources))
			for _, r := range results {
				if r.Set == nil {
					t.Fatalf("mistakes in %s:\n%s", r.Folder.Dir, b.String())
				}
				checkSpans(t, r.Set)
				b.WriteString(dump(r.Set))
			}
			old, _ := section(a, "compiled")
			if string(old) == b.String() {
				return
			}
			if !golden.Update() {
				t.Errorf("to accept it: RETRYC_UPDATE=1 go test ./...\n--- want\n%s--- got\n%s", old, b.String())
				return
			}
			setSection(a, "compiled", []byte(b.String()))
			if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// checkSpans holds every place to its text: the name stands where the table
// says, and every path is one that the language has.
func checkSpans(t *testing.T, set *ir.Set) {
	t.Helper()
	for _, c := range set.Classes {
		for _, p := range c.Spans.Places {
			c.Span(p.Path) // panics on a path that is not of the language
			for _, s := range append([]ir.Span{p.Label, p.Value}, p.Related...) {
				text := set.Source(s.File)
				if text == nil || s.Start.Offset >= s.End.Offset || s.End.Offset > len(text) {
					t.Errorf("class %s: %s has no text: %+v", c.Name, p.Path, s)
				}
			}
			if i := strings.LastIndexByte(p.Path, '.'); p.Label != p.Value {
				label := string(set.Source(p.Label.File)[p.Label.Start.Offset:p.Label.End.Offset])
				if name := p.Path[i+1:]; !strings.Contains(label, name) && !strings.HasPrefix(label, "[") && !strings.HasPrefix(label, "(") {
					t.Errorf("class %s: the label of %s is %q", c.Name, p.Path, label)
				}
			}
		}
	}
	for _, p := range set.Spans.Places {
		set.Span(p.Path)
	}
}

// dump writes a set for people: values that are not zero, then places.
func dump(set *ir.Set) string {
	var b strings.Builder
	fmt.Fprintf(&b, "set %s in %s\n", set.Name, set.Dir)
	values(&b, "  ", reflect.ValueOf(*set))
	spots(&b, &set.Spans)
	for i := range set.Classes {
		c := &set.Classes[i]
		fmt.Fprintf(&b, "class %s\n", c.Name)
		values(&b, "  ", reflect.ValueOf(*c))
		spots(&b, &c.Spans)
	}
	return b.String()
}

func values(b *strings.Builder, indent string, v reflect.Value) {
	for i := range v.NumField() {
		name, f := v.Type().Field(i).Name, v.Field(i)
		switch name {
		case "Spans", "Classes", "Sources", "Name", "Set", "Dir":
			if v.Type() != reflect.TypeFor[ir.Call]() && v.Type() != reflect.TypeFor[ir.GoTarget]() && v.Type() != reflect.TypeFor[ir.Budget]() {
				continue
			}
		}
		if f.IsZero() && !isEnum(f) {
			continue
		}
		fmt.Fprintf(b, "%s%s: %s\n", indent, name, value(f))
	}
}

func isEnum(v reflect.Value) bool {
	_, ok := v.Interface().(fmt.Stringer)
	return ok && v.Kind() == reflect.Uint8
}

func value(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case time.Duration:
		return ir.FormatDuration(x)
	case time.Time:
		return x.Format(time.RFC3339)
	case string:
		return fmt.Sprintf("%q", x)
	case fmt.Stringer:
		return x.String()
	}
	switch v.Kind() {
	case reflect.Pointer:
		return value(v.Elem())
	case reflect.Struct:
		var parts []string
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() || isEnum(f) {
				parts = append(parts, v.Type().Field(i).Name+": "+value(f))
			}
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case reflect.Slice:
		var parts []string
		for i := range v.Len() {
			parts = append(parts, value(v.Index(i)))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return fmt.Sprint(v.Interface())
}

func spots(b *strings.Builder, t *ir.SpanTable) {
	at := func(s ir.Span) string {
		return fmt.Sprintf("%s:%d:%d-%d:%d", s.File, s.Start.Line, s.Start.Column, s.End.Line, s.End.Column)
	}
	for _, p := range append([]ir.Place{t.Self}, t.Places...) {
		path := p.Path
		if path == "" {
			path = "itself"
		}
		fmt.Fprintf(b, "  at %s: %s, named %s", path, at(p.Value), at(p.Label))
		for _, r := range p.Related {
			fmt.Fprintf(b, ", through %s", at(r))
		}
		b.WriteByte('\n')
	}
}
