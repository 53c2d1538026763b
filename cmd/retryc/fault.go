package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/retryc/retryc/compiler"
	"github.com/retryc/retryc/internal/report"
)

// faultError is a fault of retryc's own that a package reported rather than
// panicked with.
type faultError struct {
	cause error
	input string // what was being read, where known
}

func (e *faultError) Error() string { return e.cause.Error() }
func (e *faultError) Unwrap() error { return e.cause }

// recoverFault turns a panic into a report and exit code 3.
func (a *app) recoverFault(code *int) {
	if r := recover(); r != nil {
		a.reportFault(&faultError{cause: &compiler.Fault{Value: r, Stack: debug.Stack()}})
		*code = exitFault
	}
}

// reportFault says in a line that retryc itself has failed, and on what. What
// somebody needs who is to mend it goes to a file in the temporary folder, and to
// stderr where that cannot be written.
func (a *app) reportFault(e *faultError) {
	a.raise(exitFault)
	what, stack := e.cause.Error(), ""
	var fault *compiler.Fault
	if errors.As(e.cause, &fault) {
		what, stack = fmt.Sprint(fault.Value), string(fault.Stack)
	}
	on := ""
	if e.input != "" {
		on = fmt.Sprintf(" on %q", e.input)
	}
	text := fmt.Sprintf("retryc %s\nversion %s\ninput %s\n\n%s\n\n%s", strings.Join(a.args, " "), version(), e.input, what, stack)
	line := fmt.Sprintf("retryc: a fault of retryc, not of your policy%s: %s", on, report.Plain(what))
	file, err := writeTemp("retryc-fault-*.txt", text)
	if err != nil {
		fmt.Fprintf(a.stderr, "%s; please report it at %s/issues with the policy and these lines:\n%s\n", line, homepage, strings.TrimRight(text, "\n"))
		return
	}
	fmt.Fprintf(a.stderr, "%s; please report it at %s/issues with the policy and %s\n", line, homepage, file)
}

const homepage = "https://github.com/retryc/retryc"

func writeTemp(pattern, text string) (name string, err error) {
	f, err := os.CreateTemp("", pattern)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if e := f.Close(); err == nil {
		err = e
	}
	return f.Name(), err
}
