package engine

import "time"

// spec is what one class compiles to: plain data, printed as a literal into the
// generated package. The zero value of each enum is the language's default.
type spec struct {
	Set      string // "payments"
	Name     string // "charge"
	KeyName  string // the class name that keys are hashed with: the first alias, or Name
	Aliases  []string
	Kind     kind
	Pattern  string // "POST host/v1/charges/{id}", "pkg.Service/Method"; free text for a task
	Effect   effect
	Tolerate bool // duplicates of a non-idempotent operation do no harm

	Attempts       int
	AttemptTimeout time.Duration // 0: none
	Within         time.Duration
	Extend         bool
	ExtendAtMost   time.Duration
	Timing         timing

	Base   time.Duration
	Factor float64
	Cap    time.Duration
	Jitter jitter

	MinBackoff, MaxBackoff, MaxGap time.Duration // facts about the platform; the engine waits for none of them
	StartJitter                    time.Duration

	KeySource keySource
	KeyFields int // number of fields, with keyFromFields
	KeySent   keySent
	KeyHeader string
	KeyQuote  bool
	KeptFor   time.Duration

	RetryAfter    retryAfterMode
	RetryAfterMax time.Duration

	Outcomes       []outcomeRule
	AfterAmbiguous []outcomeRule
	PerOutcome     []outcomeLimit
	Conditions     []string

	Budget          budgetSpec // zero Ratio and Floor: none
	NestedRetry     bool
	Interactive     bool
	OfflineCounts   bool
	WhenConstrained whenConstrained
	PayloadMax      int64
}

// outcomeRule gives a code, a class of codes, a phase or a condition a meaning.
type outcomeRule struct {
	On   string
	Then outcome
}

// outcomeLimit tightens the policy after attempts that end in On; zero fields
// leave it as it is.
type outcomeLimit struct {
	On        string
	Attempts  int
	Base, Cap time.Duration
}

// budgetSpec bounds retries to a share of first attempts. Classes whose Name is
// the same and not empty share one.
type budgetSpec struct {
	Name         string
	Ratio, Floor float64
	PerHost      bool
}

type kind uint8

const (
	kindHTTP kind = iota
	kindGRPC
	kindTask
)

type effect uint8

const (
	effectSafe effect = iota
	effectIdempotent
	effectNonIdempotent
)

type timing uint8

const (
	timingInline timing = iota
	timingQueue
	timingScheduler
)

type jitter uint8

const (
	jitterFull jitter = iota
	jitterEqual
	jitterDecorrelated
	jitterNone
)

type keySource uint8

const (
	keyNone keySource = iota
	keyFromCaller
	keyFromFields
	keyRandom
)

type keySent uint8

const (
	sentInHeader keySent = iota
	sentByApp
)

var _ = sentInHeader // what asks for it comes with HTTP classes only

type retryAfterMode uint8

const (
	retryAfterOverride retryAfterMode = iota
	retryAfterStop
	retryAfterClamp
	retryAfterIgnore
)

type outcome uint8

const (
	success outcome = iota
	retryable
	terminal
	refresh
	reread
)

type whenConstrained uint8

const (
	runConstrained whenConstrained = iota
	deferConstrained
	dropConstrained
)
