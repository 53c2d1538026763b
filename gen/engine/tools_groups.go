package engine

// Group is a set of files that a set of policies needs together. Every emitted
// file is in one group; each group compiles beside core alone.
type Group struct {
	Name  string
	When  string // which sets need it
	Files []string
}

// Groups lists the emitted files.
var Groups = []Group{
	{"core", "always", []string{
		"attempt.go", "backoff.go", "budget.go", "call.go", "class.go", "condition.go", "counters.go", "decision.go", "do.go",
		"fact.go", "gaveup.go", "key.go", "log.go", "observe.go", "opening.go", "options.go", "outcome.go", "phase.go", "reason.go",
		"run.go", "scope.go", "spec.go", "state.go",
	}},
	{"http", "a class of kind http", []string{
		"body.go", "pattern.go", "pushback.go", "response.go", "result.go", "routes.go", "transport.go",
	}},
	{"grpc", "a class of kind grpc", []string{"grpc.go"}},
	{"durable", "a class with timing queue or scheduler", []string{"durable.go", "row.go"}},
}
