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

	"github.com/retryc/retryc/compiler/ir"
)

// unit is one folder on its way to a set.
type unit struct {
	literally bool              // what CUE can read means what it says: no habit is looked for in it
	habitual  int               // habits that were reported
	readable  []*source         // files that CUE can read as they are
	sharedAs  map[string]string // fields of the set that were meant for sharing, and as what they are referred to

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
func (t *tree) load(folder Folder, literally bool) *unit {
	u := &unit{literally: literally, tree: t, folder: folder, dir: t.abs(folder.Dir), sources: sources{}}
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
