package ir

import "strings"

// classPaths lists the fields of a class. "*" stands for a key the author
// chooses (a code, a rule id) or an index of a list.
var classPaths = []string{
	"",
	"http", "grpc", "task",
	"aliases", "aliases.*",
	"effect", "duplicates", "owner",
	"attempts", "attemptTimeout",
	"deadline", "deadline.within", "deadline.mode", "deadline.extendAtMost",
	"timing",
	"backoff", "backoff.base", "backoff.factor", "backoff.cap", "backoff.jitter",
	"scheduler", "scheduler.profile", "scheduler.minBackoff", "scheduler.maxBackoff", "scheduler.maxGap",
	"startJitter",
	"idempotency", "idempotency.source", "idempotency.fields", "idempotency.fields.*",
	"idempotency.sent", "idempotency.header", "idempotency.quote", "idempotency.keptFor",
	"retryAfter", "retryAfter.mode", "retryAfter.max",
	"outcome", "outcome.*",
	"outcomeAfterAmbiguous", "outcomeAfterAmbiguous.*",
	"perOutcome", "perOutcome.*", "perOutcome.*.attempts", "perOutcome.*.base", "perOutcome.*.cap",
	"conditions", "conditions.*",
	"retryBudget", "retryBudget.ratio", "retryBudget.floor", "retryBudget.per",
	"nested", "audience", "whenOffline", "whenConstrained",
	"payload", "payload.max",
	"calls", "calls.*", "calls.*.class", "calls.*.remote", "calls.*.name", "calls.*.attempts",
	"waive", "waive.*", "waive.*.reason", "waive.*.until",
}

// setPaths lists the fields of a set other than its classes.
var setPaths = []string{
	"", "class",
	"go", "go.package", "go.dir",
	"retryBudgets", "retryBudgets.*", "retryBudgets.*.ratio", "retryBudgets.*.floor", "retryBudgets.*.per",
	"lint", "lint.*", "lint.*.severity", "lint.*.reason",
	"waive", "waive.*", "waive.*.reason", "waive.*.until",
}

// Paths lists the fields of a class by their paths, in the order of the
// language reference; "*" stands for a key of the author's or an index.
func Paths() []string { return append([]string(nil), classPaths[1:]...) }

// SetPaths is Paths for the fields of a set.
func SetPaths() []string { return append([]string(nil), setPaths[1:]...) }

func mustKnow(known []string, path string) {
	for _, k := range known {
		if k == path {
			return
		}
	}
	got := strings.Split(path, ".")
	for _, k := range known {
		if strings.Contains(k, "*") && fits(strings.Split(k, "."), got) {
			return
		}
	}
	panic("ir: no field " + path)
}

func fits(pattern, path []string) bool {
	if len(pattern) != len(path) {
		return false
	}
	for i := range pattern {
		if pattern[i] != "*" && pattern[i] != path[i] {
			return false
		}
	}
	return true
}
