package unified

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDiff(t *testing.T) {
	got := Diff("old", []byte("a\nb\nc\nd\ne\nf\n"), "new", []byte("a\nb\nc\nD\ne\nf\ng\n"))
	want := "--- old\n+++ new\n@@ -1,6 +1,7 @@\n a\n b\n c\n-d\n+D\n e\n f\n+g\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := Diff("a", []byte("x\r\ny\r\n"), "b", []byte("x\ny\n")); got != "" {
		t.Errorf("line endings count: %q", got)
	}
}

// TestPatch lets the real patch program turn one text into the other.
func TestPatch(t *testing.T) {
	patch, err := exec.LookPath("patch")
	if err != nil {
		t.Skip("SKIP: the program patch is not installed")
	}
	line := rapid.SampledFrom([]string{"a", "b", "c", "{", "}", ""})
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) string {
			return strings.Join(rapid.SliceOfN(line, 0, 30).Draw(t, name), "\n") + "\n"
		}
		old, new := text("old"), text("new")
		diff := Diff("f", []byte(old), "f", []byte(new))
		if diff == "" {
			if old != new {
				t.Fatalf("no diff between %q and %q", old, new)
			}
			return
		}
		dir, err := os.MkdirTemp("", "patch")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		f := filepath.Join(dir, "f")
		os.WriteFile(f, []byte(old), 0o666)
		cmd := exec.Command(patch, "-s", f)
		cmd.Stdin = strings.NewReader(diff)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("patch: %v\n%s\n%s", err, out, diff)
		}
		if got, _ := os.ReadFile(f); string(got) != new {
			t.Fatalf("patched %q, want %q\n%s", got, new, diff)
		}
	})
}
