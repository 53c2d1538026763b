package engine

// Reason says why an operation ended without success.
type Reason string

// The reasons, for calls and for deferred work alike. Whatever the reason,
// GaveUp.MaybeApplied says whether something may have been applied.
const (
	Rejected     Reason = "rejected"     // the answer is final: repeating changes nothing
	Precondition Reason = "precondition" // what had to happen before an attempt failed: a refresh, a re-read, a key
	Exhausted    Reason = "exhausted"    // the attempts ran out
	Deadline     Reason = "deadline"     // the next attempt could not have started in time
	PushBack     Reason = "pushback"     // the server asked for more patience than the policy has, or to stop
	Throttled    Reason = "throttled"    // the retry budget refused
	Dropped      Reason = "dropped"      // a constraint of the device ended it
	Ambiguous    Reason = "ambiguous"    // it may have been applied and cannot be repeated safely
	Canceled     Reason = "canceled"     // the caller's context ended
)
