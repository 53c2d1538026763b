package compiler

import (
	"path/filepath"
	"time"
)

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

// Each is what classes are checked with, on several goroutines.
var Each = each

// Limits sets what a folder may take, until the returned function is called.
func Limits(time time.Duration, bytes uint64, text int64) (undo func()) {
	a, b, c := mostTime, mostBytes, mostText
	mostTime, mostBytes, mostText = time, bytes, text
	return func() { mostTime, mostBytes, mostText = a, b, c }
}

// FindFailing is Find where looking at a folder of that name panics.
func FindFailing(opt Options, name string) ([]Folder, error) {
	return find(opt, nil, func(t *tree, dir string, entries []entry) bool {
		if filepath.Base(dir) == name {
			panic("broken inside")
		}
		return t.holdsSet(dir, entries)
	})
}

// CompileEach is Compile with another function for one folder.
var CompileEach = compileEach
