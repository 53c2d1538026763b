package compiler

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"unicode/utf16"
)

// Options says where policies are read from.
type Options struct {
	// Base is the absolute folder that paths are shown relative to.
	Base string

	// Overlay holds texts by absolute path, in place of what is on disk or
	// beside it: git revisions, standard input. Its folders need not exist.
	Overlay map[string][]byte
}

// tree reads files and folders of the disk with the overlay above it.
type tree struct {
	base    string
	overlay map[string][]byte
	folders map[string]map[string]bool // folder -> name -> whether it is a folder
}

func newTree(opt Options) *tree {
	t := &tree{base: filepath.Clean(opt.Base), overlay: map[string][]byte{}, folders: map[string]map[string]bool{}}
	for name, text := range opt.Overlay {
		name = filepath.Clean(name)
		t.overlay[name] = text
		isDir := false
		for dir := filepath.Dir(name); ; dir = filepath.Dir(dir) {
			if t.folders[dir] == nil {
				t.folders[dir] = map[string]bool{}
			}
			t.folders[dir][filepath.Base(name)] = isDir
			if dir == filepath.Dir(dir) {
				break
			}
			name, isDir = dir, true
		}
	}
	return t
}

type entry struct {
	name string
	dir  bool
	link bool // a symbolic link, not followed when it leads to a folder
}

// list returns the entries of a folder by name.
func (t *tree) list(dir string) ([]entry, error) {
	byName := map[string]entry{}
	onDisk, err := os.ReadDir(dir)
	if err != nil && (t.folders[dir] == nil || !errors.Is(err, fs.ErrNotExist)) {
		return nil, err
	}
	for _, e := range onDisk {
		link := e.Type()&fs.ModeSymlink != 0
		kind := e.Type()
		if link {
			kind = 0 // a link to nothing is reported where it is read
			if info, err := os.Stat(filepath.Join(dir, e.Name())); err == nil {
				kind = info.Mode().Type()
			}
		}
		isDir := kind.IsDir()
		if !isDir && !kind.IsRegular() {
			continue // reading a pipe or a device might never end
		}
		byName[e.Name()] = entry{e.Name(), isDir, link}
	}
	for name, isDir := range t.folders[dir] {
		byName[name] = entry{name: name, dir: isDir}
	}
	out := make([]entry, 0, len(byName))
	for _, e := range byName {
		out = append(out, e)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].name < out[j].name })
	return out, nil
}

func (t *tree) read(name string) ([]byte, error) {
	if text, ok := t.overlay[name]; ok {
		return text, nil
	}
	return os.ReadFile(name)
}

func (t *tree) isDir(name string) bool {
	if t.folders[name] != nil {
		return true
	}
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func (t *tree) exists(name string) bool {
	if _, ok := t.overlay[name]; ok || t.folders[name] != nil {
		return true
	}
	_, err := os.Stat(name)
	return err == nil
}

// show words a path as people see it: relative to base, with forward slashes.
func (t *tree) show(abs string) string {
	rel, err := filepath.Rel(t.base, abs)
	if err != nil {
		rel = abs // another drive
	}
	return filepath.ToSlash(rel)
}

// abs is the inverse of show, and takes absolute paths too.
func (t *tree) abs(shown string) string {
	p := filepath.FromSlash(shown)
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(t.base, p)
}

// isPolicyFile reports whether CUE would read a file of that name as part of a
// package: tool and test files, hidden ones and those with "_" first are not.
func isPolicyFile(name string) bool {
	return strings.HasSuffix(name, ".cue") && !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "_") &&
		!strings.HasSuffix(name, "_tool.cue") && !strings.HasSuffix(name, "_test.cue")
}

// fromUTF16 decodes UTF-16, as editors and shells of Windows write it: with a
// byte order mark, or without one and every other byte zero.
func fromUTF16(text []byte) (utf8 []byte, ok bool) {
	var order binary.ByteOrder
	switch {
	case len(text) < 4:
		return nil, false
	case text[0] == 0xFF && text[1] == 0xFE, text[0] != 0 && text[1] == 0 && text[2] != 0 && text[3] == 0:
		order = binary.LittleEndian
	case text[0] == 0xFE && text[1] == 0xFF, text[0] == 0 && text[1] != 0 && text[2] == 0 && text[3] != 0:
		order = binary.BigEndian
	default:
		return nil, false
	}
	units := make([]uint16, len(text)/2)
	for i := range units {
		units[i] = order.Uint16(text[2*i:])
	}
	return []byte(string(utf16.Decode(units))), true
}
