package engine

import (
	"context"
	"testing"
	"time"
)

// raceEnabled is set where the race detector counts allocations of its own.
var raceEnabled bool

type contextKey int

func layers(n int) context.Context {
	ctx := context.Background()
	for i := range n {
		ctx = context.WithValue(ctx, contextKey(i), i)
	}
	return ctx
}

var sink int

// doRows are the calls whose cost is promised.
var doRows = []struct {
	name   string
	ctx    context.Context
	class  *class
	fails  int
	allocs float64
}{
	{"first attempt", context.Background(), retrying(), 0, 0},
	{"under seven layers", layers(7), retrying(), 0, 1},
	{"keyed by the caller", context.Background(), retrying(func(s *spec) { s.KeySource = keyFromCaller }), 0, 1},
	{"keyed by fields", context.Background(), retrying(func(s *spec) { s.KeySource = keyFromFields }), 0, 2},
	{"one failure", layers(1), instant(2), 1, 4},
	{"three failures", layers(1), instant(4), 3, 4},
	{"attempt timeout", context.Background(), retrying(func(s *spec) { s.AttemptTimeout = time.Minute }), 0, 5},
}

// instant is a class whose waits are as short as waits can be.
func instant(attempts int) *class {
	return retrying(func(s *spec) { s.Attempts, s.Base, s.Cap = attempts, 1, 1 })
}

var errUnsent = Unsent(errBroken)

func (c *class) anyCall() Call {
	switch c.spec.KeySource {
	case keyFromCaller:
		return c.callKey("order-1")
	case keyFromFields:
		return c.callFields("order-1")
	}
	return c.call()
}

func callOnce(ctx context.Context, c *class, fails int) error {
	local := 0 // the closure captures and writes, as real ones do
	value, err := Do(ctx, c.anyCall(), func(ctx context.Context, a Attempt) (int, error) {
		if local++; local <= fails {
			return 0, errUnsent
		}
		return a.Number, nil
	})
	sink += value + local
	return err
}

func TestDoAllocates(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for _, row := range doRows {
		t.Run(row.name, func(t *testing.T) {
			got := testing.AllocsPerRun(200, func() {
				if err := callOnce(row.ctx, row.class, row.fails); err != nil {
					t.Fatal(err)
				}
			})
			if got > row.allocs {
				t.Errorf("%v allocations, promised are %v", got, row.allocs)
			}
		})
	}
}

func TestTheDecisionAllocatesNothing(t *testing.T) {
	c := retrying(asHTTP)
	if n := testing.AllocsPerRun(200, func() { decide(c) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// decide makes one decision before an attempt and one behind it.
func decide(c *class) {
	s := c.begin(0)
	c.start(&s, 0, false)
	v := c.after(&s, ending{On: 503}, 1, 0.5)
	sink += int(v.Next)
}

// BenchmarkDo reports each row as a multiple of what time.Now costs in the same
// run: figures of two machines can then be compared.
func BenchmarkDo(b *testing.B) {
	for _, row := range doRows {
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := callOnce(row.ctx, row.class, row.fails); err != nil {
					b.Fatal(err)
				}
			}
			inClockReads(b)
		})
	}
}

func BenchmarkDecision(b *testing.B) {
	c := retrying(asHTTP)
	b.ReportAllocs()
	for b.Loop() {
		decide(c)
	}
	b.ReportMetric(2*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mdecisions/s")
	inClockReads(b)
}

// inClockReads reports the time of an operation in reads of the clock.
func inClockReads(b *testing.B) {
	perOp := float64(b.Elapsed()) / float64(b.N)
	const reads = 200_000
	began := time.Now()
	for range reads {
		sinkTime = time.Now()
	}
	b.ReportMetric(perOp/(float64(time.Since(began))/reads), "×time.Now")
}

var sinkTime time.Time
