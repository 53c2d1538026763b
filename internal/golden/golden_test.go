package golden

import (
	"os"
	"path/filepath"
	"testing"
)

// recorder is a testing.TB that notes a failure instead of failing.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Fatalf(string, ...any) { r.failed = true; panic(r) }

func compare(t *testing.T, path, got string) (failed bool) {
	r := &recorder{TB: t}
	defer func() {
		if p := recover(); p != nil && p != any(r) {
			panic(p)
		}
		failed = r.failed
	}()
	Compare(r, path, []byte(got))
	return r.failed
}

func TestCompare(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder", "file")
	t.Setenv("RETRYC_UPDATE", "")
	if !compare(t, path, "one") {
		t.Error("a missing file passes")
	}
	t.Setenv("RETRYC_UPDATE", "1")
	if compare(t, path, "one") {
		t.Error("an update fails")
	}
	t.Setenv("RETRYC_UPDATE", "")
	if compare(t, path, "one") {
		t.Error("what was written does not compare")
	}
	if !compare(t, path, "two") {
		t.Error("a difference passes")
	}
	if text, _ := os.ReadFile(path); string(text) != "one" {
		t.Errorf("a comparison wrote %q", text)
	}
}
