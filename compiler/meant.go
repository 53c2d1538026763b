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
