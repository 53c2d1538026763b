package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/retryc/retryc/internal/report"
)

// output is one --output FORMAT[:PATH].
type output struct {
	format report.Format
	path   string // "": stdout
}

// parseOutputs reads the values of --output; none means text on stdout.
func parseOutputs(values []string) ([]output, error) {
	if len(values) == 0 {
		values = []string{"text"}
	}
	var outs []output
	onStdout := ""
	paths := map[string]string{}
	for _, v := range values {
		name, path, hasPath := strings.Cut(v, ":")
		f, err := report.Find(name)
		if err != nil {
			return nil, err
		}
		switch {
		case hasPath && path == "":
			return nil, fmt.Errorf("--output %s: a file name is missing behind the colon", v)
		case !hasPath && onStdout != "":
			return nil, fmt.Errorf("two outputs for stdout: %s and %s; give all but one a file, as in --output sarif:out.sarif", onStdout, name)
		case !hasPath:
			onStdout = name
		case paths[path] != "":
			return nil, fmt.Errorf("two outputs for %s: %s and %s", path, paths[path], name)
		default:
			paths[path] = name
		}
		outs = append(outs, output{f, path})
	}
	return outs, nil
}

// write prints a report in every format asked for.
func (a *app) write(outs []output, text, machine *report.Report) error {
	for _, o := range outs {
		r := machine
		if o.format.Name == "text" {
			r = text
			r.Color = o.path == "" && a.colored(a.stdout)
		}
		if err := a.writeTo(o, func(w io.Writer) error { return o.format.Write(w, r) }); err != nil {
			return err
		}
	}
	return nil
}

// writeTo writes one output. A file appears whole or not at all.
func (a *app) writeTo(o output, write func(io.Writer) error) error {
	if o.path == "" {
		return write(a.stdout)
	}
	var buf bytes.Buffer
	if err := write(&buf); err != nil {
		return err
	}
	if err := writeFile(a.path(o.path), buf.Bytes()); err != nil {
		return fmt.Errorf("--output %s:%s: %w", o.format.Name, o.path, bare(err))
	}
	return nil
}

// path resolves a path of the command line.
func (a *app) path(p string) string { return from(a.base, p) }

func from(base, p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(base, p)
}

// writeFile replaces a file in one step, keeping its permissions. A symbolic link
// stays one: the file that it leads to is replaced.
func writeFile(path string, text []byte) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	} else if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
		return os.WriteFile(path, text, 0o644) // it leads to where nothing is yet
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(path, text, 0o644) // /dev/stdout, a pipe
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".retryc-*.tmp")
	if err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	_, err = temp.Write(text)
	if err == nil {
		err = temp.Chmod(mode)
	}
	if e := temp.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		os.Remove(temp.Name())
	}
	return err
}

// bare drops the machine's path from an error about a file that the message
// names already.
func bare(err error) error {
	switch e := err.(type) {
	case *os.PathError:
		return e.Err
	case *os.LinkError:
		return e.Err
	}
	return err
}
