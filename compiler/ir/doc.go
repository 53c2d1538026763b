// Package ir holds a compiled policy set as plain Go values: durations are
// resolved, defaults applied, references followed, slices ordered. Nothing here
// knows CUE, and nothing here knows how it will be printed.
//
// A class answers two questions about each of its fields that the values alone
// cannot: where the author wrote it (Span, Label) and whether the author wrote
// it at all (Written). Fields are named by the paths of the policy language,
// such as "deadline.within"; Paths lists them.
package ir
