package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retryc/retryc/compiler"
	"github.com/retryc/retryc/internal/unified"
)

func (a *app) fmtCommand() *cobra.Command {
	var check, ifAny bool
	var stdinName string
	cmd := &cobra.Command{
		Use:   "fmt [FILE|DIR...]",
		Short: "Format policy files",
		Long: `Fmt formats CUE files: those named, those of the folders named, and by default
those of every policy set below this folder. "-" formats standard input. The
formatter is that of the CUE version that "retryc version" names.

  retryc fmt
  retryc fmt --check policies/payments    exit 1 and show a diff where something would change`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == "-" {
				return a.formatStdin(stdinName, check)
			}
			err := a.format(args, check)
			if ifAny && errors.Is(err, compiler.ErrNoSet) {
				fmt.Fprintln(a.stderr, "no policy set")
				return nil
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "write nothing; exit 1 and show a diff where something would change")
	cmd.Flags().BoolVar(&ifAny, "if-any", false, "exit 0 where there is no policy set to format")
	cmd.Flags().StringVar(&stdinName, "stdin-filename", "stdin.cue", "what messages call standard input")
	return cmd
}

func (a *app) formatStdin(name string, check bool) error {
	src, err := io.ReadAll(a.stdin)
	if err != nil {
		return err
	}
	out, err := compiler.Format(name, src)
	if err != nil {
		return err
	}
	if !check {
		_, err = a.stdout.Write(out)
		return err
	}
	if !bytes.Equal(src, out) {
		a.raise(exitFix)
		fmt.Fprint(a.stdout, unified.Diff(name, src, name+" (formatted)", out))
	}
	return nil
}

func (a *app) format(args []string, check bool) error {
	files, err := a.policyFiles(args)
	if err != nil {
		return err
	}
	changed := 0
	for _, shown := range files {
		file := a.path(shown)
		src, err := os.ReadFile(file)
		if err != nil {
			a.refuse(fmt.Errorf("%s: %w", shown, bare(err)))
			continue
		}
		out, err := compiler.Format(shown, src)
		if err != nil {
			a.refuse(err)
			continue
		}
		if bytes.Equal(src, out) {
			continue
		}
		changed++
		if check {
			a.raise(exitFix)
			if diff := unified.Diff(shown, src, shown+" (formatted)", out); diff != "" {
				fmt.Fprint(a.stdout, diff)
			} else {
				fmt.Fprintf(a.stdout, "%s: only its line endings would change\n", shown)
			}
			continue
		}
		if err := writeFile(file, out); err != nil {
			a.refuse(fmt.Errorf("%s: %w", shown, bare(err)))
			continue
		}
		fmt.Fprintf(a.stderr, "formatted %s\n", shown)
	}
	what := "formatted"
	if check {
		what = "to format; run: retryc fmt"
		if len(args) > 0 {
			what += " " + strings.Join(args, " ")
		}
		if changed == 0 {
			what = "to format"
		}
	}
	fmt.Fprintf(a.stderr, "%s: %d %s\n", count(len(files), "file"), changed, what)
	return nil
}

// policyFiles lists the CUE files that the arguments name, each once, in order.
func (a *app) policyFiles(args []string) ([]string, error) {
	var files []string
	seen := map[string]bool{}
	add := func(shown string) {
		if !seen[shown] {
			seen[shown] = true
			files = append(files, shown)
		}
	}
	var patterns []string
	for _, arg := range args {
		if info, err := os.Stat(a.path(arg)); err == nil && info.Mode().IsRegular() {
			add(filepath.ToSlash(arg))
			continue
		}
		patterns = append(patterns, arg)
	}
	if len(args) > 0 && len(patterns) == 0 {
		return files, nil
	}
	folders, err := compiler.Find(compiler.Options{Base: a.base}, patterns)
	if err != nil {
		return nil, err
	}
	for _, f := range folders {
		entries, err := os.ReadDir(a.path(f.Dir))
		if err != nil {
			a.refuse(fmt.Errorf("%s: %w", f.Dir, bare(err)))
			continue
		}
		n := len(files)
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".cue") && e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
				add(path.Join(f.Dir, e.Name()))
			}
		}
		if f.Named && len(files) == n {
			return nil, errors.New(f.Dir + " holds no CUE file")
		}
	}
	return files, nil
}
