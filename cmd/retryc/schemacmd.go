package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retryc/retryc/schema"
)

func (a *app) schemaCommand() *cobra.Command {
	var vendor bool
	cmd := &cobra.Command{
		Use:   "schema [DIR]",
		Short: "Print the policy language's schema, or write it where editors and cue vet find it",
		Long: `Schema prints the CUE schema of the policy language, which is also its
reference. With --vendor it writes the schema below DIR (the nearest folder upwards
that holds cue.mod, else this one): policies can then import
"` + schema.ImportPath + `" in editors and under "cue vet". Retryc itself
needs neither.

  retryc schema
  retryc schema --vendor`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !vendor {
				if len(args) > 0 {
					return fmt.Errorf("%q: a folder goes with --vendor", args[0])
				}
				for i, name := range schema.Names() {
					if i > 0 {
						fmt.Fprintln(a.stdout)
					}
					fmt.Fprintf(a.stdout, "// %s/%s\n\n%s", schema.ImportPath, name, schema.File(name))
				}
				return nil
			}
			root := moduleRoot(a.base)
			if len(args) > 0 {
				root = a.path(args[0])
			}
			written, err := schema.Vendor(root)
			if err != nil {
				return fmt.Errorf("%s: %w", root, bare(err))
			}
			for _, w := range written {
				rel, _ := filepath.Rel(a.base, filepath.Join(root, filepath.FromSlash(w)))
				fmt.Fprintf(a.stderr, "wrote %s\n", filepath.ToSlash(rel))
			}
			foreign, err := strangers(root)
			if err != nil {
				return fmt.Errorf("%s: %w", root, bare(err))
			}
			for _, name := range foreign {
				rel, _ := filepath.Rel(a.base, filepath.Join(root, filepath.FromSlash(schema.Dir), name))
				fmt.Fprintf(a.stderr, "%s is no file of the schema, and is part of it for CUE: move it away\n", filepath.ToSlash(rel))
				a.raise(exitFix)
			}
			if len(written)+len(foreign) == 0 {
				fmt.Fprintln(a.stderr, "the vendored schema is up to date")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&vendor, "vendor", false, "write the schema to disk")
	return cmd
}

// strangers lists the CUE files beside a vendored schema that are none of its own.
func strangers(root string) (names []string, err error) {
	entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(schema.Dir)))
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".cue") && !slices.Contains(schema.Names(), e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// moduleRoot is the nearest folder upwards that holds cue.mod, where CUE looks
// for packages, and dir itself where none does.
func moduleRoot(dir string) string {
	for d := dir; ; d = filepath.Dir(d) {
		if info, err := os.Stat(filepath.Join(d, "cue.mod")); err == nil && info.IsDir() {
			return d
		}
		if d == filepath.Dir(d) {
			return dir
		}
	}
}
