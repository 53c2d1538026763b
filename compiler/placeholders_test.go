package compiler_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/retryc/retryc/compiler"
)

// What is put in the place of text that cannot be read never shows, and nothing
// breaks: every third character of the sound policies, left out or twice.
func TestPlaceholdersNeverShow(t *testing.T) {
	for name, a := range archives(t, "../testdata/compile/*.txtar") {
		opt := options(a)
		for file, text := range opt.Overlay {
			if !bytes.Contains(text, []byte("class")) || len(text) > 4000 {
				continue
			}
			for i := bytes.IndexByte(text, '\n'); i < len(text); i += 3 {
				if strings.TrimSpace(string(text[i:i+1])) == "" {
					continue
				}
				changed := string(text[:i]) + string(text[i+1:])
				if i%2 == 0 {
					changed = string(text[:i+1]) + string(text[i:])
				}
				mutant := compiler.Options{Base: opt.Base, Overlay: map[string][]byte{}}
				for k, v := range opt.Overlay {
					mutant.Overlay[k] = v
				}
				mutant.Overlay[file] = []byte(changed)
				results, err := compiler.Compile(mutant, []compiler.Folder{{Dir: ".", Named: true}})
				if err != nil {
					t.Fatalf("%s: %v\n%s", name, err, changed)
				}
				if show := printedFor(t, results); strings.Contains(show, "_retryc") {
					t.Errorf("%s:\n%s\n%s", name, show, changed)
				}
			}
		}
	}
}
