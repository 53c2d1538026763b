// Package diff tells what a change of policies means: for each changed value four
// harms, computed before and after by the engine's own schedule and never guessed
// from the field's name; what happens to rows under way; and what callers of the
// generated package notice.
//
// It compares effective values, after defaults and sharing: formatting, comments,
// and definitions that move without changing a value are no change.
package diff
