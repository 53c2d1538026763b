package main

import (
	"fmt"
	"runtime/debug"
	"strings"
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
func (a *app) recoverFault(args []string, code *int) {
	if r := recover(); r != nil {
		a.reportFault(args, fmt.Errorf("%v\n%s", r, debug.Stack()), "")
		*code = exitFault
	}
}

// reportFault prints what somebody needs who is to mend it.
func (a *app) reportFault(args []string, cause error, input string) {
	fmt.Fprintf(a.stderr, "retryc: this is a fault of retryc, not of your policy; nothing was written by the step that failed\n")
	fmt.Fprintf(a.stderr, "please report it at https://github.com/retryc/retryc/issues with these lines and the policy:\n")
	fmt.Fprintf(a.stderr, "  retryc %s\n  version %s\n", strings.Join(args, " "), version())
	if input != "" {
		fmt.Fprintf(a.stderr, "  while reading %s\n", input)
	}
	fmt.Fprintf(a.stderr, "  %s\n", strings.ReplaceAll(strings.TrimSpace(cause.Error()), "\n", "\n  "))
}
