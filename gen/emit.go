package gen

import (
	"bytes"
	"embed"
	"fmt"
	"go/parser"
	"go/token"
	"slices"
	"sort"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/gen/engine"
)

// engineSource is the engine as it was compiled and tested in this module.
//
//go:embed engine/*.go
var engineSource embed.FS

// File is one generated file.
type File struct {
	Name string // within the package's folder
	Text []byte
}

// Package is the generated package of one set.
type Package struct {
	Dir   string // where it goes, shown: the set's folder and go.dir, forward slashes
	Files []File // by name
}

// Generate makes the package of a set. The bytes depend on the policies alone.
// Mistakes are what only the author can mend, such as two classes that become
// one Go name; the error is a fault of the generator's own.
func Generate(set *ir.Set) (*Package, []ir.Diagnostic, error) {
	names, mistakes := nameClasses(set, reservedNames())
	if len(mistakes) > 0 {
		return nil, mistakes, nil
	}
	policies, err := printPolicies(set, names)
	if err != nil {
		return nil, nil, err
	}
	pkg := &Package{Dir: join(set.Dir, set.Go.Dir), Files: []File{{policiesFile, policies}}}
	for _, g := range engine.Groups {
		if !needed(g.Name, set) {
			continue
		}
		for _, name := range g.Files {
			text, err := emit(name, set.Go.Package)
			if err != nil {
				return nil, nil, err
			}
			pkg.Files = append(pkg.Files, File{emittedName(name), text})
		}
	}
	sort.Slice(pkg.Files, func(i, j int) bool { return pkg.Files[i].Name < pkg.Files[j].Name })
	return pkg, nil, nil
}

// emittedName tells the engine's files from the one of the policies.
func emittedName(engineFile string) string { return "engine_" + engineFile }

// needed says which groups of the engine's files a set carries, so that a set
// without an HTTP class does not link net/http.
func needed(group string, set *ir.Set) bool {
	switch group {
	case "core":
		return true
	case "http":
		return slices.ContainsFunc(set.Classes, func(c ir.Class) bool { return c.Op.Kind == ir.HTTP })
	case "grpc":
		return slices.ContainsFunc(set.Classes, func(c ir.Class) bool { return c.Op.Kind == ir.GRPC })
	case "durable":
		return slices.ContainsFunc(set.Classes, func(c ir.Class) bool { return c.Timing != ir.Inline })
	}
	panic("gen: the engine has a group that nothing asks for: " + group)
}

// emit returns a file of the engine with the header before it and the package
// clause replaced by offset. Nothing else changes: what is emitted is what was
// tested.
func emit(name, pkg string) ([]byte, error) {
	src, err := engineSource.ReadFile("engine/" + name)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.PackageClauseOnly)
	if err != nil {
		return nil, err
	}
	start := fset.Position(f.Name.Pos()).Offset
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s\n\n", Header)
	out.Write(src[:start])
	out.WriteString(pkg)
	out.Write(src[start+len(f.Name.Name):])
	return out.Bytes(), nil
}

// reservedNames are all package-level names of all groups, so that a set that
// gains a feature does not rename its classes, and the generated file's own.
func reservedNames() map[string]bool {
	names := map[string]bool{}
	for _, n := range ownNames {
		names[n] = true
	}
	for _, g := range engine.Groups {
		for _, name := range g.Files {
			src, err := engineSource.ReadFile("engine/" + name)
			if err != nil {
				panic(err) // a group names a file that is not embedded; a test reads them all
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
			if err != nil {
				panic(err)
			}
			topLevel(f, names)
		}
	}
	return names
}
