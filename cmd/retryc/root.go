package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retryc/retryc/compiler"
	"github.com/retryc/retryc/internal/nearest"
)

// The exit codes of every command; the highest that applies wins, whatever the
// output format.
const (
	exitOK       = 0 // nothing to do
	exitFix      = 1 // something to fix or to accept
	exitUnusable = 2 // the input or the call could not be used
	exitFault    = 3 // a fault of retryc's own
)

// app is one run of the command: where it reads, writes and looks.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	base           string   // absolute folder that all paths are relative to
	args           []string // the whole command line
	chdir          []string // -C
	color          string   // --color
	code           int      // the highest exit code so far

	compiles func(compiler.Options, []compiler.Folder) ([]compiler.Result, error) // compiler.Compile
}

// Run runs the command with its arguments and returns the exit code.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	a := &app{args: args, stdin: stdin, stdout: stdout, stderr: stderr, compiles: compiler.Compile}
	return a.run()
}

func (a *app) run() (code int) {
	defer a.recoverFault(&code)
	root := a.command()
	root.SetArgs(a.args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	if err := root.Execute(); err != nil {
		var fault *faultError
		if errors.As(err, &fault) {
			a.reportFault(fault)
			return a.code
		}
		if err.Error() != "" {
			fmt.Fprintf(a.stderr, "retryc: %v\n", err)
		}
		a.raise(exitUnusable)
	}
	return a.code
}

// raise keeps the highest exit code.
func (a *app) raise(code int) { a.code = max(a.code, code) }

func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "retryc",
		Short: "Retry policies as reviewed artifacts: declared in CUE, linted, compared, compiled to Go",
		Long: `Retryc turns operation classes written in CUE into findings, semantic diffs and a
Go package that contains the retry engine.

Exit codes: 0 nothing to do, 1 something to fix or accept, 2 the input or the
call could not be used, 3 a fault of retryc's own.`,
		Args:              cobra.ArbitraryArgs,
		SilenceUsage:      true,
		SilenceErrors:     true,
		DisableAutoGenTag: true,
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error { return a.start() },
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknownCommand(cmd, args[0])
		},
	}
	root.PersistentFlags().StringArrayVarP(&a.chdir, "chdir", "C", nil, "run as if started in `DIR`; a second one is relative to the first, as with git")
	root.PersistentFlags().StringVar(&a.color, "color", "auto", "color text: `WHEN` is auto, always or never (auto: on a terminal without NO_COLOR)")
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		a.checkCommand(), a.lintCommand(), a.genCommand(), a.verifyCommand(),
		a.diffCommand(), a.showCommand(), a.explainCommand(), a.rulesCommand(),
		a.initCommand(), a.fmtCommand(), a.schemaCommand(), a.versionCommand(),
	)
	root.SetHelpCommand(&cobra.Command{Use: "help [COMMAND]", Short: "Help about a command", RunE: func(cmd *cobra.Command, args []string) error {
		target, rest, err := root.Find(args)
		if err != nil || len(rest) > 0 {
			return unknownCommand(root, strings.Join(args, " "))
		}
		return target.Help()
	}})
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args = cobra.ArbitraryArgs
			c.RunE = func(cmd *cobra.Command, args []string) error {
				if len(args) == 0 {
					return cmd.Help()
				}
				return unknownCommand(cmd, args[0])
			}
		}
	}
	return root
}

// start resolves the folder of the run and the global flags.
func (a *app) start() error {
	switch a.color {
	case "auto", "always", "never":
	default:
		return fmt.Errorf("--color %q: one of auto, always, never", a.color)
	}
	base, err := filepath.Abs("")
	if err != nil {
		return err
	}
	for _, dir := range a.chdir {
		if dir == "" {
			continue
		}
		base = filepath.Clean(from(base, dir))
		info, err := os.Stat(base)
		if err != nil {
			return fmt.Errorf("-C %s: no such folder", dir)
		}
		if !info.IsDir() {
			return fmt.Errorf("-C %s: not a folder", dir)
		}
	}
	if real, err := filepath.EvalSymlinks(base); err == nil {
		base = real
	}
	a.base = base
	return nil
}

// colored reports whether what goes to w is colored.
func (a *app) colored(w io.Writer) bool {
	switch a.color {
	case "always":
		return true
	case "never":
		return false
	}
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && terminal(w)
}

// terminal reports whether w is a terminal rather than a file or a pipe.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func unknownCommand(cmd *cobra.Command, name string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	if near := nearest.Of(name, names); near != "" {
		return fmt.Errorf("unknown command %q; did you mean %q?", name, near)
	}
	return fmt.Errorf("unknown command %q; \"retryc help\" lists them", name)
}

// flagError suggests the nearest flag.
func flagError(cmd *cobra.Command, err error) error {
	name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return fmt.Errorf("%v; see \"%s --help\"", err, cmd.CommandPath())
	}
	var names []string
	for _, m := range flagNames.FindAllStringSubmatch(cmd.Flags().FlagUsages()+cmd.InheritedFlags().FlagUsages(), -1) {
		names = append(names, m[1])
	}
	if near := nearest.Of(name, names); near != "" {
		return fmt.Errorf("unknown flag --%s; did you mean --%s?", name, near)
	}
	return fmt.Errorf("unknown flag --%s; see \"%s --help\"", name, cmd.CommandPath())
}

// flagNames reads the names of flags out of their usage lines.
var flagNames = regexp.MustCompile(`(?m)^ *(?:-\w, )?--([a-z-]+)`)
