package mobile_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/retryc/retryc/policies/mobile/mobileretry"
)

// The person asks for a code while the phone has no network: the first attempt
// and its one repetition certainly never reached the server, so asking again later
// is safe, and the screen can say so.
func Example() {
	_, err := mobileretry.Do(context.Background(), mobileretry.OneTimeCode.Call("press-7"),
		func(ctx context.Context, a mobileretry.Attempt) (string, error) {
			return "", mobileretry.Offline(errors.New("no route"))
		})
	var gaveUp *mobileretry.GaveUp
	if errors.As(err, &gaveUp) {
		fmt.Println(gaveUp.Reason, "after", gaveUp.Attempts, "attempts; may have been applied:", gaveUp.MaybeApplied)
	}
	// Output: exhausted after 2 attempts; may have been applied: false
}

// Deferred work is named the same way. The same photo is the same upload, with
// the same key, today and after a restart.
func Example_deferred() {
	first := mobileretry.PhotoUpload.Call("photo-9")
	again := mobileretry.PhotoUpload.Call("photo-9")
	fmt.Println(first.Key() == again.Key(), len(first.Key()))
	for _, c := range mobileretry.Classes() {
		if !c.Durable {
			fmt.Println(c.Name, "runs in the caller")
		}
	}
	// Output:
	// true 36
	// one-time-code runs in the caller
}
