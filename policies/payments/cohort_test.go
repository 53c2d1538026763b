package payments_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/retryc/retryc/policies/payments/paymentsretry"
)

// Two hundred clients fail in the same instant. When they are back for the last
// time, no second sees most of them: without jitter each would see all.
func TestCohortDoesNotRealign(t *testing.T) {
	t.Parallel()
	const clients = 200
	var mu sync.Mutex
	var last []time.Time         // arrivals of fourth attempts
	attempts := map[string]int{} // by key
	var together sync.WaitGroup
	together.Add(clients)

	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := time.Now()
		key := r.Header.Get("Idempotency-Key")
		mu.Lock()
		attempts[key]++
		n := attempts[key]
		if n == 4 {
			last = append(last, now)
		}
		mu.Unlock()
		if n == 1 {
			together.Done()
			together.Wait()
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(server.Close)
	client := &http.Client{Transport: paymentsretry.NewTransport(via(server))}

	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			ctx := paymentsretry.WithCall(context.Background(), paymentsretry.Charge.Call(fmt.Sprint("order-", i)))
			req, err := http.NewRequestWithContext(ctx, "POST", "http://api.payments.example/v1/charges", strings.NewReader("{}"))
			if err != nil {
				t.Error(err)
				return
			}
			resp, err := client.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		})
	}
	wg.Wait()

	if len(last) != clients {
		t.Fatalf("%d clients came a fourth time, want %d", len(last), clients)
	}
	slices.SortFunc(last, time.Time.Compare)
	most := 0
	for i, j := 0, 0; j < len(last); j++ {
		for last[j].Sub(last[i]) >= time.Second {
			i++
		}
		most = max(most, j-i+1)
	}
	t.Logf("of %d clients, at most %d came back within one second, over %v", clients, most, last[len(last)-1].Sub(last[0]).Round(100*time.Millisecond))
	// Waits drawn from 0 to 4 s put a quarter of a cohort into a second; 45 % is six
	// standard deviations above that.
	if most > clients*45/100 {
		t.Errorf("%d of %d clients came back within the same second", most, clients)
	}
}
