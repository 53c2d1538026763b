// Package payments holds the policies of paymentsretry, and examples of its use.
package payments

//go:generate go run github.com/retryc/retryc/cmd/retryc gen .
