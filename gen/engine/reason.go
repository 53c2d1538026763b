package engine

// Reason says why an operation ended without success.
type Reason string

// The reasons, for calls and for deferred work alike. Whatever the reason,
// GaveUp.MaybeApplied says whether something may have been applied.
const (
	ReasonRejected     Reason = "rejected"     // the answer is final: repeating changes nothing
	ReasonPrecondition Reason = "precondition" // what had to happen before an attempt failed: a refresh, a re-read, a key
	ReasonExhausted    Reason = "exhausted"    // the attempts ran out
	ReasonDeadline     Reason = "deadline"     // the next attempt could not have started in time
	ReasonPushBack     Reason = "pushback"     // the server asked for more patience than the policy has, or to stop
	ReasonThrottled    Reason = "throttled"    // the retry budget refused
	ReasonDropped      Reason = "dropped"      // a constraint of the device ended it
	ReasonAmbiguous    Reason = "ambiguous"    // it may have been applied and cannot be repeated safely
	ReasonCanceled     Reason = "canceled"     // the caller's context ended
)
