package versus

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/avast/retry-go/v5"
	"github.com/cenkalti/backoff/v5"
	"github.com/eapache/go-resiliency/retrier"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/failsafehttp"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/hashicorp/go-retryablehttp"
	"github.com/retryc/retryc/gen/engine"
	sethvargo "github.com/sethvargo/go-retry"
)

const (
	attempts = 4
	within   = time.Minute
	base     = time.Nanosecond
	most     = 8 * time.Nanosecond
)

var errWork = errors.New("work failed")

// work is one operation: it fails a number of times and then has a result.
type work struct{ fails, done int }

func (w *work) attempt() (int, error) {
	if w.done++; w.done <= w.fails {
		return 0, errWork
	}
	return w.done, nil
}

var spec = engine.Spec{
	Set: "versus", Name: "work", KeyName: "work", Kind: engine.KindTask, Pattern: "work", Effect: engine.EffectIdempotent,
	Attempts: attempts, Within: within, Base: base, Factor: 2, Cap: most,
	Outcomes: []engine.OutcomeRule{{On: "error", Then: engine.Retry}},
}

// contenders all run one operation to its end.
var contenders = []struct {
	name       string
	noDeadline bool
	run        func(context.Context, *work) (int, error)
}{
	{"retryc", false, func() func(context.Context, *work) (int, error) {
		class := engine.NewClass(&spec)
		return func(ctx context.Context, w *work) (int, error) {
			return engine.Do(ctx, class.Call(), func(context.Context, engine.Attempt) (int, error) { return w.attempt() })
		}
	}()},
	{"failsafe-go", false, func() func(context.Context, *work) (int, error) {
		policy := retrypolicy.NewBuilder[int]().WithMaxAttempts(attempts).WithMaxDuration(within).WithBackoff(base, most).Build()
		executor := failsafe.With(policy)
		return func(ctx context.Context, w *work) (int, error) { return executor.WithContext(ctx).Get(w.attempt) }
	}()},
	{"cenkalti-backoff", false, func(ctx context.Context, w *work) (int, error) {
		b := backoff.NewExponentialBackOff()
		b.InitialInterval, b.MaxInterval, b.Multiplier = base, most, 2
		return backoff.Retry(ctx, w.attempt, backoff.WithBackOff(b), backoff.WithMaxTries(attempts), backoff.WithMaxElapsedTime(within))
	}},
	{"sethvargo-go-retry", false, func(ctx context.Context, w *work) (int, error) {
		b := sethvargo.WithMaxDuration(within, sethvargo.WithMaxRetries(attempts-1, sethvargo.WithCappedDuration(most, sethvargo.NewExponential(base))))
		return sethvargo.DoValue(ctx, b, func(context.Context) (int, error) {
			v, err := w.attempt()
			if err != nil {
				err = sethvargo.RetryableError(err)
			}
			return v, err
		})
	}},
	{"avast-retry-go", true, func(ctx context.Context, w *work) (int, error) {
		return retry.NewWithData[int](retry.Context(ctx), retry.Attempts(attempts), retry.Delay(base), retry.MaxDelay(most),
			retry.DelayType(retry.BackOffDelay), retry.LastErrorOnly(true)).Do(w.attempt)
	}},
	{"eapache-retrier", true, func() func(context.Context, *work) (int, error) {
		r := retrier.New(retrier.LimitedExponentialBackoff(attempts-1, base, most), nil)
		return func(ctx context.Context, w *work) (v int, err error) {
			err = r.RunCtx(ctx, func(context.Context) error {
				v, err = w.attempt()
				return err
			})
			return v, err
		}
	}()},
}

type key int

func layers(n int) context.Context {
	ctx := context.Background()
	for i := range n {
		ctx = context.WithValue(ctx, key(i), i)
	}
	return ctx
}

func BenchmarkOperation(b *testing.B) {
	for _, row := range []struct {
		name  string
		ctx   context.Context
		fails int
	}{
		{"first attempt succeeds", context.Background(), 0},
		{"under seven layers of context", layers(7), 0},
		{"second attempt succeeds", context.Background(), 1},
		{"fourth attempt succeeds", context.Background(), 3},
	} {
		for _, c := range contenders {
			name := row.name + "/" + c.name
			if c.noDeadline {
				name += " (no deadline)"
			}
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					w := work{fails: row.fails}
					if got, err := c.run(row.ctx, &w); err != nil || got != row.fails+1 {
						b.Fatalf("%d, %v", got, err)
					}
				}
				inClockReads(b)
			})
		}
	}
}

// stub answers like a transport of its own would, without a network.
type stub struct{}

func (stub) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Status: "200 OK", Proto: "HTTP/1.1", Body: io.NopCloser(strings.NewReader("ok")), Header: http.Header{}, Request: r}, nil
}

func BenchmarkTransport(b *testing.B) {
	get := spec
	get.Kind, get.Pattern, get.Effect, get.Outcomes = engine.KindHTTP, "GET api.example/v1/things/{id}", engine.EffectSafe, nil
	policy := failsafehttp.NewRetryPolicyBuilder().WithMaxAttempts(attempts).WithMaxDuration(within).WithBackoff(base, most).Build()
	retryable := retryablehttp.NewClient()
	retryable.Logger, retryable.RetryMax, retryable.HTTPClient = nil, attempts-1, &http.Client{Transport: stub{}}
	for _, c := range []struct {
		name      string
		transport http.RoundTripper
	}{
		{"net-http alone", stub{}},
		{"retryc", engine.NewTransportOf([]engine.Spec{get}, stub{})},
		{"failsafehttp", failsafehttp.NewRoundTripper(stub{}, policy)},
		{"retryablehttp (no deadline)", &retryablehttp.RoundTripper{Client: retryable}},
	} {
		b.Run(c.name, func(b *testing.B) {
			client := &http.Client{Transport: c.transport}
			req, err := http.NewRequest("GET", "https://api.example/v1/things/7", nil)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				resp, err := client.Do(req)
				if err != nil {
					b.Fatal(err)
				}
				resp.Body.Close()
			}
			inClockReads(b)
		})
	}
}

// Every contender does the work, and gives up after four attempts.
func TestContendersDoTheSame(t *testing.T) {
	for _, c := range contenders {
		for fails, want := range []int{1, 2, 3, 4} {
			w := work{fails: fails}
			if got, err := c.run(context.Background(), &w); got != want || err != nil {
				t.Errorf("%s: %d, %v after %d failures", c.name, got, err, fails)
			}
		}
		w := work{fails: 100}
		if _, err := c.run(context.Background(), &w); err == nil || w.done != attempts {
			t.Errorf("%s: %v after %d attempts", c.name, err, w.done)
		}
	}
}

func inClockReads(b *testing.B) {
	perOp := float64(b.Elapsed()) / float64(b.N)
	const reads = 200_000
	began := time.Now()
	for range reads {
		sink = time.Now()
	}
	b.ReportMetric(perOp/(float64(time.Since(began))/reads), "×time.Now")
}

var sink time.Time
