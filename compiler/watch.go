package compiler

import (
	"fmt"
	"runtime/metrics"
	"time"

	"github.com/retryc/retryc/compiler/ir"
)

// CUE is a language: a few characters can ask for more than there is, and its
// evaluator cannot be stopped. A folder that takes this much longer, or this much
// more memory, than any real one is given up; what was begun goes on until the
// process ends.
var (
	mostTime         = 2 * time.Minute
	mostBytes uint64 = 4 << 30

	// mostText bounds one file. A set of 10,000 classes has about 4 MiB.
	mostText int64 = 64 << 20
)

// watched compiles a folder, and gives it up when it takes too much.
func watched(folder Folder, compile func(Folder) Result) (Result, error) {
	type answer struct {
		result Result
		err    error
	}
	done := make(chan answer, 1)
	go func() {
		var a answer
		a.err = guard(folder.Dir, func() { a.result = compile(folder) })
		done <- a
	}()
	before := heapBytes()
	start := time.Now()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case a := <-done:
			return a.result, a.err
		case <-tick.C:
		}
		switch took := time.Since(start); {
		case took > mostTime:
			return gaveUp(folder, fmt.Sprintf("evaluating the policies takes longer than %s", ir.FormatDuration(mostTime))), nil
		case heapBytes() > before+mostBytes:
			return gaveUp(folder, fmt.Sprintf("evaluating the policies takes more than %s of memory", ir.FormatSize(int64(mostBytes)))), nil
		}
	}
}

func gaveUp(folder Folder, why string) Result {
	return Result{Folder: folder, Mistakes: []ir.Diagnostic{{
		Rule: ir.InvalidPolicy, Severity: ir.Error, Span: ir.Span{File: folder.Dir},
		Message: why + ": look for a comprehension that makes too much",
	}}}
}

// heapBytes is the memory of live and not yet collected objects.
func heapBytes() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
