package lint

import "time"

// Every number that a rule compares with stands here, with its source. Those
// without a source outside are marked as ours.
const (
	// A wait shorter than one round trip on a mobile network and two across an
	// ocean reaches a server that has not changed since. Ours.
	tightWait = 50 * time.Millisecond

	// Azure's guidance on transient faults: seconds to minutes are enough for
	// most applications; the Google SRE book keeps a request to 3 attempts.
	// Five lets a background caller outlast the brief overloads of MongoDB's
	// study (5 retries, 3.1 s).
	maxInlineAttempts = 5
	// WorkManager's backoff reaches its ceiling of 5 h after 11 failures. Ours.
	maxSchedulerAttempts = 15
	// At a cap of an hour, a day. Ours.
	maxQueueAttempts = 25

	// The share of within below which a queue's attempts are over before an
	// outage is. Ours.
	earlyShare = 0.01

	// From this many attempts on a fleet's load in an outage is a multiple
	// that nothing bounds (Google SRE book: 3 attempts, and a budget of 10 %).
	unbudgetedAttempts = 3

	// Finagle, Linkerd, Envoy and the Kubernetes Gateway API default to 20 %.
	looseRatio = 0.2

	// Two layers of three make 9 (Azure's retry storm page); three make 27.
	amplificationWarning = 8
	amplificationError   = 27

	// MongoDB's driver study: 3 retries covering 0.7 s did not outlast a brief
	// overload, 5 covering 3.1 s did.
	briefAttempts = 3
	briefWindow   = time.Second

	// Bytes that one operation may move before its repetition shows on a
	// metered plan. Ours.
	heavyBytes = 25 << 20

	// Stripe and Checkout.com keep keys for 24 h at least, others for minutes:
	// an hour is the longest that can be assumed of a server unknown. Ours.
	assumedKeyLife = time.Hour
	// A durable class whose waits reach this can outlive a deploy that turns a
	// 404 into a 200, as senders of webhooks rely on. Ours.
	slowSchedule = time.Hour

	// A week is what the longest-lived senders of webhooks keep trying. Ours.
	staleAfter = 7 * 24 * time.Hour

	// Nielsen's ten seconds keep a person's attention on a task; 30 s is three
	// times that. A caller that is held for 15 minutes holds its memory and
	// connection as well: a queue does that better. Ours.
	interactiveWait = 30 * time.Second
	inlineWait      = 15 * time.Minute
	// One retry hides a blip; then the person knows better than the policy.
	interactiveAttempts = 2
	interactiveGap      = 2 * time.Second
	// A grant that may be this far away is no answer for a person. Ours.
	interactiveGrant = time.Hour

	// Cloud providers ask for delays of up to half a minute in ordinary
	// throttling; below that a clamp retries into a refusal. Ours.
	clampFloor = 30 * time.Second

	// One size for more classes than this is a default in disguise. Ours.
	sameClasses = 3

	// Long enough to be seen in two weekly reviews.
	waiverSoon = 14 * 24 * time.Hour
)

// moneyWords are the words of a class's name for which a duplicate is worst.
var moneyWords = []string{"charge", "pay", "refund", "transfer", "order", "purchase", "send", "publish", "notify"}

// volatileFields differ from attempt to attempt, or from tap to tap.
var volatileFields = []string{"timestamp", "now", "nonce", "random", "attempt", "trace_id", "span_id"}

// profile is what a platform does with a request for a backoff.
type profile struct {
	Backs    bool          // makes a backoff of its own
	Min, Max time.Duration // between which it clamps silently
	Source   string
}

// profiles lists platforms by the version of their behavior.
var profiles = map[string]profile{
	"workmanager@2": {true, 10 * time.Second, 5 * time.Hour, "WorkRequest.MIN_BACKOFF_MILLIS and MAX_BACKOFF_MILLIS"},
	"bgtask@1":      {false, 0, 0, "BGTaskRequest has an earliest date and no backoff"},
	"cron":          {false, 0, 0, "cron knows a schedule and no failures"},
}
