package compiler

import (
	"fmt"
	"strings"
	"sync"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"github.com/retryc/retryc/schema"
)

// A typ is what a field may hold. The types are read from the syntax of the
// schema, which thereby stays the one place that lists the fields; what a named
// scalar accepts is said by the function of that name in scalars.
type typ struct {
	kind   typKind
	name   string   // of a scalar: the definition, "#Duration"
	words  []string // of an enum: its values
	fields []*fieldType
	elem   *typ // of a map or a list
	text   *typ // the scalar arm of a union
	body   *typ // the struct arm
}

type typKind uint8

const (
	scalarType typKind = iota + 1
	structType
	mapType
	listType
	unionType
)

type fieldType struct {
	name     string
	required bool
	typ      *typ
}

func (t *typ) field(name string) *fieldType {
	for _, f := range t.fields {
		if f.name == name {
			return f
		}
	}
	return nil
}

func (t *typ) names() []string {
	out := make([]string, len(t.fields))
	for i, f := range t.fields {
		out[i] = f.name
	}
	return out
}

// shape is the language.
type shape struct {
	policy, class *typ
	defaults      *node
	profiles      *node
}

// theShape reads the embedded schema once. A schema that cannot be read is a
// fault of this program, found by the first test.
var theShape = sync.OnceValue(func() *shape {
	s := shapeReader{definitions: map[string]ast.Expr{}, done: map[string]*typ{}}
	s.add("shape.cue")
	s.add("defaults.cue")
	literals := reader{sources{}}
	out := &shape{
		policy:   s.typeOf(ast.NewIdent("#Policy")),
		class:    s.typeOf(ast.NewIdent("#Class")),
		defaults: literals.value(s.definitions["#Defaults"]),
		profiles: literals.value(s.definitions["#Profiles"]),
	}
	if out.defaults == nil || out.profiles == nil {
		panic("schema: defaults.cue is not literal")
	}
	return out
})

type shapeReader struct {
	definitions map[string]ast.Expr
	done        map[string]*typ
}

func (s *shapeReader) add(name string) {
	f, err := parser.ParseFile(name, schema.File(name))
	if err != nil {
		panic(err)
	}
	for _, d := range f.Decls {
		if f, ok := d.(*ast.Field); ok {
			if id, ok := f.Label.(*ast.Ident); ok {
				s.definitions[id.Name] = f.Value
			}
		}
	}
}

func (s *shapeReader) typeOf(e ast.Expr) *typ {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return s.typeOf(e.X)
	case *ast.Ident:
		if t := s.done[e.Name]; t != nil {
			return t
		}
		def, ok := s.definitions[e.Name]
		if !ok {
			if e.Name != "bool" {
				panic("schema: no definition " + e.Name)
			}
			return &typ{kind: scalarType, name: e.Name}
		}
		t := &typ{}
		s.done[e.Name] = t
		if st, ok := def.(*ast.StructLit); ok {
			*t = *s.structOf(st)
			return t
		}
		*t = typ{kind: scalarType, name: e.Name, words: words(def)}
		if t.words == nil && scalars[e.Name] == nil {
			panic("schema: nothing checks " + e.Name)
		}
		return t
	case *ast.StructLit:
		return s.structOf(e)
	case *ast.ListLit:
		if len(e.Elts) == 1 {
			if more, ok := e.Elts[0].(*ast.Ellipsis); ok {
				return &typ{kind: listType, elem: s.typeOf(more.Type)}
			}
		}
	case *ast.BinaryExpr:
		if e.Op == token.OR {
			a, b := s.typeOf(e.X), s.typeOf(e.Y)
			if a.kind != scalarType {
				a, b = b, a
			}
			return &typ{kind: unionType, text: a, body: b}
		}
	}
	panic(fmt.Sprintf("schema: a form that is not read: %T", e))
}

func (s *shapeReader) structOf(e *ast.StructLit) *typ {
	t := &typ{kind: structType}
	for _, d := range e.Elts {
		f, ok := d.(*ast.Field)
		if !ok {
			continue
		}
		if _, ok := f.Label.(*ast.ListLit); ok {
			return &typ{kind: mapType, elem: s.typeOf(f.Value)}
		}
		name, _, err := ast.LabelName(f.Label)
		if err != nil {
			panic(err)
		}
		t.fields = append(t.fields, &fieldType{name: name, required: f.Constraint == token.NOT, typ: s.typeOf(f.Value)})
	}
	return t
}

// words returns the values of a choice between strings.
func words(e ast.Expr) []string {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		if e.Op != token.OR {
			return nil
		}
		a, b := words(e.X), words(e.Y)
		if a == nil || b == nil {
			return nil
		}
		return append(a, b...)
	case *ast.BasicLit:
		if s, ok := literalString(e); ok && !strings.HasPrefix(e.Value, "=~") {
			return []string{s}
		}
	}
	return nil
}

// definitionNames lists the definitions of the schema, in order.
var definitionNames = sync.OnceValue(func() []string {
	s := shapeReader{definitions: map[string]ast.Expr{}}
	for _, name := range schema.Names() {
		s.add(name)
	}
	return sorted(s.definitions)
})

// theShapeWords maps the enums of the schema to their words.
var theShapeWords = sync.OnceValue(func() map[string][]string {
	s := shapeReader{definitions: map[string]ast.Expr{}}
	s.add("shape.cue")
	out := map[string][]string{}
	for name, def := range s.definitions {
		if w := words(def); w != nil {
			out[name] = w
		}
	}
	return out
})
