package compiler

// Which package a folder holds.

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"

	"github.com/retryc/retryc/compiler/ir"
)

// checkPackages finds the package of the folder and reports the files that say
// another, or none.
func (u *unit) checkPackages() {
	count := map[string]int{}
	for _, f := range u.files {
		if p := packageClause(f.syntax); p != nil {
			count[p.Name.Name]++
		}
	}
	first := map[string]*file{}
	for _, f := range u.files {
		p := packageClause(f.syntax)
		if p == nil {
			continue
		}
		name := p.Name.Name
		if first[name] == nil {
			first[name] = f
		}
		if u.name == "" || count[name] > count[u.name] {
			u.name = name
		}
	}
	want := u.name
	if want == "" {
		want = packageName(filepath.Base(u.dir))
	}
	for _, f := range u.files {
		p := packageClause(f.syntax)
		if p == nil {
			d := u.mistake(f.start(), "the file has no package clause, so CUE leaves it out")
			d.Help = []string{"package " + want}
			if u.name != "" {
				d.Related = []ir.Related{{Span: u.sources.span(packageClause(first[u.name].syntax).Name), Message: fmt.Sprintf("the package of the folder is %q", u.name)}}
			}
			start := f.start()
			d.Fix = &ir.Fix{Title: "add the package clause", Edits: []ir.Edit{{Span: start, Text: "package " + want + "\n\n"}}}
			// CUE has to read it all the same, with the other files.
			f.syntax.Decls = slices.Insert(f.syntax.Decls, 0, ast.Decl(&ast.Package{Name: ast.NewIdent(want)}))
			continue
		}
		if p.Name.Name != u.name {
			said := p.Name.Name
			p.Name.Name = u.name // CUE has to read all files all the same
			d := u.mistake(u.sources.span(p.Name), "package %q in a folder of package %q: a policy set is one folder with one package", said, u.name)
			d.Help = []string{"package " + u.name}
			d.Related = []ir.Related{{Span: u.sources.span(packageClause(first[u.name].syntax).Name), Message: fmt.Sprintf("package %q here", u.name)}}
		}
	}
	if u.name != "" && !isPackageName(u.name) {
		u.mistake(u.sources.span(packageClause(first[u.name].syntax).Name), "%q cannot name a policy set: lower-case letters, digits and \"_\", a letter first", u.name).Help = []string{"package " + packageName(u.name)}
	}
}

// checkAbove warns of files of the same package in folders above: CUE would make
// them part of this one, while a policy set is one folder.
func (u *unit) checkAbove() {
	if u.module.root == "" || u.name == "" || u.dir == u.module.root {
		return
	}
	for dir := filepath.Dir(u.dir); ; dir = filepath.Dir(dir) {
		entries, err := u.tree.list(dir)
		if err != nil {
			return
		}
		for _, e := range entries {
			if e.dir || !isPolicyFile(e.name) {
				continue
			}
			abs := filepath.Join(dir, e.name)
			text, err := u.tree.read(abs)
			if err != nil {
				continue
			}
			f, _ := parser.ParseFile(abs, text, parser.PackageClauseOnly)
			if f == nil || f.PackageName() != u.name {
				continue
			}
			u.sources[abs] = newSource(abs, u.tree.show(abs), text)
			for _, own := range u.files {
				if p := packageClause(own.syntax); p != nil {
					d := u.warning(u.sources.span(p.Name), "%s is of package %s too and takes no part: a policy set is one folder", u.tree.show(abs), u.name)
					d.Related = []ir.Related{{Span: u.sources.span(packageClause(f).Name), Message: "the package clause there"}}
					d.Help = []string{"give one of the two another name, and import what is shared"}
					return
				}
			}
		}
		if dir == u.module.root || dir == filepath.Dir(dir) {
			return
		}
	}
}

func packageClause(f *ast.File) *ast.Package {
	for _, d := range f.Decls {
		if p, ok := d.(*ast.Package); ok {
			return p
		}
	}
	return nil
}

func isPackageName(s string) bool {
	for i, r := range s {
		if !(r >= 'a' && r <= 'z' || i > 0 && (r >= '0' && r <= '9' || r == '_')) {
			return false
		}
	}
	return s != ""
}

// packageName makes a package name of a folder's or of one that is none.
func packageName(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case r >= 'a' && r <= 'z', b.Len() > 0 && (r >= '0' && r <= '9'):
			b.WriteRune(r)
		case b.Len() > 0 && (r == '-' || r == '_' || r == ' '):
			b.WriteByte('_')
		}
	}
	if b.Len() == 0 {
		return "policies"
	}
	return strings.TrimRight(b.String(), "_")
}
