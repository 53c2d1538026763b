package engine

import (
	"testing"
	"time"
	"unsafe"
)

func on(c *class, word string) ending {
	first, _, ok := conditionRange(c.spec.Conditions, word)
	if !ok {
		panic("no condition " + word)
	}
	return ending{On: first, CanRefresh: true, CanReread: true}
}

// drive runs attempts that end in words, one after the other, and returns the end.
func drive(t *testing.T, c *class, words ...string) (state, verdict) {
	t.Helper()
	s := c.begin(0)
	now := int64(0)
	for _, word := range words {
		if v := c.start(&s, now, false); v.Next != nextStart {
			return s, v
		}
		e := ending{}
		if word != "" {
			e = on(c, word)
		}
		v := c.after(&s, e, now, 0.5)
		if v.Next == nextEnd {
			return s, v
		}
		now = v.At
	}
	return s, verdict{Next: nextWait, At: now}
}

func asHTTP(s *spec) { s.Kind, s.Pattern = kindHTTP, "POST api.example/v1/work" }

func asGRPC(s *spec) { s.Kind, s.Pattern = kindGRPC, "pkg.Work/Do" }

func nonIdempotent(s *spec) { s.Effect = effectNonIdempotent }

func TestStateIsSmall(t *testing.T) {
	if size := unsafe.Sizeof(state{}); size >= 100 {
		t.Errorf("state takes %d bytes, want below 100", size)
	}
}

// Point 11: outcomes are three, and what is unknown is terminal unless the
// class says otherwise.
func TestPoint11UnknownIsTerminal(t *testing.T) {
	for _, row := range []struct {
		class *class
		word  string
		want  outcome
	}{
		{retrying(), "error", terminal},
		{retrying(), "timeout", retryable},
		{retrying(), "503", terminal},
		{retrying(), "204", success},
		{retrying(asHTTP), "error", terminal},
		{retrying(asHTTP), "200", success},
		{retrying(asHTTP), "304", success},
		{retrying(asHTTP), "400", terminal},
		{retrying(asHTTP), "401", refresh},
		{retrying(asHTTP), "408", retryable},
		{retrying(asHTTP), "418", terminal},
		{retrying(asHTTP), "429", retryable},
		{retrying(asHTTP), "500", terminal},
		{retrying(asHTTP), "501", terminal},
		{retrying(asHTTP), "502", retryable},
		{retrying(asHTTP), "503", retryable},
		{retrying(asHTTP), "504", retryable},
		{retrying(asHTTP), "505", terminal},
		{retrying(asHTTP), "UNAVAILABLE", terminal},
		{retrying(asGRPC), "OK", success},
		{retrying(asGRPC), "UNAVAILABLE", retryable},
		{retrying(asGRPC), "RESOURCE_EXHAUSTED", terminal},
		{retrying(asGRPC), "UNAUTHENTICATED", refresh},
		{retrying(asGRPC), "ABORTED", reread},
		{retrying(asGRPC), "DEADLINE_EXCEEDED", terminal},
		{retrying(asGRPC), "INTERNAL", terminal},
		{retrying(func(s *spec) { s.Outcomes = []outcomeRule{{"error", retryable}} }), "error", retryable},
		{retrying(asHTTP, func(s *spec) { s.Outcomes = []outcomeRule{{"5xx", retryable}, {"501", terminal}} }), "501", terminal},
		{retrying(asHTTP, func(s *spec) { s.Outcomes = []outcomeRule{{"5xx", retryable}, {"501", terminal}} }), "500", retryable},
	} {
		if got := row.class.outcome(on(row.class, row.word).On, false, false); got != row.want {
			t.Errorf("%s of kind %d is %d, want %d", row.word, row.class.spec.Kind, got, row.want)
		}
	}
	c := retrying(asGRPC)
	if got := c.outcome(grpcResourceExhausted, false, true); got != retryable {
		t.Errorf("RESOURCE_EXHAUSTED with a time is %d, want retry", got)
	}
}

func TestAmbiguous(t *testing.T) {
	for word, want := range map[string]bool{
		"unsent": false, "refused": false, "429": false, "400": false, "404": false, "409": false, "499": false, "401": false,
		"408": true, "500": true, "502": true, "503": true, "504": true, "timeout": true, "connection": true, "error": true,
		"UNAVAILABLE": true, "INTERNAL": true, "DEADLINE_EXCEEDED": true, "CANCELLED": true, "UNKNOWN": true, "DATA_LOSS": true,
		"RESOURCE_EXHAUSTED": false, "INVALID_ARGUMENT": false, "UNAUTHENTICATED": false, "ABORTED": false,
	} {
		if got := on(retrying(), word).On.ambiguous(); got != want {
			t.Errorf("%s ambiguous: %v, want %v", word, got, want)
		}
	}
}

func TestUnkeyedIsRepeatedOnlyAfterCleanFailures(t *testing.T) {
	c := retrying(asHTTP, nonIdempotent)
	if s, v := drive(t, c, "503"); v.Reason != ReasonAmbiguous || s.Attempts != 1 || !s.MaybeApplied {
		t.Errorf("503: %+v after %d, want ambiguous after 1", v, s.Attempts)
	}
	if s, v := drive(t, c, "500"); v.Reason != ReasonAmbiguous || s.Attempts != 1 {
		t.Errorf("500: %+v, want ambiguous", v)
	}
	if s, v := drive(t, c, "unsent", "429", "refused", "unsent"); v.Reason != ReasonExhausted || s.Attempts != 4 || s.MaybeApplied {
		t.Errorf("clean failures: %+v after %d, want exhausted after 4", v, s.Attempts)
	}
	if s, v := drive(t, c, "unsent", "timeout"); v.Reason != ReasonAmbiguous || s.Attempts != 2 {
		t.Errorf("unsent, timeout: %+v after %d, want ambiguous after 2", v, s.Attempts)
	}
	if _, v := drive(t, c, "404"); v.Reason != ReasonRejected {
		t.Errorf("404: %+v, want rejected", v)
	}
	for name, change := range map[string]func(*spec){
		"keyed":     func(s *spec) { s.KeySource = keyFromFields },
		"tolerated": func(s *spec) { s.Tolerate = true },
	} {
		if s, v := drive(t, retrying(asHTTP, nonIdempotent, change), "503", "503", "503", "503"); v.Reason != ReasonExhausted || s.Attempts != 4 || !s.MaybeApplied {
			t.Errorf("%s: %+v after %d, want exhausted after 4", name, v, s.Attempts)
		}
	}
	safe := retrying(asHTTP, func(s *spec) { s.Effect = effectSafe })
	if s, _ := drive(t, safe, "503", "503", "503", "503"); s.MaybeApplied {
		t.Error("a safe operation cannot have been applied")
	}
}

func TestAfterAmbiguousOnlyOnceSomethingMayHaveBeenApplied(t *testing.T) {
	c := retrying(asHTTP, func(s *spec) { s.AfterAmbiguous = []outcomeRule{{"404", success}} })
	if _, v := drive(t, c, "404"); v.Reason != ReasonRejected {
		t.Errorf("404 at once: %+v, want rejected", v)
	}
	for _, clean := range []string{"unsent", "refused", "429", "401"} {
		if _, v := drive(t, c, clean, "404"); v.Reason != ReasonRejected {
			t.Errorf("404 after %s: %+v, want rejected", clean, v)
		}
	}
	for _, open := range []string{"timeout", "connection", "503"} {
		if _, v := drive(t, c, open, "404"); v.Next != nextEnd || v.Reason != "" {
			t.Errorf("404 after %s: %+v, want success", open, v)
		}
	}
}

func TestRefreshOnce(t *testing.T) {
	c := retrying(asHTTP)
	s, v := drive(t, c, "401")
	if v.Next != nextWait || v.At != 0 || s.Attempts != 1 {
		t.Errorf("401: %+v, want another attempt at once", v)
	}
	if s, v := drive(t, c, "401", "401"); v.Reason != ReasonRejected || s.Attempts != 2 {
		t.Errorf("a second 401: %+v, want rejected", v)
	}
	if _, v := drive(t, retrying(asHTTP, func(s *spec) { s.Attempts = 1 }), "401"); v.Reason != ReasonRejected {
		t.Errorf("401 with no attempt left: %+v, want rejected", v)
	}
	s = c.begin(0)
	c.start(&s, 0, false)
	if v := c.after(&s, ending{On: 401}, 0, 0.5); v.Reason != ReasonRejected {
		t.Errorf("401 without a hook: %+v, want rejected", v)
	}
	s = c.begin(0)
	c.start(&s, 0, false)
	if v := c.after(&s, ending{On: 401, Signals: true}, 0, 0.5); v.Next != nextSuspend || s.WaitsFor != waitsForCredentials {
		t.Errorf("401 on a row: %+v, want it to wait for credentials", v)
	}
}

func TestRereadWaitsAsARetryDoes(t *testing.T) {
	c := retrying(asHTTP, func(s *spec) { s.Outcomes = []outcomeRule{{"409", reread}} })
	s := c.begin(0)
	c.start(&s, 0, false)
	if v := c.after(&s, on(c, "409"), 0, 0.5); v.Hook != hookReread || v.At != int64(time.Second) {
		t.Errorf("409: %+v, want the hook behind 1s", v)
	}
	if s, v := drive(t, c, "409", "409", "409", "409"); v.Reason != ReasonRejected || s.Attempts != 4 {
		t.Errorf("409 to the end: %+v after %d, want rejected after 4", v, s.Attempts)
	}
}

func TestPerOutcome(t *testing.T) {
	c := retrying(asHTTP, func(s *spec) {
		s.PerOutcome = []outcomeLimit{{On: "5xx", Attempts: 3}, {On: "503", Attempts: 2}, {On: "429", Base: 5 * time.Second}}
	})
	for _, row := range []struct {
		word string
		want int32
	}{{"503", 2}, {"502", 3}, {"408", 4}} {
		if s, v := drive(t, c, row.word, row.word, row.word, row.word); v.Reason != ReasonExhausted || s.Attempts != row.want {
			t.Errorf("%s: %s after %d, want exhausted after %d", row.word, v.Reason, s.Attempts, row.want)
		}
	}
	if _, v := drive(t, c, "429"); v.At != int64(5*time.Second) {
		t.Errorf("after 429 the next attempt comes at %v, want 5s", time.Duration(v.At))
	}
	if _, v := drive(t, c, "408"); v.At != int64(time.Second) {
		t.Errorf("after 408 the next attempt comes at %v, want 1s", time.Duration(v.At))
	}
}

// Point 4, the decision's part: a wait that would end at the deadline or later is
// not made.
func TestPoint04DeadlineIsLookedAtBeforeTheWait(t *testing.T) {
	c := retrying(asHTTP, func(s *spec) { s.Within = 3 * time.Second })
	if s, v := drive(t, c, "503", "503", "503"); v.Reason != ReasonDeadline || s.Attempts != 2 || s.Decided != int64(time.Second) {
		t.Errorf("%+v after %d decided at %v, want deadline after 2, at 1s", v, s.Attempts, time.Duration(s.Decided))
	}
	s := c.begin(0)
	if v := c.start(&s, int64(3*time.Second), false); v.Reason != ReasonDeadline || s.Attempts != 0 {
		t.Errorf("a start at the deadline: %+v", v)
	}
}
