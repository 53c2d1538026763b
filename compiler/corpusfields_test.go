package compiler_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/retryc/retryc/compiler"
	"github.com/retryc/retryc/compiler/ir"
)

var meantField = regexp.MustCompile(`^unknown field "[^"]*"; did you mean "?([A-Za-z.]+)"?\?`)

// The corpus has, of every field of the language, the text of a wrong type, of a
// wrong value where a value of the right type can be wrong, and of a mistake in
// its name. The list is the schema's, so that a field that comes is not forgotten.
func TestCorpusHasEveryField(t *testing.T) {
	fields := map[string]compiler.LanguageField{"": {Names: []string{"class", "go", "retryBudgets", "lint", "waive"}, Kinds: []string{"struct"}}}
	for _, f := range compiler.Language() {
		fields[f.Path] = f
	}
	// plain is the path of a diagnostic in the language: * for a name of the
	// author's. rest is the name that the language does not have, if it has one.
	plain := func(d ir.Diagnostic) (path, rest string) {
		names := strings.Split(d.Field, ".")
		if d.Class != "" {
			names = append([]string{"class", "*"}, names...)
		}
		for _, name := range names {
			if name == "" {
				continue
			}
			next := strings.TrimPrefix(path+"."+name, ".")
			if _, ok := fields[next]; !ok {
				next = path + ".*"
			}
			if _, ok := fields[next]; !ok {
				return path, name
			}
			path = next
		}
		return path, ""
	}
	seen := map[string]map[string]bool{"type": {}, "value": {}, "name": {}}
	for _, a := range archives(t, brokenArchives) {
		opt := options(a)
		all, _ := said(compile(t, opt))
		for _, d := range all {
			top, whole := read(d.Span.File, opt.Overlay[filepath.Join(opt.Base, filepath.FromSlash(d.Span.File))])
			s := stretch{d.Span.Start.Offset, d.Span.End.Offset}
			if d.Field == "" && d.Class == "" && whole {
				d.Field = top.at(s).name // of the set: only its fields have none
			}
			path, unknown := plain(d)
			if m := meantField.FindStringSubmatch(d.Message); m != nil && unknown != "" {
				if slices.Contains(fields[path].Names, m[1]) {
					seen["name"][strings.TrimPrefix(path+"."+m[1], ".")] = true
				}
				continue
			}
			if !whole || unknown != "" {
				continue
			}
			w := top.at(s)
			last := path[strings.LastIndexByte(path, '.')+1:]
			switch {
			case last != "*" && w.name != last, w.kind == "":
				continue // what is missing, or comes from somewhere else
			case w.field && w.label.has(s):
				if last == "*" && fields[path].Own {
					seen["name"][path] = true
				}
			case !w.value.has(s):
			case slices.Contains(fields[path].Kinds, w.kind):
				seen["value"][path] = true
			default:
				seen["type"][path] = true
			}
		}
	}
	for _, f := range compiler.Language() {
		if !seen["type"][f.Path] {
			t.Errorf("%s: no archive gives it a value of a wrong type", f.Path)
		}
		if f.Judged && !seen["value"][f.Path] {
			t.Errorf("%s: no archive gives it a wrong value", f.Path)
		}
		if named := !strings.HasSuffix(f.Path, "*"); (named || f.Own) && !seen["name"][f.Path] {
			t.Errorf("%s: no archive has a mistake in its name", f.Path)
		}
	}
}
