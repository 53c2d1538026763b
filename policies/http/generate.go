// Package http holds the policies of httpretry, and examples of its use.
package http

//go:generate go run github.com/retryc/retryc/cmd/retryc gen .
