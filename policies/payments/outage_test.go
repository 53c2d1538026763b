package payments_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/retryc/retryc/policies/payments/paymentsretry"
)

// The forms of Retry-After that RFC 9110 (10.2.3 and 5.6.7) allows. A date has
// whole seconds, so the instant asked for is the second after the next.
var retryAfterForms = map[string]func(now time.Time) (string, time.Time){
	"delta seconds": func(now time.Time) (string, time.Time) { return "1", now.Add(time.Second) },
	"IMF-fixdate":   dated(http.TimeFormat),
	"RFC 850 date":  dated("Monday, 02-Jan-06 15:04:05 GMT"),
	"asctime date":  dated(time.ANSIC),
}

func dated(layout string) func(time.Time) (string, time.Time) {
	return func(now time.Time) (string, time.Time) {
		at := now.UTC().Add(2 * time.Second).Truncate(time.Second)
		return at.Format(layout), at
	}
}

// A charge meets an outage, a server that asks for patience, and a connection
// that breaks after the charge was made. The customer pays once.
func TestChargeSurvivesAnOutage(t *testing.T) {
	for form, retryAfter := range retryAfterForms {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			server := newProvider(t, step{status: 503}, step{status: 429, retryAfter: retryAfter}, step{drop: true}, step{})
			client := &http.Client{Transport: paymentsretry.NewTransport(server.base())}
			body := []byte(`{"order":"o-` + form + `","amount":1999}`)

			ctx := paymentsretry.WithCall(context.Background(), paymentsretry.Charge.Call("o-"+form))
			req, err := http.NewRequestWithContext(ctx, "POST", "http://api.payments.example/v1/charges", bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if answer, _ := io.ReadAll(resp.Body); resp.StatusCode != 200 || string(answer) != `{"status":200}` {
				t.Errorf("the app got %d %s", resp.StatusCode, answer)
			}

			log := server.arrivals()
			if len(log) != 4 {
				t.Fatalf("%d requests reached the server, want 4", len(log))
			}
			for i, a := range log {
				if a.key == "" || a.key != log[0].key {
					t.Errorf("request %d has the key %q, the first %q", i+1, a.key, log[0].key)
				}
				if a.body != string(body) {
					t.Errorf("request %d has the body %q", i+1, a.body)
				}
				if i == 0 {
					continue
				}
				if !a.at.After(log[i-1].at) {
					t.Errorf("request %d came at once", i+1)
				}
				if asked := server.asked[i-1]; a.at.Before(asked) {
					t.Errorf("request %d came %v before the server was willing", i+1, asked.Sub(a.at))
				}
			}
			if len(server.charges) != 1 || server.charges[log[0].key] != 1 {
				t.Errorf("charges made: %v, want one", server.charges)
			}
		})
	}
}

// Against a server that stays down, the gaps grow until the attempts run out, and
// the end says why. Chance is fixed at its average, so that the gaps can be told.
func TestPersistentOutage(t *testing.T) {
	t.Parallel()
	server := newProvider(t, step{status: 503}, step{status: 503}, step{status: 503}, step{status: 503}, step{status: 503})
	options := &paymentsretry.Options{Random: func() float64 { return 0.5 }}
	ctx := paymentsretry.With(context.Background(), options)
	client := &http.Client{Transport: server.base()}

	_, err := paymentsretry.Do(ctx, paymentsretry.Charge.Call("o-2"), func(ctx context.Context, a paymentsretry.Attempt) (string, error) {
		req, err := http.NewRequestWithContext(ctx, "POST", "http://api.payments.example/v1/charges", bytes.NewReader([]byte("{}")))
		if err != nil {
			return "", err
		}
		req.Header.Set("Idempotency-Key", string(a.Key))
		resp, err := client.Do(req)
		if err := a.Response(resp, err); err != nil {
			return "", err
		}
		defer resp.Body.Close()
		receipt, err := io.ReadAll(resp.Body)
		return string(receipt), err
	})

	var gaveUp *paymentsretry.GaveUp
	if !errors.As(err, &gaveUp) {
		t.Fatalf("the error is %v", err)
	}
	if gaveUp.Reason != paymentsretry.ReasonExhausted || gaveUp.Attempts != 4 || gaveUp.Condition != "503" {
		t.Errorf("gave up: reason %s after %d attempts in %s", gaveUp.Reason, gaveUp.Attempts, gaveUp.Condition)
	}
	log := server.arrivals()
	if len(log) != 4 {
		t.Fatalf("%d requests, want 4", len(log))
	}
	for i, least := range []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second} {
		gap := log[i+1].at.Sub(log[i].at)
		t.Logf("gap %d: %v", i+1, gap.Round(time.Millisecond))
		if gap < least {
			t.Errorf("gap %d is %v, shorter than the %v that were drawn", i+1, gap, least)
		}
		if i > 0 && gap <= log[i].at.Sub(log[i-1].at) {
			t.Errorf("gap %d does not grow", i+1)
		}
	}
}

// A person waits for a look-up: one more try on a short gap, then the app has it
// back and can ask them.
func TestLookupIsHandedBack(t *testing.T) {
	t.Parallel()
	server := newProvider(t, step{status: 503}, step{status: 503}, step{})
	client := &http.Client{Transport: paymentsretry.NewTransport(server.base())}
	start := time.Now()
	resp, err := client.Get("http://api.payments.example/v1/charges/ch_1")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 503 || len(server.arrivals()) != 2 {
		t.Errorf("status %d after %d requests, want 503 after 2", resp.StatusCode, len(server.arrivals()))
	}
	if reason, attempts := paymentsretry.Result(resp); reason != paymentsretry.ReasonExhausted || attempts != 2 {
		t.Errorf("Result = %q, %d", reason, attempts)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("the person waited %v", took)
	}
}
