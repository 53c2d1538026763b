package engine

import (
	"slices"
	"strconv"
)

// condition is what an attempt ended in, as a number: a phase of failure, a gRPC
// code, an HTTP status, or a condition of the app's own.
type condition int16

const (
	conditionNone       condition = iota
	conditionUnsent               // certainly never reached the server
	conditionRefused              // the server says it did not process it
	conditionTimeout              // the attempt's own timeout
	conditionConnection           // broken after something was sent
	conditionError                // anything else
	conditionOffline              // no network
	conditionCrash                // the process ended during the attempt

	conditionGRPC condition = 32   // plus the code, 0 to 16
	conditionApp  condition = 1000 // plus the index in spec.Conditions
	// 100 to 599 are HTTP statuses.
)

var phaseNames = [...]string{
	conditionUnsent: "unsent", conditionRefused: "refused", conditionTimeout: "timeout",
	conditionConnection: "connection", conditionError: "error",
	conditionOffline: "offline", conditionCrash: "crash",
}

var grpcNames = [...]string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
	"PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE",
	"UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
}

const (
	grpcCancelled         = conditionGRPC + 1
	grpcDeadlineExceeded  = conditionGRPC + 4
	grpcResourceExhausted = conditionGRPC + 8
	grpcAborted           = conditionGRPC + 10
	grpcUnavailable       = conditionGRPC + 14
	grpcUnauthenticated   = conditionGRPC + 16
)

func (c condition) isHTTP() bool { return c >= 100 && c <= 599 }
func (c condition) isGRPC() bool { return c >= conditionGRPC && c <= grpcUnauthenticated }

// text is the word that policies use for c.
func (c condition) text(s *spec) string {
	switch {
	case c.isHTTP():
		return strconv.Itoa(int(c))
	case c.isGRPC():
		return grpcNames[c-conditionGRPC]
	case c >= conditionApp && int(c-conditionApp) < len(s.Conditions):
		return s.Conditions[c-conditionApp]
	case c > conditionNone && int(c) < len(phaseNames):
		return phaseNames[c]
	}
	return ""
}

// conditionRange reads a key of a policy's outcome maps: the conditions it
// covers, first and last. own holds the app's own names, which win over the
// words that mean something to everybody.
func conditionRange(own []string, on string) (first, last condition, ok bool) {
	if i := slices.Index(own, on); i >= 0 {
		c := conditionApp + condition(i)
		return c, c, true
	}
	if len(on) == 3 && on[0] >= '1' && on[0] <= '5' {
		if on[1:] == "xx" {
			c := condition(on[0]-'0') * 100
			return c, c + 99, true
		}
		if n, err := strconv.ParseUint(on, 10, 16); err == nil {
			return condition(n), condition(n), true
		}
	}
	for i := conditionUnsent; i <= conditionError; i++ {
		if phaseNames[i] == on {
			return i, i, true
		}
	}
	if i := slices.Index(grpcNames[:], on); i >= 0 {
		c := conditionGRPC + condition(i)
		return c, c, true
	}
	return 0, 0, false
}

// ambiguous reports whether the server may have applied an attempt that failed
// in c. It did not where nothing was sent, where it refused, and where it answered
// that the request itself was wrong or came too often. The gRPC codes follow the
// HTTP statuses that google/rpc/code.proto maps them to.
func (c condition) ambiguous() bool {
	switch {
	case c == conditionNone, c == conditionUnsent, c == conditionRefused, c == conditionOffline:
		return false
	case c.isHTTP():
		return c < 400 || c == 408 || c >= 500
	case c.isGRPC():
		return !c.answered() && c != grpcResourceExhausted
	}
	return true
}

// answered reports whether c comes from a server that works: such an answer to a
// retry gives back what the retry took from the budget.
func (c condition) answered() bool {
	switch {
	case c.isHTTP():
		return c < 500 && c != 408 && c != 429
	case c.isGRPC():
		switch c - conditionGRPC {
		case 1, 2, 4, 8, 13, 14, 15: // CANCELLED UNKNOWN DEADLINE_EXCEEDED RESOURCE_EXHAUSTED INTERNAL UNAVAILABLE DATA_LOSS
			return false
		}
		return true
	}
	return c == conditionNone
}
