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

const cohort = 200

// Two hundred clients fail in the same instant, against a server that stays down.
// With each attempt they are further apart; the same cohort without jitter, every
// wait at its ceiling, comes back as one each time.
func TestCohortDoesNotRealign(t *testing.T) {
	t.Parallel()
	spread, aligned := make(chan [5]int, 1), make(chan [5]int, 1)
	go func() { spread <- busiestSeconds(t, &paymentsretry.Options{}) }()
	go func() { aligned <- busiestSeconds(t, &paymentsretry.Options{Random: func() float64 { return 1 }}) }()
	with, without := <-spread, <-aligned
	t.Logf("of %d clients, most within one second: %v with jitter, %v without, for attempts 1 to 4", cohort, with[1:], without[1:])
	if with[1] != cohort {
		t.Fatalf("the cohort did not begin together: %d of %d", with[1], cohort)
	}
	for attempt := 2; attempt <= 4; attempt++ {
		if without[attempt] < cohort*95/100 {
			t.Errorf("attempt %d: without jitter %d of %d come back together; this test would not see them", attempt, without[attempt], cohort)
		}
	}
	// The waits are drawn from 0 to 1, 2 and 4 s, so no second can hold more than all,
	// about half and a quarter of a cohort; the bounds are six standard deviations off.
	for attempt, most := range map[int]int{3: cohort * 75 / 100, 4: cohort * 45 / 100} {
		if with[attempt] > most {
			t.Errorf("attempt %d: %d of %d come back within the same second, more than %d", attempt, with[attempt], cohort, most)
		}
	}
}

// busiestSeconds lets a cohort of clients fail together, and returns for each attempt
// how many of them the busiest second saw.
func busiestSeconds(t *testing.T, options *paymentsretry.Options) (most [5]int) {
	var mu sync.Mutex
	var arrivals [5][]time.Time
	attempts := map[string]int{} // by key
	var together sync.WaitGroup
	together.Add(cohort)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := time.Now()
		key := r.Header.Get("Idempotency-Key")
		mu.Lock()
		attempts[key]++
		n := min(attempts[key], 4)
		mu.Unlock()
		if n == 1 {
			together.Done()
			together.Wait()
			now = time.Now()
		}
		mu.Lock()
		arrivals[n] = append(arrivals[n], now)
		mu.Unlock()
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()
	client := &http.Client{Transport: paymentsretry.NewTransport(via(server), options)}

	var wg sync.WaitGroup
	for i := range cohort {
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
	for n := 1; n <= 4; n++ {
		at := arrivals[n]
		if len(at) != cohort {
			t.Errorf("%d clients made attempt %d, want %d", len(at), n, cohort)
		}
		slices.SortFunc(at, time.Time.Compare)
		for i, j := 0, 0; j < len(at); j++ {
			for at[j].Sub(at[i]) >= time.Second {
				i++
			}
			most[n] = max(most[n], j-i+1)
		}
	}
	return most
}
