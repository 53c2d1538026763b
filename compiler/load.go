package compiler

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"

	"github.com/retryc/retryc/compiler/ir"
)

// unit is one folder on its way to a set.
type unit struct {
	sharedAs map[string]string // fields of the set that were meant for sharing, and as what they are referred to

	tree    *tree
	folder  Folder
	dir     string // absolute
	name    string // the CUE package
	module  *module
	sources sources
	files   []*file
	leftOut []*file // by tags
	tagged  bool    // a file that counts would not with other tags
	notes

	// poisoned says that text had to be cut away to go on after a mistake: what
	// then seems to be missing may have stood there. cuts are the fields whose
	// lines alone were.
	poisoned bool
	cuts     []cut
	classes  int

	lost       map[string]bool     // names in text that was cut away
	unreadable bool                // a whole file could not be read
	unnamed    bool                // the name of a declaration could not
	tried      int                 // bytes of the file that were read on trial
	unset      map[string][]string // fields that classes only constrain, by class
}

// file is one file of a set.
type file struct {
	*source
	syntax *ast.File
}

// load reads and parses the files of a folder, reports what their syntax has
// wrong, and goes on with what is left.
func (t *tree) load(folder Folder) *unit {
	u := &unit{tree: t, folder: folder, dir: t.abs(folder.Dir), sources: sources{}}
	entries, err := t.list(u.dir)
	if err != nil {
		u.mistake(ir.Span{File: folder.Dir}, "%v", unreadable(folder.Dir, err))
		return u
	}
	u.module = t.findModule(u.dir)
	u.checkModule()
	for _, e := range entries {
		abs := filepath.Join(u.dir, e.name)
		switch {
		case e.dir:
		case isPolicyFile(e.name):
			u.loadFile(abs)
		case u.tree.hidesClasses(abs):
			u.hiddenFile(abs)
		}
	}
	u.readLeftOut()
	u.checkPackages()
	u.checkVendored()
	u.checkAbove()
	return u
}

// hiddenFile reports a file whose classes would vanish with it.
func (u *unit) hiddenFile(abs string) {
	text, err := u.tree.read(abs)
	if err != nil {
		return
	}
	src := newSource(abs, u.tree.show(abs), text)
	u.sources[abs] = src
	at := src.start()
	if i := plainClass.FindIndex(text); i != nil {
		at = src.span(i[0], i[1])
	}
	u.poisoned = true
	u.mistake(at, "CUE leaves out %q, and its classes with it: a name that begins with \"_\", or ends with _test or _tool, is no policy's", filepath.Base(abs))
}

func (u *unit) loadFile(abs string) {
	shown := u.tree.show(abs)
	text, err := u.tree.read(abs)
	if err == nil && int64(len(text)) > mostText {
		err = fmt.Errorf("it is larger than %s", ir.FormatSize(mostText))
	}
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		u.mistake(ir.Span{File: shown}, "the file cannot be read: %v", err)
		u.poisoned, u.unreadable = true, true
		return
	}
	if _, ok := fromUTF16(text); ok {
		u.mistake(ir.Span{File: shown}, "the file is UTF-16, and CUE is UTF-8: save it as UTF-8")
		u.poisoned, u.unreadable = true, true
		return
	}
	src := newSource(abs, shown, text)
	u.sources[abs] = src
	f := u.parse(src)
	if f == nil {
		return
	}
	if left := u.excluded(f); left != counts {
		if left == byTags {
			u.leftOut = append(u.leftOut, &file{src, f})
		}
		return
	}
	u.take(f, src)
}

// take makes a file one of the set's.
func (u *unit) take(f *ast.File, src *source) {
	withoutExtern(f)
	u.equalsAfterClass(f, src)
	u.quotesOfImports(f, src)
	u.equalsOnOneLine(f, src)
	if len(f.Decls) == 0 {
		return // nothing but comments: CUE leaves it out as well
	}
	u.files = append(u.files, &file{src, f})
}

// withoutExtern drops @extern from the top of a file: what it would embed is
// reported at the field.
func withoutExtern(f *ast.File) {
	f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
		a, ok := d.(*ast.Attribute)
		if !ok {
			return false
		}
		name, _ := a.Split()
		return name == "extern"
	})
}

// equalsAfterClass reports "class = a: …", which is the field a for CUE, with
// another name for it, and reads it as it was meant.
func (u *unit) equalsAfterClass(f *ast.File, s *source) {
	for _, d := range f.Decls {
		field, ok := d.(*ast.Field)
		if !ok {
			continue
		}
		alias, ok := field.Label.(*ast.Alias)
		if !ok || near(alias.Ident.Name, []string{"class"}) == "" {
			continue
		}
		label, ok := alias.Expr.(ast.Label)
		if !ok {
			continue
		}
		at := alias.Equal.Offset()
		u.saySlip(s, slip{start: at, end: at + 1, message: "a field has a colon between name and value, not =", title: "write a colon", fix: []edit{{at, at + 1, ":"}}})
		u.cuts = append(u.cuts, cut{file: s.name, offset: s.original(at), mended: true})
		alias.Ident.Name = "class"
		field.Label, field.Value = alias.Ident, &ast.StructLit{Elts: []ast.Decl{&ast.Field{Label: label, Value: field.Value}}}
	}
}

var aliasedValue = regexp.MustCompile(`:[ \t]*[A-Za-z]+[ \t]*=[^=~]`)

// equalsOnOneLine reports "class: a: attempts = 3", which is the value 3 with
// another name for it, and reads it as it was meant.
func (u *unit) equalsOnOneLine(f *ast.File, s *source) {
	if !aliasedValue.Match(s.read) {
		return
	}
	var fields []*ast.Field
	ast.Walk(f, func(n ast.Node) bool {
		if n, ok := n.(*ast.Field); ok {
			if a, ok := n.Value.(*ast.Alias); ok {
				if _, _, known := unitsOf(a.Ident.Name); known {
					fields = append(fields, n)
				}
			}
		}
		return true
	}, nil)
	if len(fields) == 0 {
		return
	}
	named := map[string]int{}
	ast.Walk(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			if _, ok := n.Label.(*ast.Ident); ok && n.Value != nil {
				named[labelText(n.Label)]-- // a name of a field refers to nothing
			}
		case *ast.Ident:
			named[n.Name]++
		}
		return true
	}, nil)
	for _, field := range fields {
		alias := field.Value.(*ast.Alias)
		if named[alias.Ident.Name] > 1 {
			continue // it is used as what it is
		}
		at := alias.Equal.Offset()
		u.saySlip(s, slip{start: at, end: at + 1, message: "a field has a colon between name and value, not =", title: "write a colon", fix: []edit{{at, at + 1, ":"}}})
		u.cuts = append(u.cuts, cut{file: s.name, offset: s.original(at), mended: true})
		field.Value = &ast.StructLit{Elts: []ast.Decl{&ast.Field{Label: alias.Ident, Value: alias.Expr}}}
	}
}

// quotesOfImports reports 'strings', which is bytes for CUE.
func (u *unit) quotesOfImports(f *ast.File, s *source) {
	for spec := range f.ImportSpecs() {
		if plain, ok := strings.CutPrefix(spec.Path.Value, "'"); ok {
			right := strconv.Quote(strings.TrimSuffix(plain, "'"))
			at := spec.Path.Pos().Offset()
			end := at + len(spec.Path.Value)
			u.saySlip(s, slip{start: at, end: end, message: "the path of an import stands in double quotes", help: []string{"import " + right}, title: "write " + right, fix: []edit{{at, end, right}}})
			spec.Path.Value = right
		}
	}
}

// exclusion is whether a file takes part.
type exclusion int

const (
	counts   exclusion = iota
	byItself           // @ignore
	byTags             // @if, since there are no tags
)

// excluded evaluates @if and @ignore as CUE does when no tag is given: what a
// policy says must not depend on a command line. So a file that depends on one is
// reported, and one that takes no part for it is a mistake, or the classes in it
// were gone without a word that fails.
func (u *unit) excluded(f *ast.File) exclusion {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.Package:
			return counts
		case *ast.Attribute:
			name, body := d.Split()
			switch name {
			case "ignore":
				return byItself
			case "if":
				e, err := parser.ParseExpr("", body)
				if err == nil && buildTag(e) {
					u.warning(u.sources.span(d), "@if(%s) depends on the command line, and retryc gives no tags: this file counts", body)
					u.tagged = true
					return counts
				}
				u.mistake(u.sources.span(d), "@if(%s) leaves this file out, since retryc gives no tags: take @if away, or move the file to a folder of its own", body)
				return byTags
			}
		}
	}
	return counts
}

// ignored reports whether a file says that it takes no part.
func ignored(f *ast.File) bool {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.Package:
			return false
		case *ast.Attribute:
			if name, _ := d.Split(); name == "ignore" {
				return true
			}
		}
	}
	return false
}

// readLeftOut reads a file that tags leave out as if it took part, so that its
// own mistakes are told as well. Where several depend on tags they stand for each
// other, and together they would say what nobody meant.
func (u *unit) readLeftOut() {
	switch {
	case len(u.leftOut) == 0:
	case len(u.leftOut) == 1 && !u.tagged:
		u.take(u.leftOut[0].syntax, u.leftOut[0].source)
	default:
		u.poisoned = true
	}
}

func buildTag(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return buildTag(e.X)
	case *ast.UnaryExpr:
		return !buildTag(e.X)
	case *ast.BinaryExpr:
		if e.Op.String() == "&&" {
			return buildTag(e.X) && buildTag(e.Y)
		}
		return buildTag(e.X) || buildTag(e.Y)
	}
	return false
}

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
