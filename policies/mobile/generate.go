// Package mobile holds the policies of mobileretry, and examples of its use.
package mobile

//go:generate go run github.com/retryc/retryc/cmd/retryc gen .
