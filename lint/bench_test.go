//go:build unix

package lint_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/lint"
)

// processor is the time that all processors have worked for this process: on a
// machine that others use as well it tells more than a clock.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// All rules over the same classes that were compiled in the same run, as a share
// of what compiling them cost; a tenth is the limit.
func BenchmarkRunAgainstCompile(b *testing.B) {
	for _, n := range []int{10, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			files := policies(n)
			start := processor()
			sets := compile(b, files)
			compiling := processor() - start
			start = processor()
			for b.Loop() {
				lint.Run(sets, lint.Options{Today: today})
			}
			each := (processor() - start) / time.Duration(b.N)
			b.ReportMetric(float64(each)/float64(compiling), "of-compiling")
			b.ReportMetric(float64(each.Nanoseconds())/float64(n), "cpu-ns/class")
		})
	}
}

// A tree of calls costs as much as it has edges: ten times the edges, ten times
// the time, whatever number of paths they make.
func BenchmarkGraph(b *testing.B) {
	var first float64
	for _, edges := range []int{10000, 100000} {
		b.Run(fmt.Sprint(edges), func(b *testing.B) {
			const width = 20
			var sets []*ir.Set
			for level := range edges / (width * width) {
				s := &ir.Set{Name: fmt.Sprintf("l%d", level), Dir: fmt.Sprintf("l%d", level)}
				for i := range width {
					c := ir.Class{
						Set: s.Name, Name: fmt.Sprintf("c%d", i), Doc: "x", Op: ir.Operation{Kind: ir.HTTP, Text: fmt.Sprintf("PUT h.example/%d/%d", level, i)},
						Effect: ir.Idempotent, Attempts: 2, AttemptTimeout: time.Second, Deadline: ir.Deadline{Within: time.Minute},
						Backoff: ir.Backoff{Base: time.Second, Factor: 2, Cap: 5 * time.Second},
					}
					for j := range width {
						if level > 0 {
							c.Calls = append(c.Calls, ir.Call{Class: fmt.Sprintf("l%d.c%d", level-1, j)})
						}
					}
					s.Classes = append(s.Classes, c)
				}
				sets = append(sets, s)
			}
			for b.Loop() {
				lint.Run(sets, lint.Options{Today: today})
			}
			per := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(edges)
			b.ReportMetric(per, "ns/edge")
			if first == 0 {
				first = per
			}
			b.ReportMetric(per/first, "of-the-first")
		})
	}
}
