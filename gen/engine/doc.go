// Package engine is the runtime that the generator emits into users' packages,
// file by file, changing the package clause and nothing else. It imports the
// standard library only.
//
// # How it hangs together
//
//   - A spec (spec.go) is a class as plain data; newClasses (class.go) turns the
//     table of specs into classes with their plans: outcome rules, waits, budgets.
//   - One decision (decision.go) says what happens next: start before an attempt,
//     after behind it. It reads no clock, draws nothing, sleeps never and allocates
//     nothing; whoever drives it brings the time and the chance along.
//   - Do (do.go) drives it in the caller, the transport (transport.go) under an
//     http.Client, and the simulator in virtual time, through tools.go.
//   - Attempt functions hand over facts (fact.go, phase.go, response.go); the
//     class alone says what they mean (outcome.go).
//   - A scope (scope.go) is what a context carries: options, a call, and the layer
//     that is already repeating.
//
// doc.go, the files that begin with tools, and the tests are not emitted; Groups
// says which of the others a set needs.
package engine
