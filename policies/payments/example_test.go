package payments_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/retryc/retryc/policies/payments/paymentsretry"
)

// Charge makes one logical charge. The order id is its key: leave it out and the
// program does not compile, charge the order again and the provider knows it.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "charged once for key %s", r.Header.Get("Idempotency-Key"))
	}))
	defer server.Close()
	client := &http.Client{Transport: via(server)}

	receipt, err := paymentsretry.Do(context.Background(), paymentsretry.Charge.Call("order-1001"),
		func(ctx context.Context, a paymentsretry.Attempt) (string, error) {
			req, err := http.NewRequestWithContext(ctx, "POST", "http://api.payments.example/v1/charges", strings.NewReader(`{"amount":1999}`))
			if err != nil {
				return "", err
			}
			req.Header.Set("Idempotency-Key", string(a.Key))
			resp, err := client.Do(req)
			if err := a.Response(resp, err); err != nil {
				return "", err // the class says what it means
			}
			defer resp.Body.Close()
			text, err := io.ReadAll(resp.Body)
			return string(text), err
		})

	var gaveUp *paymentsretry.GaveUp
	if errors.As(err, &gaveUp) {
		fmt.Println("not charged for certain:", gaveUp.Reason, gaveUp.MaybeApplied)
		return
	}
	fmt.Println(receipt)
	// Output: charged once for key 4dc96d6a-ac74-80ce-b1a8-a0d6703c4c36
}

// The provider refuses the card. That is an answer, not an outage: it is not
// asked again.
func Example_declined() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusPaymentRequired)
	}))
	defer server.Close()
	client := &http.Client{Transport: paymentsretry.NewTransport(via(server))}

	ctx := paymentsretry.WithCall(context.Background(), paymentsretry.Charge.Call("order-1002"))
	req, err := http.NewRequestWithContext(ctx, "POST", "http://api.payments.example/v1/charges", strings.NewReader("{}"))
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := client.Do(req)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	reason, attempts := paymentsretry.Result(resp)
	fmt.Println(resp.Status, reason, attempts)
	// Output: 402 Payment Required rejected 1
}
