// Package compiler turns policy sets written in CUE into ir.Set values, and what
// is wrong with them into messages.
//
// The way of one folder:
//
//	Find      folders that hold a set                       find.go, meant.go, embeds.go
//	load      its files: text, syntax, package, module      load.go, packages.go, leftout.go, module.go
//	mend      going on after a mistake of syntax            syntax.go, trials.go, mend.go
//	parts     what is literal, and what needs CUE           split.go
//	reader    literal syntax to nodes                       literal.go
//	evaluator evaluated CUE to nodes                        evaluate.go, batch.go
//	makers    what makes classes, and why it makes none     makers.go, whyopen.go, waiting.go
//	locator   which text gave a value, and by which         locate.go, scope.go, places.go
//	          references it came
//	checker   nodes against the schema, field by field      check.go, fields.go, values.go
//	rules     what fields ask of each other                 rules.go, outcomes.go
//	lower     sound nodes to classes, with the defaults     lower.go, defaults.go
//
// Messages about what CUE itself refuses are written in cuemistakes.go and the
// files that it names the causes in: culprit.go, conflicts.go, nowhere.go, circles.go,
// closed.go and opened.go, references.go, missingnames.go.
//
// The mistakes of syntax that people make are recognised in slips.go and beside it:
// clauses.go, conditions.go, barewords.go, brackets.go, quotes.go; habits of other languages, which
// CUE half reads, before it does (habits.go, habitsofcode.go, layoutslips.go, templates.go). A file
// is mended declaration by declaration, as its layout has them (chunks.go). Of the
// ways to mend a text, the recognisers' and one character or word more, less or
// other (trials.go, trialkinds.go, trialwords.go), the one is taken that makes the most sense of it
// (plausible.go), so that the rest is read; every place stays that of the text as
// it is. What takes too much time or memory is given up (watch.go).
//
// A literal policy means what it says, so CUE is asked only about the rest:
// references, definitions, comprehensions, imports. Both readers give the same
// nodes, and the checks know no other.
//
// The language is the schema's: the fields come from the syntax of
// schema/shape.cue, the defaults from schema/defaults.cue. What a named scalar
// accepts is said twice, by the schema's CUE for editors and by scalars.go for
// messages; a test holds the two together.
package compiler
