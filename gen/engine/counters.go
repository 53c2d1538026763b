package engine

import (
	"context"
	"encoding/json"
	"maps"
	"sync"
)

// Counters counts what calls do, by class. It is an expvar.Var, so that
//
//	expvar.Publish("payments", counters)
//
// under a name of the app's choice puts it on the app's debug page. The zero value is
// ready to use as an Observer.
type Counters struct {
	mu      sync.Mutex
	classes map[string]ClassCounters
	passed  int64
}

// ClassCounters are the counts of one class.
type ClassCounters struct {
	Attempts  int64            `json:"attempts"`          // started
	Retries   int64            `json:"retries"`           // of them, those that were not the first of a call
	Succeeded int64            `json:"succeeded"`         // calls
	GaveUp    map[Reason]int64 `json:"gaveUp,omitempty"`  // calls, by reason
	Once      map[Limit]int64  `json:"once,omitempty"`    // calls tried once though the policy allows more
	Endings   map[string]int64 `json:"endings,omitempty"` // failed attempts, by condition
}

// Observe counts an event.
func (c *Counters) Observe(_ context.Context, e Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.Kind == PassedThrough {
		c.passed++
		return
	}
	n := c.classes[e.Class]
	switch e.Kind {
	case AttemptStarted:
		n.Attempts++
		if e.Attempt > 1 {
			n.Retries++
		}
	case AttemptDone:
		if e.Err == nil {
			n.Succeeded++
		} else {
			count(&n.Endings, e.Condition)
		}
	case GaveUpCall:
		count(&n.GaveUp, e.Reason)
	case TriedOnce:
		count(&n.Once, e.Limit)
	default:
		return
	}
	if c.classes == nil {
		c.classes = map[string]ClassCounters{}
	}
	c.classes[e.Class] = n
}

func count[K comparable](m *map[K]int64, key K) {
	if *m == nil {
		*m = map[K]int64{}
	}
	(*m)[key]++
}

// Class returns the counts of one class so far.
func (c *Counters) Class(name string) ClassCounters {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.classes[name]
	n.GaveUp, n.Once, n.Endings = maps.Clone(n.GaveUp), maps.Clone(n.Once), maps.Clone(n.Endings)
	return n
}

// String returns the counts as JSON: the classes by name, and passedThrough, the
// requests of no class.
func (c *Counters) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	text, err := json.Marshal(struct {
		Classes map[string]ClassCounters `json:"classes"`
		Passed  int64                    `json:"passedThrough"`
	}{c.classes, c.passed})
	if err != nil {
		return "{}" // maps of numbers always marshal
	}
	return string(text)
}
