package compiler

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"

	"github.com/retryc/retryc/compiler/ir"
)

// module is the CUE module around a folder. The zero module is none: then
// nothing but CUE's own packages and the schema can be imported.
type module struct {
	root     string // absolute
	path     string // "example.com/shop", without the major version
	language string // "v0.9.0", or empty
	file     string // absolute name of module.cue
	text     []byte

	slip       *ast.Field // one whose name is a slip of another's; nil: none
	versionAt  ast.Expr   // where language is written; nil: nowhere
	err        error      // of the syntax
	unreadable error
}

// findModule looks for cue.mod/module.cue in a folder and above it.
func (t *tree) findModule(dir string) *module {
	for ; ; dir = filepath.Dir(dir) {
		name := filepath.Join(dir, "cue.mod", "module.cue")
		if t.exists(name) {
			m := &module{root: dir, file: name}
			m.text, m.unreadable = t.read(name)
			if m.unreadable != nil {
				return m
			}
			m.read()
			return m
		}
		if t.isDir(filepath.Join(dir, "cue.mod")) {
			return &module{root: dir}
		}
		if dir == filepath.Dir(dir) {
			return &module{}
		}
	}
}

// read takes the two facts that matter from the syntax of module.cue: also a
// file that only a newer CUE accepts says which.
func (m *module) read() {
	f, err := parser.ParseFile(m.file, m.text)
	if err != nil {
		m.err = err
		return
	}
	for _, d := range f.Decls {
		if field, ok := d.(*ast.Field); ok && m.slip == nil {
			if name := labelText(field.Label); !slices.Contains(moduleFields, name) && near(name, moduleFields) != "" {
				m.slip = field
			}
		}
	}
	if e := lookupSyntax(f.Decls, "module"); e != nil {
		if s, ok := literalString(e); ok {
			m.path, _, _ = strings.Cut(s, "@")
		}
	}
	if e, ok := lookupSyntax(f.Decls, "language").(*ast.StructLit); ok {
		m.versionAt = lookupSyntax(e.Elts, "version")
		m.language, _ = literalString(m.versionAt)
	}
}

func lookupSyntax(decls []ast.Decl, name string) ast.Expr {
	for _, d := range decls {
		if f, ok := d.(*ast.Field); ok {
			if n, _, err := ast.LabelName(f.Label); err == nil && n == name {
				return f.Value
			}
		}
	}
	return nil
}

// moduleFields are the fields that cue.mod/module.cue has.
var moduleFields = []string{"module", "language", "source", "deps", "custom"}

// version makes the parser read files as the module's language version has it.
func (m *module) version() parser.Option {
	if m == nil || newer(m.language, cue.LanguageVersion()) {
		return parser.Version(cue.LanguageVersion())
	}
	v, ok := versionParts(m.language)
	if !ok {
		return parser.Version(cue.LanguageVersion())
	}
	// The parser takes canonical versions only, and panics on others.
	return parser.Version(fmt.Sprintf("v%d.%d.%d", v[0], v[1], v[2]))
}

// checkModule reports a module that this build of CUE cannot read.
func (u *unit) checkModule() {
	m := u.module
	if m.file == "" {
		return
	}
	src := newSource(m.file, u.tree.show(m.file), m.text)
	switch _, ok := versionParts(m.language); {
	case m.unreadable != nil:
		u.sources[m.file] = src
		u.mistake(src.start(), "%v", unreadable(src.name, m.unreadable))
	case m.err != nil:
		u.sources[m.file] = src
		u.syntaxMistake(src, m.err)
	case m.slip != nil:
		u.sources[m.file] = src
		name, right := labelText(m.slip.Label), near(labelText(m.slip.Label), moduleFields)
		at := u.sources.span(m.slip.Label)
		d := u.mistake(at, "unknown field %q of a module; did you mean %q?", name, right)
		d.Fix = &ir.Fix{Title: "rename it to " + right, Edits: []ir.Edit{{Span: at, Text: right}}}
	case m.versionAt == nil:
	case !ok:
		u.sources[m.file] = src
		d := u.mistake(u.sources.span(m.versionAt), "%s is not a version of CUE", src.slice(u.sources.span(m.versionAt)))
		d.Help = []string{`language: version: "` + cue.LanguageVersion() + `"`}
	case newer(m.language, cue.LanguageVersion()):
		u.sources[m.file] = src
		d := u.mistake(u.sources.span(m.versionAt), "the module wants CUE %s, and this retryc has %s: use a newer retryc, or an older language version", m.language, cue.LanguageVersion())
		d.Help = []string{`language: version: "` + cue.LanguageVersion() + `"`}
	}
}

// newer compares versions such as "v0.17.0"; what is no version is not newer.
func newer(a, b string) bool {
	x, okA := versionParts(a)
	y, okB := versionParts(b)
	if !okA || !okB {
		return false
	}
	for i := range x {
		if x[i] != y[i] {
			return x[i] > y[i]
		}
	}
	return false
}

func versionParts(v string) (parts [3]int, ok bool) {
	v, found := strings.CutPrefix(v, "v")
	if !found {
		return parts, false
	}
	v, _, _ = strings.Cut(v, "-")
	for i, s := range strings.SplitN(v, ".", 3) {
		if s == "" || len(s) > 6 {
			return parts, false
		}
		for _, r := range s {
			if r < '0' || r > '9' {
				return parts, false
			}
			parts[i] = parts[i]*10 + int(r-'0')
		}
	}
	return parts, true
}
