package ir

// The zero value of each enum is its default where the language has one that does
// not depend on other fields. String gives the word of the policy language.

// Kind says what kind of operation a class is.
type Kind uint8

// The values of Kind.
const (
	HTTP Kind = iota // "http"
	GRPC             // "grpc"
	Task             // "task"
)

var kindWords = []string{"http", "grpc", "task"}

func (v Kind) String() string { return word(kindWords, int(v)) }

// ParseKind reads a word of the language.
func ParseKind(s string) (Kind, bool) { return parse[Kind](kindWords, s) }

// Effect says what repeating an operation does (RFC 9110, section 9.2).
type Effect uint8

// The values of Effect.
const (
	Safe          Effect = iota // "safe"
	Idempotent                  // "idempotent"
	NonIdempotent               // "non-idempotent"
)

var effectWords = []string{"safe", "idempotent", "non-idempotent"}

func (v Effect) String() string { return word(effectWords, int(v)) }

// ParseEffect reads a word of the language.
func ParseEffect(s string) (Effect, bool) { return parse[Effect](effectWords, s) }

// Duplicates says whether duplicates of a non-idempotent operation do harm.
type Duplicates uint8

// The values of Duplicates.
const (
	Refused   Duplicates = iota // "refused"
	Tolerated                   // "tolerated"
)

var duplicatesWords = []string{"refused", "tolerated"}

func (v Duplicates) String() string { return word(duplicatesWords, int(v)) }

// ParseDuplicates reads a word of the language.
func ParseDuplicates(s string) (Duplicates, bool) { return parse[Duplicates](duplicatesWords, s) }

// DeadlineMode says whether deferral moves the deadline.
type DeadlineMode uint8

// The values of DeadlineMode.
const (
	Expire DeadlineMode = iota // "expire"
	Extend                     // "extend"
)

var deadlineModeWords = []string{"expire", "extend"}

func (v DeadlineMode) String() string { return word(deadlineModeWords, int(v)) }

// ParseDeadlineMode reads a word of the language.
func ParseDeadlineMode(s string) (DeadlineMode, bool) {
	return parse[DeadlineMode](deadlineModeWords, s)
}

// Timing says who chooses the moment of an attempt.
type Timing uint8

// The values of Timing.
const (
	Inline      Timing = iota // "inline"
	Queue                     // "queue"
	ByScheduler               // "scheduler"
)

var timingWords = []string{"inline", "queue", "scheduler"}

func (v Timing) String() string { return word(timingWords, int(v)) }

// ParseTiming reads a word of the language.
func ParseTiming(s string) (Timing, bool) { return parse[Timing](timingWords, s) }

// Jitter says how a wait is drawn below its ceiling c.
type Jitter uint8

// The values of Jitter.
const (
	FullJitter         Jitter = iota // "full"
	EqualJitter                      // "equal"
	DecorrelatedJitter               // "decorrelated"
	NoJitter                         // "none"
)

var jitterWords = []string{"full", "equal", "decorrelated", "none"}

func (v Jitter) String() string { return word(jitterWords, int(v)) }

// ParseJitter reads a word of the language.
func ParseJitter(s string) (Jitter, bool) { return parse[Jitter](jitterWords, s) }

// KeySource says where the idempotency key comes from.
type KeySource uint8

// The values of KeySource.
const (
	NoKey         KeySource = iota // "none"
	KeyFromCaller                  // "caller"
	KeyFromFields                  // "fields"
	RandomKey                      // "random"
)

var keySourceWords = []string{"none", "caller", "fields", "random"}

func (v KeySource) String() string { return word(keySourceWords, int(v)) }

// ParseKeySource reads a word of the language.
func ParseKeySource(s string) (KeySource, bool) { return parse[KeySource](keySourceWords, s) }

// KeySent says who puts the key into the request.
type KeySent uint8

// The values of KeySent.
const (
	InHeader KeySent = iota // "header"
	ByApp                   // "app"
)

var keySentWords = []string{"header", "app"}

func (v KeySent) String() string { return word(keySentWords, int(v)) }

// ParseKeySent reads a word of the language.
func ParseKeySent(s string) (KeySent, bool) { return parse[KeySent](keySentWords, s) }

// RetryAfterMode says what a server's delay does.
type RetryAfterMode uint8

// The values of RetryAfterMode.
const (
	Override RetryAfterMode = iota // "override"
	Stop                           // "stop"
	Clamp                          // "clamp"
	Ignore                         // "ignore"
)

var retryAfterModeWords = []string{"override", "stop", "clamp", "ignore"}

func (v RetryAfterMode) String() string { return word(retryAfterModeWords, int(v)) }

// ParseRetryAfterMode reads a word of the language.
func ParseRetryAfterMode(s string) (RetryAfterMode, bool) {
	return parse[RetryAfterMode](retryAfterModeWords, s)
}

// Outcome says what a result means for the operation.
type Outcome uint8

// The values of Outcome.
const (
	Success  Outcome = iota // "success"
	Retry                   // "retry"
	Terminal                // "terminal"
	Refresh                 // "refresh"
	Reread                  // "reread"
)

var outcomeWords = []string{"success", "retry", "terminal", "refresh", "reread"}

func (v Outcome) String() string { return word(outcomeWords, int(v)) }

// ParseOutcome reads a word of the language.
func ParseOutcome(s string) (Outcome, bool) { return parse[Outcome](outcomeWords, s) }

// Nested says what a call does inside an attempt of another class.
type Nested uint8

// The values of Nested.
const (
	NestedOnce  Nested = iota // "once"
	NestedRetry               // "retry"
)

var nestedWords = []string{"once", "retry"}

func (v Nested) String() string { return word(nestedWords, int(v)) }

// ParseNested reads a word of the language.
func ParseNested(s string) (Nested, bool) { return parse[Nested](nestedWords, s) }

// Audience says whether a person is watching.
type Audience uint8

// The values of Audience.
const (
	Background  Audience = iota // "background"
	Interactive                 // "interactive"
)

var audienceWords = []string{"background", "interactive"}

func (v Audience) String() string { return word(audienceWords, int(v)) }

// ParseAudience reads a word of the language.
func ParseAudience(s string) (Audience, bool) { return parse[Audience](audienceWords, s) }

// WhenOffline says what an attempt without a network costs.
type WhenOffline uint8

// The values of WhenOffline.
const (
	SuspendOffline WhenOffline = iota // "suspend"
	CountOffline                      // "count"
)

var whenOfflineWords = []string{"suspend", "count"}

func (v WhenOffline) String() string { return word(whenOfflineWords, int(v)) }

// ParseWhenOffline reads a word of the language.
func ParseWhenOffline(s string) (WhenOffline, bool) { return parse[WhenOffline](whenOfflineWords, s) }

// WhenConstrained says what a metered network or a low battery does to a row.
type WhenConstrained uint8

// The values of WhenConstrained.
const (
	RunConstrained   WhenConstrained = iota // "run"
	DeferConstrained                        // "defer"
	DropConstrained                         // "drop"
)

var whenConstrainedWords = []string{"run", "defer", "drop"}

func (v WhenConstrained) String() string { return word(whenConstrainedWords, int(v)) }

// ParseWhenConstrained reads a word of the language.
func ParseWhenConstrained(s string) (WhenConstrained, bool) {
	return parse[WhenConstrained](whenConstrainedWords, s)
}

func word(words []string, i int) string {
	if i < len(words) {
		return words[i]
	}
	return "?"
}

func parse[T ~uint8](words []string, s string) (T, bool) {
	for i, w := range words {
		if w == s {
			return T(i), true
		}
	}
	return 0, false
}

// Words lists the values of an enum field of the language in documented order,
// and nil for a path that is no enum.
func Words(path string) []string {
	switch path {
	case "effect":
		return effectWords
	case "duplicates":
		return duplicatesWords
	case "deadline.mode":
		return deadlineModeWords
	case "timing":
		return timingWords
	case "backoff.jitter":
		return jitterWords
	case "idempotency.source":
		return keySourceWords
	case "idempotency.sent":
		return keySentWords
	case "retryAfter.mode":
		return retryAfterModeWords
	case "outcome":
		return outcomeWords
	case "outcomeAfterAmbiguous":
		return outcomeWords
	case "nested":
		return nestedWords
	case "audience":
		return audienceWords
	case "whenOffline":
		return whenOfflineWords
	case "whenConstrained":
		return whenConstrainedWords
	case "retryBudget.per":
		return []string{"class", "host"}
	case "scheduler.profile":
		return []string{"workmanager@2", "bgtask@1", "cron", "custom"}
	}
	return nil
}
