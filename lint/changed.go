package lint

import (
	"reflect"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
)

// changed lists the fields in which two states of a class mean different things,
// by their paths; the fields of a group are one, the entries of a table are not.
// Where they are written does not count.
func changed(a, b *ir.Class) []string {
	var out []string
	out = tables(out, "outcome", a.Outcome, b.Outcome, func(r ir.OutcomeRule) string { return r.On })
	out = tables(out, "outcomeAfterAmbiguous", a.OutcomeAfterAmbiguous, b.OutcomeAfterAmbiguous, func(r ir.OutcomeRule) string { return r.On })
	out = tables(out, "perOutcome", a.PerOutcome, b.PerOutcome, func(r ir.PerOutcome) string { return r.On })
	out = tables(out, "waive", a.Waive, b.Waive, func(w ir.Waiver) string { return w.Rule })
	return groups(out, reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem(), "Outcome", "OutcomeAfterAmbiguous", "PerOutcome", "Waive", "Spans")
}

// changedInSet is changed for what a set says outside its classes.
func changedInSet(a, b *ir.Set) []string {
	var out []string
	out = tables(out, "retryBudgets", a.Budgets, b.Budgets, func(b ir.Budget) string { return b.Name })
	out = tables(out, "lint", a.Lint, b.Lint, func(c ir.RuleChange) string { return c.Rule })
	out = tables(out, "waive", a.Waive, b.Waive, func(w ir.Waiver) string { return w.Rule })
	return groups(out, reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem(), "Budgets", "Lint", "Waive", "Classes", "Sources", "Spans")
}

// groups compares all fields of a struct but some: a field that is added to the
// language is compared without being named here.
func groups(out []string, a, b reflect.Value, but ...string) []string {
	skip := map[string]bool{}
	for _, name := range but {
		skip[name] = true
	}
	for i := range a.NumField() {
		name := a.Type().Field(i).Name
		if !skip[name] && !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			out = append(out, path(name))
		}
	}
	return out
}

// path is the language's name of a field of ir.
func path(name string) string {
	if name == "PayloadMax" {
		return "payload"
	}
	return strings.ToLower(name[:1]) + name[1:]
}

// tables compares tables by the keys of their entries.
func tables[T comparable](out []string, path string, a, b []T, key func(T) string) []string {
	was := map[string]T{}
	for _, x := range a {
		was[key(x)] = x
	}
	for _, y := range b {
		if x, ok := was[key(y)]; !ok || x != y {
			out = append(out, path+"."+key(y))
		}
		delete(was, key(y))
	}
	for _, x := range a {
		if _, gone := was[key(x)]; gone {
			out = append(out, path+"."+key(x))
		}
	}
	return out
}
