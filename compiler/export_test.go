package compiler

// EvaluateAll makes CUE read literal text as well, until the returned function
// is called.
func EvaluateAll() (undo func()) {
	evaluateAll = true
	return func() { evaluateAll = false }
}
