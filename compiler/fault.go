package compiler

import (
	"fmt"
	"runtime/debug"
)

// Fault is a failure of this program or of CUE, not of a policy: a panic, with
// what was being compiled.
type Fault struct {
	Input string // the folder
	Value any    // what was panicked with
	Stack []byte
}

func (f *Fault) Error() string {
	return fmt.Sprintf("retryc failed on %q: %v", f.Input, f.Value)
}

// guard turns a panic of f into a *Fault.
func guard(input string, f func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			if f, ok := v.(*Fault); ok {
				if f.Input == "" {
					f.Input = input
				}
				err = f
				return
			}
			err = &Fault{Input: input, Value: v, Stack: debug.Stack()}
		}
	}()
	f()
	return nil
}
