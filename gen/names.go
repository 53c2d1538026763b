package gen

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
	"unicode"

	"github.com/retryc/retryc/compiler/ir"
)

// className is what a class is called in Go.
type className struct {
	Var  string // "PhotoUpload"
	Type string // "photoUploadClass"
}

// initialisms are the words Go style writes in capitals (golint's list, the
// part that names of operations and key fields can hold).
var initialisms = map[string]bool{
	"acl": true, "api": true, "cpu": true, "css": true, "dns": true, "eof": true, "guid": true, "html": true,
	"http": true, "https": true, "id": true, "ip": true, "json": true, "qps": true, "ram": true, "rpc": true,
	"sla": true, "smtp": true, "sql": true, "ssh": true, "tcp": true, "tls": true, "ttl": true, "udp": true,
	"ui": true, "uid": true, "uri": true, "url": true, "utf8": true, "uuid": true, "vm": true, "xml": true,
}

// exported joins kebab-case or snake_case words: "photo-upload" is PhotoUpload,
// "order_id" is OrderID.
func exported(name string) string {
	var b strings.Builder
	for _, w := range strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' }) {
		if initialisms[w] {
			b.WriteString(strings.ToUpper(w))
			continue
		}
		b.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	return b.String()
}

// unexported is exported with its first word in lower case.
func unexported(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' })
	if len(words) == 0 {
		return "_"
	}
	return words[0] + exported(strings.Join(words[1:], "-"))
}

// nameClasses gives every class its Go names. Names that the emitted engine or
// the generated file itself declares are stepped around; two classes of one Go
// name are a mistake that only the author can mend.
func nameClasses(set *ir.Set, reserved map[string]bool) ([]className, []ir.Diagnostic) {
	names := make([]className, len(set.Classes))
	owner := map[string]int{} // Go name to the class that has it
	var mistakes []ir.Diagnostic
	for i := range set.Classes {
		c := &set.Classes[i]
		name := exported(c.Name)
		if first, taken := owner[name]; taken {
			other := &set.Classes[first]
			mistakes = append(mistakes, ir.Diagnostic{
				Rule: ir.InvalidPolicy, Severity: ir.Error,
				Message: fmt.Sprintf("class %q becomes the Go name %s, which class %q has already", c.Name, name, other.Name),
				Span:    c.Label(""), Set: set.Name, Class: c.Name,
				Help:    []string{"rename one of the two; rows and keys of the old name are kept by  aliases: [" + strconv.Quote(c.Name) + "]"},
				Related: []ir.Related{{Span: other.Label(""), Message: fmt.Sprintf("%s is %q here", name, other.Name)}},
			})
			continue
		}
		owner[name] = i
		names[i].Var = name
	}
	used := map[string]bool{}
	for _, n := range names {
		if !reserved[n.Var] {
			used[n.Var] = true
		}
	}
	for i := range names {
		n := &names[i]
		if n.Var == "" {
			continue
		}
		if reserved[n.Var] {
			n.Var = free(n.Var+"Class", reserved, used)
		}
		n.Type = free(unexported(set.Classes[i].Name)+"Class", reserved, used)
	}
	return names, mistakes
}

// free returns name, or name with the first number that nobody has.
func free(name string, reserved, used map[string]bool) string {
	try := name
	for n := 2; reserved[try] || used[try]; n++ {
		try = name + strconv.Itoa(n)
	}
	used[try] = true
	return try
}

// params names the constructor's parameters after the fields of the key.
func params(fields []string) []string {
	used := map[string]bool{receiver: true}
	out := make([]string, len(fields))
	for i, f := range fields {
		name := unexported(f)
		if token.IsKeyword(name) || types.Universe.Lookup(name) != nil || !token.IsIdentifier(name) || used[name] {
			name += "_"
		}
		for used[name] {
			name += "_"
		}
		used[name] = true
		out[i] = name
	}
	return out
}

// receiver is the name of the receiver of every generated method.
const receiver = "c"

// topLevel collects the names a file declares in its package.
func topLevel(f *ast.File, into map[string]bool) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				into[d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					into[s.Name.Name] = true
				case *ast.ValueSpec:
					for _, n := range s.Names {
						into[n.Name] = true
					}
				case *ast.ImportSpec:
					into[importName(s)] = true
				}
			}
		}
	}
}

// importName is the name a file uses an import by. A package-level declaration
// of the same name would clash with it in that file.
func importName(s *ast.ImportSpec) string {
	if s.Name != nil {
		return s.Name.Name
	}
	path, _ := strconv.Unquote(s.Path.Value)
	parts := strings.Split(path, "/")
	last := parts[len(parts)-1]
	if len(parts) > 1 && len(last) > 1 && last[0] == 'v' && unicode.IsDigit(rune(last[1])) {
		last = parts[len(parts)-2]
	}
	return last
}
