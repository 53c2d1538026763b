package gen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen/engine"
)

func specFieldNames() []string {
	var names []string
	for f := range reflect.TypeFor[engine.Spec]().Fields() {
		names = append(names, f.Name)
	}
	return names
}

// The enums of ir and engine cross by number, and are printed by name: word,
// number and name must belong together.
func TestEnumsAgree(t *testing.T) {
	src, err := engineSource.ReadFile("engine/spec.go")
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), "spec.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	constants := map[string][]string{} // type to names, in order
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		typ := ""
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			if v.Type != nil {
				typ = v.Type.(*ast.Ident).Name
			}
			constants[typ] = append(constants[typ], v.Names[0].Name)
		}
	}
	for _, e := range []struct {
		typ   string
		names []string
		words []string
	}{
		{"kind", kindNames, []string{"http", "grpc", "task"}},
		{"effect", effectNames, ir.Words("effect")},
		{"timing", timingNames, ir.Words("timing")},
		{"jitter", jitterNames, ir.Words("backoff.jitter")},
		{"keySource", keySourceNames, ir.Words("idempotency.source")},
		{"keySent", keySentNames, ir.Words("idempotency.sent")},
		{"retryAfterMode", retryAfterNames, ir.Words("retryAfter.mode")},
		{"outcome", outcomeNames, ir.Words("outcome")},
		{"whenConstrained", whenConstrainedNames, ir.Words("whenConstrained")},
	} {
		if !slices.Equal(e.names, constants[e.typ]) {
			t.Errorf("%s: printed as %v, the engine has %v", e.typ, e.names, constants[e.typ])
		}
		if len(e.words) != len(e.names) {
			t.Errorf("%s: %d words, %d constants", e.typ, len(e.words), len(e.names))
			continue
		}
		for i, w := range e.words {
			// "non-idempotent" is effectNonIdempotent, "retry" is retryable.
			name, word := strings.ToLower(e.names[i]), strings.ReplaceAll(w, "-", "")
			if !strings.Contains(name, word) && !(w == "app" && name == "sentbyapp") {
				t.Errorf("%s: the word %q is %s", e.typ, w, e.names[i])
			}
		}
	}
}
