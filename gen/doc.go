// Package gen turns a compiled policy set into a Go package: the engine's
// source with another package clause, and one file of data and typed
// constructors. Lower is the only bridge between what an author meant (package
// ir) and what runs (package engine); the linter, the bounds and the generator
// all cross it, so that they cannot disagree.
package gen
