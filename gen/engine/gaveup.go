package engine

import (
	"fmt"
	"time"
)

// GaveUp is the error of every call that does not succeed. errors.Is and
// errors.As find the last error of an attempt, and where the caller's context was
// the cause, the context's error and its cause: all of them.
type GaveUp struct {
	Class        string        // the class, "charge"
	Reason       Reason        // why it ended
	Attempts     int           // how many attempts started
	Elapsed      time.Duration // since the call began
	Condition    string        // what the last attempt ended in, as policies call it: "503", "timeout"; empty without an attempt
	NotBefore    time.Time     // what the server asked for with the last failure; zero: nothing
	MaybeApplied bool          // an attempt may have been applied
	Limit        Limit         // why there was one attempt though the policy allows more; "": it does not
	Err          error         // of the last attempt; nil without one

	context error // the context's, where it was the cause
	cause   error // the context's cause, where it differs
	hook    error // of the hook that failed, or what kept the call from starting
}

// Error gives class, reason, attempts and the last error, without the query of
// any URL in it.
func (e *GaveUp) Error() string {
	if e == nil { // a nil *GaveUp in an error is a mistake of whoever returned it, and must not end the process
		return "<nil>"
	}
	text := fmt.Sprintf("%s: %s after %d attempts", e.Class, e.Reason, e.Attempts)
	if e.Attempts == 1 {
		text = fmt.Sprintf("%s: %s after 1 attempt", e.Class, e.Reason)
	}
	if e.Attempts > 0 {
		text += " in " + rounded(e.Elapsed).String()
	}
	if e.Limit != "" {
		text += " (" + string(e.Limit) + ")"
	}
	if e.MaybeApplied {
		text += ", may have been applied"
	}
	if !e.NotBefore.IsZero() {
		text += ", not before " + e.NotBefore.UTC().Format(time.RFC3339)
	}
	for _, err := range [...]error{e.hook, e.cause, e.context, e.Err} {
		if err != nil && (err != e.context || e.cause == nil) {
			text += ": " + withoutQuery(err)
		}
	}
	return text
}

// rounded keeps three figures or so: more is noise in a log.
func rounded(d time.Duration) time.Duration {
	for unit := time.Minute; unit > time.Nanosecond; unit /= 10 {
		if d >= 100*unit {
			return d.Round(unit)
		}
	}
	return d
}

// Unwrap returns the errors behind the end.
func (e *GaveUp) Unwrap() []error {
	if e == nil {
		return nil
	}
	all := make([]error, 0, 4)
	for _, err := range [...]error{e.Err, e.context, e.cause, e.hook} {
		if err != nil {
			all = append(all, err)
		}
	}
	return all
}

// Timeout reports whether time was the cause: a deadline passed, or the last
// attempt timed out. It makes url.Error report the same.
func (e *GaveUp) Timeout() bool {
	return e != nil && (e.Reason == ReasonDeadline || e.Condition == phaseNames[conditionTimeout])
}

// RetryReason returns the reason, for code that meets such errors of several
// packages.
func (e *GaveUp) RetryReason() string {
	if e == nil {
		return ""
	}
	return string(e.Reason)
}
