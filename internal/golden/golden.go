// Package golden compares what a test got with what a file says the user sees,
// and rewrites the file when the run asks for that.
package golden

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/retryc/retryc/internal/unified"
)

// Update reports whether golden files are to be rewritten: RETRYC_UPDATE=1.
func Update() bool { return os.Getenv("RETRYC_UPDATE") == "1" }

// Compare fails the test unless the file at path holds got. With Update it
// writes the file instead, and its folder where that is missing.
func Compare(t testing.TB, path string, got []byte) {
	t.Helper()
	if Update() {
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, got) {
			return
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; to write it: RETRYC_UPDATE=1 go test ./...", err)
	}
	if !bytes.Equal(want, got) {
		diff := unified.Diff("want", want, "got", got)
		if diff == "" {
			diff = "line endings differ"
		}
		t.Errorf("%s differs; to accept it: RETRYC_UPDATE=1 go test ./...\n%s", path, diff)
	}
}
