package ir

import "time"

// Class is one operation class, complete: no default is left to apply.
type Class struct {
	Set  string // name of the set
	Name string // "photo-upload"
	Doc  string // the class's doc comment, without comment marks

	Op         Operation
	Aliases    []string // former names, in declared order
	Effect     Effect
	Duplicates Duplicates
	Owner      string

	Attempts       int           // attempts in all, the first included
	AttemptTimeout time.Duration // 0: none
	Deadline       Deadline
	Timing         Timing
	Backoff        Backoff       // zero with attempts 1 or timing scheduler, where not written
	Scheduler      Scheduler     // zero unless timing is scheduler
	StartJitter    time.Duration // 0 inline

	Idempotency Idempotency
	RetryAfter  RetryAfter

	Outcome               []OutcomeRule // as written, by key; the engine knows the defaults
	OutcomeAfterAmbiguous []OutcomeRule
	PerOutcome            []PerOutcome
	Conditions            []string // in declared order

	RetryBudget     *Budget // nil: none. A shared one carries its name
	Nested          Nested
	Audience        Audience
	WhenOffline     WhenOffline
	WhenConstrained WhenConstrained
	PayloadMax      int64 // bytes of one attempt; 0: not declared
	Calls           []Call
	Waive           []Waiver // by rule

	Spans SpanTable
}

// Operation is what a class repeats.
type Operation struct {
	Kind Kind
	Text string // the pattern, method or description as the policy has it
}

// Deadline bounds the starts of attempts.
type Deadline struct {
	Within       time.Duration // from the moment the operation was accepted
	Mode         DeadlineMode
	ExtendAtMost time.Duration // 0 unless Mode is Extend
}

// Backoff is the wait the engine makes after attempt n: a draw below
// min(Cap, Base·Factor^(n-1)).
type Backoff struct {
	Base   time.Duration
	Factor float64
	Cap    time.Duration
	Jitter Jitter
}

// Scheduler holds what the platform does, not what the engine does.
type Scheduler struct {
	Profile    string // "workmanager@2", "bgtask@1", "cron", "custom"
	MinBackoff time.Duration
	MaxBackoff time.Duration
	MaxGap     time.Duration // longest time between two grants planned for
}

// Idempotency says where the key of a logical operation comes from.
type Idempotency struct {
	Source  KeySource
	Fields  []string      // parameters of the constructor, in declared order
	Sent    KeySent       // meaningful where Source is not none
	Header  string        // meaningful where Sent is header
	Quote   bool          // send as a structured-field string
	KeptFor time.Duration // how long the server remembers a key; 0: not known
}

// RetryAfter says what a server's delay means.
type RetryAfter struct {
	Mode RetryAfterMode
	Max  time.Duration // stop and clamp only; follows Backoff.Cap where not written
}

// OutcomeRule gives one code, phase or condition a meaning.
type OutcomeRule struct {
	On   string // "503", "5xx", "UNAVAILABLE", "timeout", "slow_down"
	Then Outcome
}

// PerOutcome tightens the policy after attempts that end in On.
type PerOutcome struct {
	On       string
	Attempts int           // 0: the class's
	Base     time.Duration // 0: the class's
	Cap      time.Duration // 0: the class's
}

// Call is a layer below that may retry by itself: another class (Class set), or
// an external layer such as a sidecar (Name and Attempts set).
type Call struct {
	Class    string // "set.class"
	Remote   bool   // in another process, beyond the nesting guard
	Name     string
	Attempts int
}
