// Package schema holds the policy language as CUE: its shape, which is also its
// reference, its constant defaults, and the rules between fields.
package schema

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"sort"
)

// ImportPath is the path under which a policy can import the schema.
const ImportPath = "github.com/retryc/retryc/schema"

//go:embed *.cue
var files embed.FS

// Files returns the CUE files of the schema by name. The caller owns the map.
func Files() map[string][]byte {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		panic(err) // an embedded folder can be read
	}
	out := make(map[string][]byte, len(entries))
	for _, e := range entries {
		text, err := files.ReadFile(e.Name())
		if err != nil {
			panic(err)
		}
		out[e.Name()] = text
	}
	return out
}

// File returns one file of the schema, and nil for a name that it does not have.
func File(name string) []byte {
	text, err := files.ReadFile(name)
	if err != nil {
		return nil
	}
	return text
}

// Names lists the files in order.
func Names() []string {
	var names []string
	for name := range Files() {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Digest identifies the text of the schema, whatever its line endings: 16
// hexadecimal digits.
func Digest() string { return digest(Files()) }

func digest(files map[string][]byte) string {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	h := sha256.New()
	for _, name := range names {
		h.Write([]byte(name))
		h.Write([]byte{0})
		h.Write(unixLines(files[name]))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}
