package engine

// DurableCall names one logical operation of a class whose attempts are
// deferred: a row keeps it until it ends. It is no Call, so that deferred work
// cannot be run in the caller by mistake.
type DurableCall struct {
	class    *class
	key      string
	unusable bool
}

// Key returns the key of the operation: the row's identity, and the idempotency
// key that every attempt of it carries.
func (c DurableCall) Key() Key { return Key(c.key) }

func (c *class) durableFields(values ...string) DurableCall {
	return DurableCall(c.callFields(values...))
}

func (c *class) durableKey(key Key) DurableCall { return DurableCall(c.callKey(key)) }

// A set uses the constructors that its key sources need.
var _ = [...]any{(*class).durableFields, (*class).durableKey}
