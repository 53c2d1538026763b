package compiler

// Which CUE is meant to be a policy set. CUE of all kinds lies in repositories,
// so a folder becomes a set by what only a policy can mean; and a policy that has
// a mistake must not be taken for something else, or its mistake is never told.

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"github.com/retryc/retryc/internal/nearest"
)

var (
	plainClass = regexp.MustCompile(`(?m)^(\x{FEFF})?"?class"?[ \t]*:`)

	operationLabel = regexp.MustCompile(`\b(http|grpc|task)"?[ \t]*:`)
	boundLabel     = regexp.MustCompile(`\b(attempts|attemptTimeout|deadline|backoff|idempotency)"?[ \t]*:`)

	// A word where a label may be, and what stands behind it where only a mistake
	// keeps it from declaring classes: class "a" {…}, class = a: …, class; a: …
	wordOfLine = regexp.MustCompile(`(?m)^(\x{FEFF})?([ \t]*)["']?([A-Za-z]+)["']?[ \t]*([:;={?!,.(]|["'a-z])`)
	label      = regexp.MustCompile(`["']?\b([A-Za-z]+)["']?[ \t]*:`)
	forOrIf    = regexp.MustCompile(`(?m)^(for|if)\b.*`)
)

// otherWords are a letter away from class and mean something else.
var otherWords = []string{"clads", "clams", "clans", "claps", "clash", "clasp", "classy", "claws", "clays", "crass", "glass", "lass"}

// isClass reports whether a name is class or one slip of the keyboard away: a
// letter more, less, wrong or swapped with the next, in either case.
func isClass(name string) bool {
	name = strings.ToLower(name)
	return nearest.Distance(name, "class") <= 1 && !slices.Contains(otherWords, name)
}

// isShared reports whether a name is a definition's or a hidden field's: what they
// hold is for sharing.
func isShared(name string) bool { return strings.HasPrefix(name, "#") || strings.HasPrefix(name, "_") }

// nearClass reports whether a name may be meant for class, where what it holds
// says so too.
func nearClass(name string) bool { return near(name, []string{"class"}) != "" }

// speaksOfRetries reports whether a text has an operation and what bounds its
// attempts, as a policy has and hardly anything else.
func speaksOfRetries(text []byte) bool {
	return operationLabel.Match(text) && boundLabel.Match(text)
}

// hidesClasses reports whether a file has classes and a name for which CUE leaves
// it out: "_" first, or _test or _tool last. Dotted names are backups of editors.
func (t *tree) hidesClasses(abs string) bool {
	name := filepath.Base(abs)
	if !strings.HasSuffix(name, ".cue") || strings.HasPrefix(name, ".") || isPolicyFile(name) {
		return false
	}
	text, err := t.read(abs)
	return err == nil && int64(len(text)) <= mostText && plainClass.Match(text) && speaksOfRetries(text)
}

// holdsSet reports whether a folder is one of a policy set.
func (t *tree) holdsSet(dir string, entries []entry) bool {
	s := &search{tree: t, packages: map[string]*cuePackage{}}
	own := &cuePackage{dir: dir}
	for _, e := range entries {
		if e.dir {
			continue
		}
		if !isPolicyFile(e.name) {
			if t.hidesClasses(filepath.Join(dir, e.name)) {
				return true // Compile will say so
			}
			continue
		}
		abs := filepath.Join(dir, e.name)
		text, err := t.read(abs)
		if err != nil || int64(len(text)) > mostText {
			// Whether it is one cannot be told; Compile will say why.
			return true
		}
		if decoded, ok := fromUTF16(text); ok {
			text = decoded
		}
		if plainClass.Match(text) {
			return true
		}
		if !mayMean(text) {
			continue
		}
		f, err := parseAll(abs, text)
		if err != nil && meansClass(text) {
			return true
		}
		if declaresClass(f.Decls, speaksOfRetries(text)) {
			return true
		}
		own.files = append(own.files, f)
	}
	for _, f := range own.files {
		if s.embedsClass(f.Decls, scopeOf{own, f, 8}) {
			return true
		}
	}
	return false
}

// embedding is a line at the top of a file that may embed something.
var embedding = regexp.MustCompile(`(?m)^(\x{FEFF})?(if\b|for\b|[({*]|[\p{L}_#$][\p{L}\p{N}_#$.]*[ \t]*([&|(,}]|//|\r?$))`)

// mayMean is a quick look at a text, since parsing takes time and a repository
// may have much CUE: without a word like class, the fields of one or an embedding it
// makes no set.
func mayMean(text []byte) bool {
	letter := func(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }
	for i := 0; i < len(text); i++ {
		if !letter(text[i]) {
			continue
		}
		start := i
		var c, l, a, s int // how many letters of class the word has
		for ; i < len(text) && letter(text[i]); i++ {
			switch text[i] | 0x20 {
			case 'c':
				c = 1
			case 'l':
				l = 1
			case 'a':
				a = 1
			case 's':
				s = min(s+1, 2)
			}
		}
		if c+l+a+s >= 3 && i-start <= 8 {
			if word := string(text[start:i]); isClass(word) || nearClass(word) {
				return true
			}
		}
	}
	return bytes.Contains(text, []byte("attempts")) && bytes.Contains(text, []byte("deadline")) || embedding.Match(text)
}

// parseAll is the syntax of a text, with an error where the parser had to skip
// something. Mending the text, as Compile does, shows little more here and takes
// much longer.
func parseAll(abs string, text []byte) (*ast.File, error) {
	f, err := parser.ParseFile(abs, text, parser.AllErrors)
	if f == nil {
		f = &ast.File{}
	}
	return f, err
}

// meansClass reports whether the lines of a text that has a mistake of syntax
// were meant to declare classes.
func meansClass(text []byte) bool {
	ours := speaksOfRetries(text)
	conditional := forOrIf.FindAll(text, -1)
	for _, m := range wordOfLine.FindAllSubmatch(text, -1) {
		word := string(m[3])
		switch {
		case len(m[2]) > 0: // within something, which has to be a policy's
			if isClass(word) && (ours || len(conditional) > 0) {
				return true
			}
		case isClass(word), ours && nearClass(word):
			return true
		}
	}
	for _, line := range conditional {
		for _, m := range label.FindAllSubmatch(line, -1) {
			if isClass(string(m[1])) {
				return true
			}
		}
	}
	return false
}

// declaresClass reports whether declarations at the top of a file make a policy
// set: a field class, also one made by a comprehension, what can only be a
// misspelt one, or classes that stand within another field or under another name.
func declaresClass(decls []ast.Decl, ours bool) bool {
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.Field:
			if a, ok := d.Label.(*ast.Alias); ok && nearClass(a.Ident.Name) && seemsClass(d.Value) {
				return true // class = a: …
			}
			name, _, err := ast.LabelName(d.Label)
			if err != nil {
				continue
			}
			switch {
			case isShared(name):
				if nearClass(name) && seemsClasses(d.Value) && !seemsClass(d.Value) {
					return true // #class: …
				}
			case isClass(name), nearClass(name) && (seemsClasses(d.Value) || ours), wrapsClasses(d.Value), holdsWhole(d.Value):
				return true
			}
		case *ast.LetClause:
			if nearClass(d.Ident.Name) && (seemsClasses(d.Expr) || ours) {
				return true
			}
		case *ast.Comprehension:
			if s, ok := d.Value.(*ast.StructLit); ok && declaresClass(s.Elts, ours) {
				return true
			}
		case *ast.EmbedDecl:
			if s, ok := d.Expr.(*ast.StructLit); ok && declaresClass(s.Elts, ours) {
				return true
			}
		}
	}
	return false
}

// seemsClasses reports whether a value is a struct or a list of classes, or
// one class.
func seemsClasses(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ListLit:
		return slices.ContainsFunc(e.Elts, seemsClass)
	case *ast.StructLit:
		return seemsClass(e) || slices.ContainsFunc(e.Elts, func(d ast.Decl) bool {
			f, ok := d.(*ast.Field)
			return ok && seemsClass(f.Value)
		})
	}
	return false
}

// seemsClass reports whether a value is a struct with a field that only the
// policy language has.
func seemsClass(e ast.Expr) bool {
	has := fieldsOfClass(e)
	return has.operation || has.attempts || has.deadline
}

// required are those fields of a class that a struct has. An operation is never a
// struct or a list.
type required struct{ operation, attempts, deadline bool }

func fieldsOfClass(e ast.Expr) (has required) {
	s, ok := e.(*ast.StructLit)
	if !ok {
		return has
	}
	for _, d := range s.Elts {
		f, ok := d.(*ast.Field)
		if !ok {
			continue
		}
		switch name, _, _ := ast.LabelName(f.Label); name {
		case "http", "grpc", "task":
			switch f.Value.(type) {
			case *ast.StructLit, *ast.ListLit:
			default:
				has.operation = true
			}
		case "attempts":
			has.attempts = true
		case "deadline":
			has.deadline = true
		}
	}
	return has
}

// holdsWhole reports whether a struct is or holds a class with all that a class
// has to have, whatever its field is called.
func holdsWhole(e ast.Expr) bool {
	whole := func(e ast.Expr) bool { return fieldsOfClass(e) == required{true, true, true} }
	s, ok := e.(*ast.StructLit)
	return ok && (whole(s) || slices.ContainsFunc(s.Elts, func(d ast.Decl) bool {
		f, ok := d.(*ast.Field)
		return ok && whole(f.Value)
	}))
}

// wrapsClasses reports whether a field that is no set's has within it the classes
// of one.
func wrapsClasses(e ast.Expr) bool {
	s, ok := e.(*ast.StructLit)
	return ok && slices.ContainsFunc(fieldsNamed(s.Elts, "class"), func(classes ast.Expr) bool {
		s, ok := classes.(*ast.StructLit)
		return ok && slices.ContainsFunc(s.Elts, func(d ast.Decl) bool {
			f, ok := d.(*ast.Field)
			if !ok {
				return false
			}
			has := fieldsOfClass(f.Value)
			return has.operation && (has.attempts || has.deadline)
		})
	})
}

// fieldsNamed are the values of the fields, and of the let clauses, of that name.
// A field that is only constrained is none.
func fieldsNamed(decls []ast.Decl, name string) (values []ast.Expr) {
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.Field:
			if n, _, err := ast.LabelName(d.Label); err == nil && n == name && d.Constraint == token.ILLEGAL {
				values = append(values, d.Value)
			}
		case *ast.LetClause:
			if d.Ident.Name == name {
				values = append(values, d.Expr)
			}
		}
	}
	return values
}

// search follows references from the top of files to the classes that they embed.
type search struct {
	tree     *tree
	packages map[string]*cuePackage // by import path
	looks    int
}

// mostLooks ends a search that cycles make grow by powers.
const mostLooks = 10_000

// cuePackage is the syntax of a package.
type cuePackage struct {
	dir   string
	files []*ast.File
}

// scopeOf is where an expression stands, and how many references may still be
// followed from it: those of a cycle have no end.
type scopeOf struct {
	pkg  *cuePackage
	file *ast.File
	left int
}

// embedsClass reports whether declarations embed a field class by way of
// references.
func (s *search) embedsClass(decls []ast.Decl, at scopeOf) bool {
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.EmbedDecl:
			for _, r := range s.structs(d.Expr, at) {
				if len(fieldsNamed(r.value.Elts, "class")) > 0 || s.embedsClass(r.value.Elts, r.at) {
					return true
				}
			}
		case *ast.Comprehension:
			if v, ok := d.Value.(*ast.StructLit); ok && (len(fieldsNamed(v.Elts, "class")) > 0 || s.embedsClass(v.Elts, at)) {
				return true
			}
		}
	}
	return false
}

type structAt struct {
	value *ast.StructLit
	at    scopeOf
}

// structs are the structs that an expression unifies or chooses from.
func (s *search) structs(e ast.Expr, at scopeOf) (out []structAt) {
	if s.looks++; s.looks > mostLooks {
		return nil
	}
	switch e := e.(type) {
	case *ast.StructLit:
		return []structAt{{e, at}}
	case *ast.ParenExpr:
		return s.structs(e.X, at)
	case *ast.UnaryExpr:
		return s.structs(e.X, at)
	case *ast.BinaryExpr:
		return append(s.structs(e.X, at), s.structs(e.Y, at)...)
	case *ast.Ident:
		return s.named(at.pkg, e.Name, at.left)
	case *ast.SelectorExpr:
		name, _, err := ast.LabelName(e.Sel)
		if err != nil {
			return nil
		}
		if x, ok := e.X.(*ast.Ident); ok {
			if pkg := s.imported(x.Name, at); pkg != nil {
				return s.named(pkg, name, at.left)
			}
		}
		for _, x := range s.structs(e.X, at) {
			for _, v := range fieldsNamed(x.value.Elts, name) {
				out = append(out, s.structs(v, x.at)...)
			}
		}
	}
	return out
}

// named are the structs of a name at the top of a package.
func (s *search) named(pkg *cuePackage, name string, left int) (out []structAt) {
	if left == 0 {
		return nil
	}
	for _, f := range pkg.files {
		for _, v := range fieldsNamed(f.Decls, name) {
			out = append(out, s.structs(v, scopeOf{pkg, f, left - 1})...)
		}
	}
	return out
}

// imported is the package that a file calls by a name, nil where it is none that
// lies in the module.
func (s *search) imported(name string, at scopeOf) *cuePackage {
	for spec := range at.file.ImportSpecs() {
		ip := ast.ParseImportPath(importPath(spec))
		called := ip.Qualifier
		if spec.Name != nil {
			called = spec.Name.Name
		}
		if called == name && !isStandard(ip.Path) {
			return s.load(ip, at.pkg.dir)
		}
	}
	return nil
}

func (s *search) load(ip ast.ImportPath, from string) *cuePackage {
	if pkg, ok := s.packages[ip.String()]; ok {
		return pkg
	}
	var found *cuePackage
	u := &unit{tree: s.tree, module: s.tree.findModule(from)}
	for _, dir := range u.importDirs(ip.Path) {
		entries, err := s.tree.list(dir)
		if err != nil {
			continue
		}
		pkg := &cuePackage{dir: dir}
		for _, e := range entries {
			if e.dir || !isPolicyFile(e.name) {
				continue
			}
			abs := filepath.Join(dir, e.name)
			text, err := s.tree.read(abs)
			if err != nil || !bytes.Contains(text, []byte("package")) {
				continue
			}
			if f, _ := parseAll(abs, text); f.PackageName() == ip.Qualifier {
				pkg.files = append(pkg.files, f)
			}
		}
		if len(pkg.files) > 0 {
			found = pkg
			break
		}
	}
	s.packages[ip.String()] = found
	return found
}
