package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retryc/retryc/compiler"
	"github.com/retryc/retryc/internal/nearest"
	"github.com/retryc/retryc/schema"
)

//go:embed starter
var starter embed.FS

// snippet is a file that init writes, and that --print prints.
type snippet struct {
	name  string // of --print
	path  string
	what  string
	ours  bool   // nobody else would have a file of this name: what is there is the user's work
	match string // what a file that was set up by hand would mention

	atRoot bool // it is read at the root of a repository only
}

var snippets = []snippet{
	{name: "policy", path: "policies/shop/shop.cue", what: "get-order (GET) and create-order (keyed POST), commented", ours: true},
	{name: "generate", path: "policies/shop/generate.go", what: "//go:generate {{retryc}} gen .", ours: true},
	{name: "gitattributes", path: ".gitattributes", what: "marks generated code as generated", match: "policies_gen.go"},
	{name: "pre-commit", path: ".pre-commit-config.yaml", what: "retryc-check, retryc-fmt", match: "retryc", atRoot: true},
	{name: "workflow", path: ".github/workflows/retryc.yml", what: "check and diff on pull requests", match: "retryc", atRoot: true},
}

func (a *app) initCommand() *cobra.Command {
	var show string
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a commented first policy, the schema for editors, and snippets for git, pre-commit and CI",
		Long: `Init writes a first policy and what goes with it. It asks nothing, never edits a
file that exists, and may be run again.

  retryc init
  retryc init --print pre-commit    print what init would write to .pre-commit-config.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if show != "" {
				return a.printSnippet(show)
			}
			return a.initialize()
		},
	}
	cmd.Flags().StringVar(&show, "print", "", "print a `SNIPPET` and write nothing: policy, generate, gitattributes, pre-commit or workflow")
	return cmd
}

func (a *app) printSnippet(name string) error {
	var names []string
	for _, s := range snippets {
		if s.name == name {
			_, err := a.stdout.Write(a.fill(s))
			return err
		}
		names = append(names, s.name)
	}
	if near := nearest.Of(name, names); near != "" {
		return fmt.Errorf("--print %q; did you mean %q?", name, near)
	}
	return fmt.Errorf("--print %q: one of %s", name, strings.Join(names, ", "))
}

func (a *app) initialize() error {
	// A folder that has policies needs no example.
	_, err := compiler.Find(compiler.Options{Base: a.base}, []string{"./..."})
	hasPolicies := err == nil
	if err != nil && !errors.Is(err, compiler.ErrNoSet) {
		return err
	}
	var kept []string
	for _, s := range snippets {
		if s.ours && hasPolicies {
			if _, err := os.Stat(a.path(s.path)); err == nil {
				kept = append(kept, s.path)
			}
			continue
		}
		text := a.fill(s)
		if root := repositoryRoot(a.base); s.atRoot && root != a.base {
			rel, _ := filepath.Rel(a.base, root)
			if here, err := os.ReadFile(filepath.Join(root, s.path)); err == nil && strings.Contains(string(here), s.match) {
				kept = append(kept, s.path)
				continue
			}
			fmt.Fprintf(a.stderr, "not written: %s counts at the root of the repository only; put there what %q prints\n",
				filepath.ToSlash(filepath.Join(rel, s.path)), a.called()+" init --print "+s.name)
			continue
		}
		old, err := os.ReadFile(a.path(s.path))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if err := writeNew(a.path(s.path), text); err != nil {
				return fmt.Errorf("%s: %w", s.path, bare(err))
			}
			fmt.Fprintf(a.stderr, "wrote %-38s %s\n", s.path, a.filled(s.what))
		case err != nil:
			return fmt.Errorf("%s: %w", s.path, bare(err))
		case s.ours || bytes.Equal(old, text) || strings.Contains(string(old), s.match):
			kept = append(kept, s.path)
		default:
			fmt.Fprintf(a.stderr, "kept %s: add the lines printed by %q\n", s.path, a.called()+" init --print "+s.name)
		}
	}
	vendored, err := a.initSchema()
	if err != nil {
		return err
	}
	if !vendored {
		kept = append(kept, "cue.mod")
	}
	if len(kept) == len(snippets)+1 {
		fmt.Fprintf(a.stderr, "kept %s: nothing to do\n", strings.Join(kept, ", "))
		return nil
	}
	if len(kept) > 0 {
		fmt.Fprintf(a.stderr, "kept %s\n", strings.Join(kept, ", "))
	}
	if hasPolicies {
		fmt.Fprintf(a.stderr, "next: %s check\n", a.called())
	} else {
		fmt.Fprintf(a.stderr, "next: edit policies/shop/shop.cue, then run: %s gen\n", a.called())
	}
	return nil
}

// initSchema vendors the schema; false: it was there.
func (a *app) initSchema() (bool, error) {
	root := moduleRoot(a.base)
	written, err := schema.Vendor(root)
	if err != nil {
		return false, fmt.Errorf("cue.mod: %w", bare(err))
	}
	if len(written) > 0 {
		fmt.Fprintf(a.stderr, "wrote %-38s %s\n", "cue.mod/", "the language's schema, for editors and cue vet")
	}
	return len(written) > 0, nil
}

// writeNew writes a file that does not exist, with its folders.
func writeNew(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return writeFile(path, text)
}

func (a *app) fill(s snippet) []byte {
	name := filepath.Base(s.path)
	switch s.name {
	case "policy": // not a policy of this module
		name = "shop.cue.txt"
	case "generate":
		name = "generate.go.txt"
	case "gitattributes":
		name = "gitattributes"
	case "pre-commit":
		name = "pre-commit.yaml"
		if a.isTool() {
			name = "pre-commit-tool.yaml"
		}
	case "workflow":
		name = "workflow.yml"
	}
	text, err := starter.ReadFile("starter/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return []byte(a.filled(string(text)))
}

func (a *app) filled(text string) string {
	text = strings.ReplaceAll(text, "{{retryc}}", a.called())
	return strings.ReplaceAll(text, "{{version}}", release())
}

// called is how people here call retryc.
func (a *app) called() string {
	if a.isTool() {
		return "go tool retryc"
	}
	return "retryc"
}

// isTool reports whether the module has retryc as a tool, so that "go tool
// retryc" is the version that go.mod names.
func (a *app) isTool() bool {
	for d := a.base; ; d = filepath.Dir(d) {
		if text, err := os.ReadFile(filepath.Join(d, "go.mod")); err == nil {
			return bytes.Contains(text, []byte(modulePath+"/cmd/retryc"))
		}
		if d == filepath.Dir(d) {
			return false
		}
	}
}

var releaseVersion = regexp.MustCompile(`^v\d+\.\d+\.\d+$`)

// release is the version as a tag to refer to; a build that is none refers to
// the branch.
func release() string {
	if v := version(); releaseVersion.MatchString(v) {
		return v
	}
	return "main"
}
