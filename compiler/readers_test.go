package compiler_test

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/retryc/retryc/compiler"
)

// Literal text is read without CUE. Whatever the archive, CUE reads the same
// from it, and what is wrong gets the same messages at the same places.
func TestReadersAgree(t *testing.T) {
	for _, pattern := range []string{brokenArchives, "../testdata/compile/*.txtar"} {
		for path, a := range archives(t, pattern) {
			opt := options(a)
			direct := compile(t, opt)
			undo := compiler.EvaluateAll()
			evaluated := compile(t, opt)
			undo()
			name := filepath.Base(path)
			x, sources := said(direct)
			y, _ := said(evaluated)
			if a, b := printed(t, x, sources), printed(t, y, sources); a != b {
				t.Errorf("%s: literal\n%s\nevaluated\n%s", name, a, b)
				continue
			}
			for i := range direct {
				if !reflect.DeepEqual(direct[i].Set, evaluated[i].Set) {
					t.Errorf("%s: sets differ\nliteral\n%s\nevaluated\n%s", name, dump(direct[i].Set), dump(evaluated[i].Set))
				}
			}
		}
	}
}

// The same bytes give the same results, however the machine schedules.
func TestDeterministic(t *testing.T) {
	for _, pattern := range []string{brokenArchives, "../testdata/compile/*.txtar"} {
		for path, a := range archives(t, pattern) {
			opt := options(a)
			first := compile(t, opt)
			for range 3 {
				if again := compile(t, opt); !reflect.DeepEqual(first, again) {
					t.Errorf("%s: two runs differ", filepath.Base(path))
				}
			}
			// Another folder around it changes nothing, unless the folder's name
			// is what a package should be called.
			moved := compiler.Options{Base: filepath.FromSlash("/somewhere/else"), Overlay: map[string][]byte{}}
			for name, text := range opt.Overlay {
				moved.Overlay[filepath.Join(moved.Base, strings.TrimPrefix(name, opt.Base))] = text
			}
			if there := compile(t, moved); !reflect.DeepEqual(first, there) {
				t.Errorf("%s: the folder that it is in changes the result", filepath.Base(path))
			}
		}
	}
}
