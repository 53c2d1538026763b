package gen

import (
	"slices"
	"testing"

	"github.com/retryc/retryc/compiler/ir"
)

func TestExported(t *testing.T) {
	for _, c := range []struct{ name, exported, unexported string }{
		{"charge", "Charge", "charge"},
		{"photo-upload", "PhotoUpload", "photoUpload"},
		{"order_id", "OrderID", "orderID"},
		{"id", "ID", "id"},
		{"url_of_api", "URLOfAPI", "urlOfAPI"},
		{"type", "Type", "type"},
		{"a-1b", "A1b", "a1b"},
	} {
		if got := exported(c.name); got != c.exported {
			t.Errorf("exported(%q) = %q, want %q", c.name, got, c.exported)
		}
		if got := unexported(c.name); got != c.unexported {
			t.Errorf("unexported(%q) = %q, want %q", c.name, got, c.unexported)
		}
	}
}

func TestParams(t *testing.T) {
	got := params([]string{"order_id", "c", "type", "string", "a_1", "a1", "nil", "call"})
	want := []string{"orderID", "c_", "type_", "string_", "a1", "a1_", "nil_", "call"}
	if !slices.Equal(got, want) {
		t.Errorf("params = %v, want %v", got, want)
	}
}

func classNamed(names ...string) *ir.Set {
	set := &ir.Set{Name: "s", Go: ir.GoTarget{Package: "sretry", Dir: "sretry"}}
	for _, n := range names {
		set.Classes = append(set.Classes, ir.Class{Set: "s", Name: n})
	}
	return set
}

func TestNameClasses(t *testing.T) {
	reserved := map[string]bool{"Call": true, "Do": true, "aClass": true}
	names, mistakes := nameClasses(classNamed("a", "call", "call-class", "do", "type"), reserved)
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	want := []className{{"A", "aClass2"}, {"CallClass2", "callClass"}, {"CallClass", "callClassClass"}, {"DoClass", "doClass"}, {"Type", "typeClass"}}
	if !slices.Equal(names, want) {
		t.Errorf("names = %v, want %v", names, want)
	}
}

func TestOneGoNameForTwo(t *testing.T) {
	_, mistakes := nameClasses(classNamed("a-1b", "a1b"), nil)
	if len(mistakes) != 1 || mistakes[0].Message != `class "a1b" becomes the Go name A1b, which class "a-1b" has already` {
		t.Errorf("mistakes = %v", mistakes)
	}
}

// Nothing that the engine declares, in whatever group, may be taken by a class.
func TestReservedNames(t *testing.T) {
	reserved := reservedNames()
	for _, name := range []string{"Do", "Call", "GaveUp", "spec", "class", "context", "time", "specs", "Classes", "PolicyDigest", "DurableCall"} {
		if !reserved[name] {
			t.Errorf("%s is not reserved", name)
		}
	}
	if reserved["init"] || reserved["c"] {
		t.Error("a method or a local name is reserved")
	}
}
