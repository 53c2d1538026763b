// Package versus measures the engine beside the retry libraries in use, in one
// run. It is a module of its own, so that nobody who installs retryc downloads
// what it is measured against.
//
//	cd internal/versus && go test -bench . -benchmem
//
// Each row gives the same work to all: a closure that captures, a result, at most
// four attempts, exponential waits of nanoseconds, and a deadline of a minute where
// the library has one. Libraries that enforce no deadline are marked; they do less.
// Figures are multiples of one time.Now, so that runs on two machines can be
// compared.
package versus
