package compiler

import (
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/schema"
)

// open is what an import of the schema resolves to while a policy is compiled:
// the same names, without constraints. The constraints are held by the checks
// here, whose messages say what to do; a policy that unifies itself with the
// schema thus gets the same ones.
const open = `package schema

#Policy: {...}
#Class: {...}
#Budget: {...}
#Limit: {...}
#Call: {...}
#SeverityChange: {...}
#Waiver: {...}
`

// packages reads the packages that a unit imports: from its own module, and from
// cue.mod/pkg, gen and usr. Nothing is fetched.
type packages struct {
	u    *unit
	read map[string]*pkgFiles // by import path; nil: not to be had
}

func isStandard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}

// files returns the parsed files of an import, or nil.
func (p *packages) files(importPath string) *pkgFiles {
	if pkg, ok := p.read[importPath]; ok {
		return pkg
	}
	pkg := p.find(importPath)
	p.read[importPath] = pkg
	return pkg
}

func (p *packages) find(importPath string) *pkgFiles {
	u := p.u
	ip := ast.ParseImportPath(importPath)
	if ip.Path == schema.ImportPath {
		f, err := parser.ParseFile("schema", openSchema())
		if err != nil {
			panic(err)
		}
		return &pkgFiles{files: []*ast.File{f}}
	}
	for _, dir := range u.importDirs(ip.Path) {
		entries, err := u.tree.list(dir)
		if err != nil {
			continue
		}
		pkg := &pkgFiles{imports: p.files}
		for _, e := range entries {
			if e.dir || !isPolicyFile(e.name) {
				continue
			}
			abs := filepath.Join(dir, e.name)
			text, err := u.tree.read(abs)
			if err != nil {
				continue
			}
			clause, _ := parser.ParseFile(abs, text, parser.PackageClauseOnly)
			if clause == nil || clause.PackageName() != ip.Qualifier {
				continue
			}
			src := u.sources[abs]
			if src == nil {
				src = newSource(abs, u.tree.show(abs), text)
				u.sources[abs] = src
			}
			f := u.parse(src)
			if f == nil || u.excluded(f) != counts {
				continue
			}
			u.attributes(f)
			pkg.files = append(pkg.files, f)
		}
		if len(pkg.files) > 0 {
			return pkg
		}
	}
	return nil
}

// openSchema is open with every other definition of the schema as "_".
func openSchema() string {
	var b strings.Builder
	b.WriteString(open)
	for _, name := range definitionNames() {
		if !strings.Contains(open, "\n"+name+":") {
			b.WriteString(name + ": _\n")
		}
	}
	return b.String()
}

// importDirs lists the folders that an import path can stand for.
func (u *unit) importDirs(importPath string) []string {
	m := u.module
	if m == nil || m.root == "" {
		return nil
	}
	var dirs []string
	if m.path != "" {
		if rest, ok := strings.CutPrefix(importPath, m.path); ok && (rest == "" || rest[0] == '/') {
			dirs = append(dirs, filepath.Join(m.root, filepath.FromSlash(path.Clean("/"+rest))))
		}
	}
	for _, sub := range []string{"pkg", "gen", "usr"} {
		dirs = append(dirs, filepath.Join(m.root, "cue.mod", sub, filepath.FromSlash(path.Clean("/"+importPath))))
	}
	return dirs
}

// checkImports reports imports that cannot be had.
func (u *unit) checkImports(p *packages) (missing []missingImport) {
	const visiting, done = 1, 2
	seen := map[*pkgFiles]int{}
	var visit func(files []*ast.File)
	visit = func(files []*ast.File) {
		for _, f := range files {
			for spec := range f.ImportSpecs() {
				ip := importPath(spec)
				if isStandard(ip) {
					if !isBuiltin(ip) {
						missing = append(missing, missingImport{f, spec, u.noBuiltin(f, spec, ip), nil})
					}
					continue
				}
				pkg := p.files(ip)
				if pkg == nil {
					missing = append(missing, missingImport{f, spec, "", u.noImport(f, spec, ip)})
					continue
				}
				switch seen[pkg] {
				case 0:
					seen[pkg] = visiting
					visit(pkg.files)
					seen[pkg] = done
				case visiting:
					u.mistake(u.sources.span(spec.Path), "package %q imports itself by way of this", ip)
					missing = append(missing, missingImport{f, spec, "", nil})
				}
			}
		}
	}
	var own []*ast.File
	for _, f := range u.files {
		own = append(own, f.syntax)
	}
	visit(own)
	return missing
}

// missingImport is one that the rest of the file has to do without.
type missingImport struct {
	file *ast.File
	spec *ast.ImportSpec

	meant string   // the package of CUE's that it is a slip of
	names []string // of the packages that are in its folder
}

// builtins are the packages of CUE's that policies may import.
var builtins = []string{
	"crypto/ed25519", "crypto/hmac", "crypto/md5", "crypto/sha1", "crypto/sha256", "crypto/sha512", "encoding/base64",
	"encoding/csv", "encoding/hex", "encoding/json", "encoding/toml", "encoding/yaml", "html", "list", "math", "math/bits",
	"net", "path", "regexp", "strconv", "strings", "struct", "text/tabwriter", "text/template", "time", "uuid",
}

// isBuiltin asks CUE about a package that is not among the usual ones.
func isBuiltin(ip string) bool {
	if slices.Contains(builtins, ip) {
		return true
	}
	f, err := parser.ParseFile("builtin.cue", "import x "+strconv.Quote(ip)+"\n_x: x")
	if err != nil {
		return false
	}
	i := build.NewContext().NewInstance("", nil)
	if i.AddSyntax(f) != nil || i.Complete() != nil {
		return false
	}
	return cuecontext.New().BuildInstance(i).Err() == nil
}

func (u *unit) noBuiltin(f *ast.File, spec *ast.ImportSpec, ip string) (meant string) {
	at := u.sources.span(spec.Path)
	d := u.mistake(at, "CUE has no package %q", ip)
	if meant = near(ip, builtins); meant == "" {
		for _, b := range builtins { // "json" for "encoding/json"
			if strings.HasSuffix(b, "/"+ip) {
				meant = b
			}
		}
	}
	if meant != "" {
		right := strconv.Quote(meant)
		d.Message += "; did you mean " + right + "?"
		d.Help = []string{"import " + right}
		d.Fix = &ir.Fix{Title: "write " + right, Edits: []ir.Edit{{Span: at, Text: right}}}
		old, now := ast.ParseImportPath(ip).Qualifier, ast.ParseImportPath(meant).Qualifier
		if spec.Name == nil {
			u.renameUses(d.Fix, f, old, now)
		}
	}
	return meant
}

// renameUses adds the uses of a package by one name to a fix that gives it another.
func (u *unit) renameUses(fix *ir.Fix, f *ast.File, old, now string) {
	if old == now {
		return
	}
	ast.Walk(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && id.Name == old {
				fix.Edits = append(fix.Edits, ir.Edit{Span: u.sources.span(id), Text: now})
			}
		}
		return true
	}, nil)
}

// noImport reports an import that cannot be had, and returns the names of the
// packages that are in its folder instead.
func (u *unit) noImport(f *ast.File, spec *ast.ImportSpec, ip string) (names []string) {
	at := u.sources.span(spec.Path)
	m := u.module
	switch {
	case m.root == "":
		d := u.mistake(at, "package %q cannot be found: there is no cue.mod in this folder or above it", ip)
		d.Help = []string{"cue mod init example.com/policies"}
	case m.path != "" && (ip == m.path || strings.HasPrefix(ip, m.path+"/")):
		parsed := ast.ParseImportPath(ip)
		dir := filepath.Join(m.root, filepath.FromSlash(strings.TrimPrefix(strings.TrimPrefix(parsed.Path, m.path), "/")))
		names = u.packagesIn(dir)
		if len(names) == 0 {
			if right, names := u.folderBeside(dir, parsed); right != "" {
				d := u.mistake(at, "package %q cannot be found; did you mean %q?", ip, right)
				d.Help = []string{"import " + strconv.Quote(right)}
				if spec.Name != nil {
					d.Help[0] = "import " + spec.Name.Name + " " + strconv.Quote(right)
				}
				d.Fix = &ir.Fix{Title: "write " + strconv.Quote(right), Edits: []ir.Edit{{Span: at, Text: strconv.Quote(right)}}}
				if spec.Name == nil {
					d.Help[0] = "import " + parsed.Qualifier + " " + strconv.Quote(right) // by the name that it has below
					u.renameUses(d.Fix, f, parsed.Qualifier, names[0])
				}
				return names
			}
			switch shown := u.tree.show(dir); {
			case !u.tree.isDir(dir):
				u.mistake(at, "package %q cannot be found: there is no folder %s", ip, shown)
			case parsed.Qualifier == "":
				u.mistake(at, "package %q cannot be found: no file of a package in %s", ip, shown)
			default:
				u.mistake(at, "package %q cannot be found: no file of package %s in %s", ip, parsed.Qualifier, shown)
			}
			return nil
		}
		d := u.mistake(at, "package %q cannot be found: what is in %s is package %s", ip, u.tree.show(dir), enumerate(names))
		right := strconv.Quote(parsed.Path + ":" + names[0])
		d.Help = []string{"import " + right}
		if len(names) == 1 {
			d.Fix = &ir.Fix{Title: "write " + right, Edits: []ir.Edit{{Span: at, Text: right}}}
		}
	default:
		d := u.mistake(at, "package %q cannot be had offline, and retryc fetches nothing", ip)
		d.Help = []string{"copy the package to cue.mod/pkg/" + ast.ParseImportPath(ip).Path}
	}
	return names
}

// folderBeside finds the package that an import path is a slip of: one in a folder
// of the module beside the one that it names. The names are those that it is used
// by: of the package, and of the path as it is.
func (u *unit) folderBeside(dir string, ip ast.ImportPath) (right string, names []string) {
	if dir == u.module.root {
		return "", nil
	}
	entries, err := u.tree.list(filepath.Dir(dir))
	if err != nil {
		return "", nil
	}
	var folders []string
	for _, e := range entries {
		if e.dir && e.name != "cue.mod" && slices.Contains(u.packagesIn(filepath.Join(filepath.Dir(dir), e.name)), e.name) {
			folders = append(folders, e.name)
		}
	}
	m := near(filepath.Base(dir), folders)
	if m == "" {
		return "", nil
	}
	return path.Join(path.Dir(ip.Path), m), []string{m}
}

// packagesIn lists the names of the packages in a folder.
func (u *unit) packagesIn(dir string) []string {
	entries, err := u.tree.list(dir)
	if err != nil {
		return nil
	}
	names := map[string]bool{}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.name, ".cue") {
			continue
		}
		text, err := u.tree.read(filepath.Join(dir, entry.name))
		if err != nil {
			continue
		}
		f, err := parser.ParseFile(entry.name, text, parser.PackageClauseOnly)
		if err == nil && f.PackageName() != "" {
			names[f.PackageName()] = true
		}
	}
	return sorted(names)
}

// checkVendored warns of a vendored schema that is not the one built in: at its
// import, or at the package clause of a set that does not import it.
func (u *unit) checkVendored() {
	if u.module.root == "" {
		return
	}
	dir := filepath.Join(u.module.root, filepath.FromSlash(schema.Dir))
	entries, err := u.tree.list(dir)
	if err != nil {
		return // not vendored: retryc has its own
	}
	vendored := map[string][]byte{}
	for _, e := range entries {
		if !e.dir && strings.HasSuffix(e.name, ".cue") {
			if text, err := u.tree.read(filepath.Join(dir, e.name)); err == nil {
				vendored[e.name] = text
			}
		}
	}
	if len(vendored) == 0 || schema.Same(vendored) {
		return
	}
	var at, clause ir.Span
	for _, f := range u.files {
		for spec := range f.syntax.ImportSpecs() {
			if at.IsZero() && ast.ParseImportPath(importPath(spec)).Path == schema.ImportPath {
				at = u.sources.span(spec.Path)
			}
		}
		if p := packageClause(f.syntax); p != nil && clause.IsZero() {
			clause = u.sources.span(p.Name)
		}
	}
	if at.IsZero() {
		at = clause
	}
	d := u.warning(at, "the schema in %s is not the one of this retryc: editors and cue vet may say something else", u.tree.show(dir))
	d.Help = []string{"retryc schema --vendor"}
}

// instance makes a build instance of files with everything that they import.
// Both belong to one context: CUE writes into the syntax it builds.
func (p *packages) instance(files []*ast.File) (*build.Instance, error) {
	ctx := build.NewContext()
	loading := map[string]bool{} // CUE itself does not notice a cycle
	var load build.LoadFunc
	load = func(_ token.Pos, importPath string) *build.Instance {
		if isStandard(importPath) || loading[importPath] {
			return nil
		}
		loading[importPath] = true
		defer delete(loading, importPath)
		pkg := p.files(importPath)
		if pkg == nil {
			return nil
		}
		i := ctx.NewInstance(importPath, load)
		i.ImportPath = importPath
		for _, f := range pkg.files {
			if err := i.AddSyntax(f); err != nil {
				return nil
			}
		}
		if err := i.Complete(); err != nil {
			i.Err = nil
		}
		return i
	}
	i := ctx.NewInstance("", load)
	for _, f := range files {
		if err := i.AddSyntax(f); err != nil {
			return i, err
		}
	}
	return i, i.Complete()
}
