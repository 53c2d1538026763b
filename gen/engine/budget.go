package engine

import (
	"math"
	"sync"
)

// budget bounds retries to a share of first attempts: each first attempt
// deposits ratio, a retry takes 1, a working server's answer to a retry gives it
// back, and floor flows in each second. It begins full.
//
// After Google's "Site Reliability Engineering", chapter 21, and the retry
// throttling of gRPC (gRFC A6), as a share instead of tokens.
type budget struct {
	ratio, floor, capacity float64
	perHost                bool

	mu    sync.Mutex
	own   bucket
	hosts map[string]*bucket
}

type bucket struct {
	tokens float64
	at     int64 // when floor was last credited, in nanoseconds
	begun  bool  // at is an instant
}

// maxHosts bounds the memory of a budget per host. Hosts beyond it share one
// bucket.
const maxHosts = 1024

func newBudget(s budgetSpec) *budget {
	b := &budget{ratio: s.Ratio, floor: s.Floor, perHost: s.PerHost}
	b.capacity = max(10*s.Floor, 10)
	b.own.tokens = b.capacity
	if s.PerHost {
		b.hosts = map[string]*bucket{}
	}
	return b
}

// bucket returns the bucket of host with its floor credited up to now. b.mu is
// held.
func (b *budget) bucket(host string, now int64) *bucket {
	k := &b.own
	if b.perHost && host != "" {
		if h := b.hosts[host]; h != nil {
			k = h
		} else if len(b.hosts) < maxHosts {
			k = &bucket{tokens: b.capacity}
			b.hosts[host] = k
		}
	}
	if !k.begun {
		k.at, k.begun = now, true
	} else if now > k.at {
		b.add(k, b.floor*float64(now-k.at)/1e9)
		k.at = now
	}
	return k
}

func (b *budget) add(k *bucket, tokens float64) {
	k.tokens = math.Min(b.capacity, k.tokens+tokens)
}

// deposit credits a first attempt.
func (b *budget) deposit(host string, now int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(b.bucket(host, now), b.ratio)
}

// take asks for one retry.
func (b *budget) take(host string, now int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.bucket(host, now)
	if k.tokens < 1 {
		return false
	}
	k.tokens--
	return true
}

// giveBack returns what a retry took.
func (b *budget) giveBack(host string, now int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(b.bucket(host, now), 1)
}
