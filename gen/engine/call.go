package engine

import "errors"

// Call names one logical operation of a class: one charge, one fetch. Every
// attempt of it carries the same key. The constructors of the classes make it,
// such as Charge.Call; a Call may be stored, copied and used again, which means the same
// operation again.
type Call struct {
	class    *class
	key      string
	unusable bool // class.whyUnusable(key) says why
}

// Key is an idempotency key: what a server knows a logical operation by.
type Key string

// Key returns the idempotency key of the call, and "" for a class without one.
func (c Call) Key() Key { return Key(c.key) }

var errNoClass = errors.New("a call of no class: make it with a class's constructor")

// errEmptyKey refuses a key that every operation without an identity would
// share: a server would take the second of them for a repetition of the first.
var errEmptyKey = errors.New("the idempotency key is made of empty values only")

var errUnsendable = errors.New("the idempotency key cannot be sent in a header: visible characters are right, with spaces between them")

func (c *class) whyUnusable(key string) error {
	if key == "" {
		return errEmptyKey
	}
	return errUnsendable
}

func (c *class) callFields(values ...string) Call {
	if allEmpty(values) {
		return Call{class: c, unusable: true}
	}
	return Call{class: c, key: deriveKey(c.spec.KeyName, values...)}
}

func (c *class) callKey(key Key) Call {
	sendable := c.spec.KeySent != sentInHeader || isFieldValue(string(key), c.spec.KeyQuote)
	return Call{class: c, key: string(key), unusable: key == "" || !sendable}
}

func (c *class) call() Call {
	if c.spec.KeySource == keyRandom {
		return Call{class: c, key: randomKey()}
	}
	return Call{class: c}
}

// A set uses the constructors that its key sources need.
var _ = [...]any{newClasses, (*class).callFields, (*class).callKey, (*class).call, classInfos}

func allEmpty(values []string) bool {
	for _, v := range values {
		if v != "" {
			return false
		}
	}
	return true
}
