package schema

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func read(t *testing.T, parts ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Vendoring writes every file once, with a header that Same sees through.
func TestVendor(t *testing.T) {
	root := t.TempDir()
	written, err := Vendor(root)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"cue.mod/module.cue"}
	for _, name := range Names() {
		want = append(want, Dir+"/"+name)
	}
	if !reflect.DeepEqual(written, want) {
		t.Errorf("written %q, want %q", written, want)
	}
	if again, err := Vendor(root); err != nil || len(again) != 0 {
		t.Errorf("a second time: %q, %v", again, err)
	}
	shape := filepath.Join(root, filepath.FromSlash(Dir), "shape.cue")
	text := read(t, shape)
	if !strings.HasPrefix(text, headerMark+"\n"+digestMark+Digest()+"\n\n") {
		t.Errorf("header: %.120q", text)
	}
	vendored := map[string][]byte{}
	for _, name := range Names() {
		vendored[name] = []byte(strings.ReplaceAll(read(t, root, filepath.FromSlash(Dir), name), "\n", "\r\n"))
	}
	if !Same(vendored) {
		t.Error("the vendored files are not the same, with CRLF")
	}
	vendored["shape.cue"] = append(vendored["shape.cue"], "#More: 1\n"...)
	if Same(vendored) {
		t.Error("changed files are the same")
	}
	delete(vendored, "shape.cue")
	if Same(vendored) {
		t.Error("fewer files are the same")
	}
	// An older one is brought up to date.
	old := strings.Replace(text, "#Policy", "#Old", 1)
	if err := os.WriteFile(shape, []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
	if written, err := Vendor(root); err != nil || !reflect.DeepEqual(written, []string{Dir + "/shape.cue"}) {
		t.Errorf("an older one: %q, %v", written, err)
	}
	if read(t, shape) != text {
		t.Error("the older one is still there")
	}
}

// A file of somebody else's is never overwritten, and then nothing is written.
func TestVendorRefuses(t *testing.T) {
	root := t.TempDir()
	mine := filepath.Join(root, filepath.FromSlash(Dir), "rules.cue")
	if err := os.MkdirAll(filepath.Dir(mine), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(mine, []byte("package schema\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	written, err := Vendor(root)
	if err == nil || len(written) > 0 || !strings.Contains(err.Error(), `rules.cue" was not written by retryc`) {
		t.Errorf("%q, %v", written, err)
	}
	if read(t, mine) != "package schema\n" {
		t.Error("the file was overwritten")
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(mine), "shape.cue")); err == nil {
		t.Error("another file was written")
	}
}

// A module that is there is kept.
func TestVendorKeepsModule(t *testing.T) {
	root := t.TempDir()
	module := filepath.Join(root, "cue.mod", "module.cue")
	if err := os.MkdirAll(filepath.Dir(module), 0o755); err != nil {
		t.Fatal(err)
	}
	const text = "module: \"mine.example\"\nlanguage: version: \"v0.12.0\"\n"
	if err := os.WriteFile(module, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Vendor(root); err != nil {
		t.Fatal(err)
	}
	if read(t, module) != text {
		t.Error("the module file was changed")
	}
}

func TestFiles(t *testing.T) {
	files := Files()
	if len(files) != len(Names()) || len(files) < 3 {
		t.Errorf("files %q", Names())
	}
	files["shape.cue"][0] = 'X'
	if File("shape.cue")[0] == 'X' {
		t.Error("the caller can change the embedded text")
	}
	if File("nothing.cue") != nil {
		t.Error("a file that is not there")
	}
}
