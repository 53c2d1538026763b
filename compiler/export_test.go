package compiler

// EvaluateAll makes CUE read literal text as well, until the returned function
// is called.
func EvaluateAll() (undo func()) {
	evaluateAll = true
	return func() { evaluateAll = false }
}

// BatchSize makes CUE evaluate that many classes at a time, until the returned
// function is called.
func BatchSize(n int) (undo func()) {
	old := batchSize
	batchSize = n
	return func() { batchSize = old }
}

// Guard is what every folder is compiled under.
var Guard = guard
