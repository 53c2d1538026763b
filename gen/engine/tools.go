package engine

// This file is not emitted. It exports what the compiler, the linter, the
// simulator and the generator ask of the engine, so that what is emitted keeps
// few exported names.

// Spec is a class as the engine runs it.
type Spec = spec

// OutcomeRule, OutcomeLimit and BudgetSpec are the parts of a Spec.
type (
	OutcomeRule  = outcomeRule
	OutcomeLimit = outcomeLimit
	BudgetSpec   = budgetSpec
)

// The enums of a Spec, in the order of their constants: the same order and
// words as the enums of package ir.
type (
	Kind            = kind
	Effect          = effect
	Timing          = timing
	Jitter          = jitter
	KeySource       = keySource
	KeySent         = keySent
	RetryAfterMode  = retryAfterMode
	Outcome         = outcome
	WhenConstrained = whenConstrained
)
