package engine

// Group is a set of files that a set of policies needs together. Every emitted
// file is in one group; each group compiles beside core alone.
type Group struct {
	Name  string
	When  string // which sets need it
	Files []string
	Tests []string // the tests of the group that can run on an emitted copy: standard library only
}

// Groups lists the emitted files.
var Groups = []Group{
	{
		Name: "core", When: "always",
		Files: []string{
			"attempt.go", "backoff.go", "budget.go", "call.go", "class.go", "condition.go", "counters.go", "decision.go",
			"do.go", "fact.go", "gaveup.go", "key.go", "log.go", "observe.go", "opening.go", "options.go", "outcome.go",
			"pause.go", "phase.go", "reason.go", "redact.go", "run.go", "scope.go", "settle.go", "spec.go", "state.go", "wire.go",
		},
		Tests: []string{
			"alloc_test.go", "backoff_test.go", "budget_test.go", "cancel_test.go", "common_test.go", "condition_test.go", "decision_test.go", "do_test.go",
			"hooks_test.go", "key_test.go", "layers_test.go", "log_test.go", "phase_test.go", "pushback_decision_test.go", "race_test.go", "start_test.go",
		},
	},
	{
		Name: "http", When: "a class of kind http",
		Files: []string{
			"body.go", "pattern.go", "pushback.go", "replay.go", "response.go", "result.go", "routes.go", "transport.go",
		},
		Tests: []string{
			"body_test.go", "h2_serve_test.go", "once_test.go", "pattern_test.go", "pushback_test.go", "redirect_test.go", "replay_test.go", "response_test.go",
			"serve_test.go", "transport_alloc_test.go", "transport_test.go", "wire_test.go",
		},
	},
	{
		Name: "grpc", When: "a class of kind grpc",
		Files: []string{"grpc.go"},
		Tests: []string{"grpc_test.go"},
	},
	{
		Name: "durable", When: "a class with timing queue or scheduler",
		Files: []string{"durable.go", "row.go"},
		Tests: []string{"row_test.go"},
	},
}
