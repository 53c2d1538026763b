package engine

import (
	"regexp"
	"testing"
)

// Keys are stable across releases: rows and servers remember them. A change of
// these is a change for every user.
func TestKeysAreStable(t *testing.T) {
	for _, row := range []struct {
		name   string
		values []string
		want   string
	}{
		{"charge", []string{"order-1"}, "4be33c6f-594e-83a1-8795-d7d6617cc438"},
		{"charge", []string{"order-1", ""}, "c8ef7ef2-6fbb-82b3-894d-164d8e0c7f1b"},
		{"photo-upload", []string{"ü", "2"}, "cc2972f7-eb5b-84c7-ba45-ff41a4ef11cd"},
	} {
		if got := deriveKey(row.name, row.values...); got != row.want {
			t.Errorf("key of %s %q is %s, want %s", row.name, row.values, got, row.want)
		}
	}
}

func TestKeysTellOperationsApart(t *testing.T) {
	seen := map[string][]string{}
	for _, parts := range [][]string{
		{"a"}, {"a", ""}, {"", "a"}, {"ab"}, {"a", "b"}, {"a", "b", ""}, {"", ""}, {""}, {"a\x00b"}, {"1", "a"},
		{"a", "\x00\x00\x00\x00\x00\x00\x00\x01b"},
	} {
		key := deriveKey("x", parts...)
		if other, ok := seen[key]; ok {
			t.Errorf("%q and %q have one key", parts, other)
		}
		seen[key] = parts
	}
	if deriveKey("x", "a") == deriveKey("y", "a") || deriveKey("xa") == deriveKey("x", "a") {
		t.Error("classes share keys")
	}
}

func TestKeysAreUUIDs(t *testing.T) {
	shape := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-([48])[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	for want, key := range map[string]string{"8": deriveKey("charge", "order"), "4": randomKey()} {
		if m := shape.FindStringSubmatch(key); m == nil || m[1] != want {
			t.Errorf("%s is no UUID of version %s", key, want)
		}
	}
	c := retrying(func(s *spec) { s.KeySource = keyRandom })
	call := c.call()
	if call.Key() == c.call().Key() || call.Key() != Call(call).Key() {
		t.Error("a random key is drawn once a call")
	}
}
