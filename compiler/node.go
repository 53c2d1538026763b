package compiler

import (
	"strconv"
	"time"

	"github.com/retryc/retryc/compiler/ir"
)

// node is one written value: what both readers, of syntax and of evaluated CUE,
// make of a policy, and all that the checks look at.
type node struct {
	kind    nodeKind
	name    string // the field's name, or the index in a list
	label   ir.Span
	value   ir.Span      // the innermost text that the author can edit
	also    []ir.Span    // of a class that is declared more than once: each declaration; of a scalar: the other texts that say it
	related []ir.Related // the references it came through, outermost first
	held    ir.Span      // the declaration that holds the text, where it is not simply the node's own
	own     string       // the name that it has there; empty where that is the node's
	bare    bool         // it is an element of a list somewhere else: no declaration of its own holds it
	doc     string
	maker   ir.Span // of a class that a comprehension makes: what its name is made of

	refused    bool     // a closed definition does not take it
	made       bool     // a class of which the text makes several
	template   ir.Span  // of such a class: its name as the text has it
	incomplete bool     // something in it could not be made: it is not sound
	unmade     []string // the fields that would have been made; "*": any

	text    string  // a string's value; the literal of a number
	integer int64   // of whole numbers in range
	whole   bool    // whether integer holds the number
	number  float64 // of all numbers
	truth   bool
	fields  []*node // of a struct, in order of appearance
	elems   []*node // of a list

	// The checks resolve scalars once; broken ones count as neither written nor
	// left out, so that no rule speaks about them.
	broken   bool
	duration time.Duration
	size     int64
	date     time.Time
}

type nodeKind uint8

const (
	structNode nodeKind = iota + 1
	listNode
	stringNode
	numberNode
	boolNode
	nullNode
	bytesNode
	brokenNode // a mistake that has been reported
)

// field returns the field of a struct, or nil.
func (n *node) field(name string) *node {
	if n == nil {
		return nil
	}
	for _, f := range n.fields {
		if f.name == name {
			return f
		}
	}
	return nil
}

// quoted words a value for a message.
func (n *node) quoted() string {
	switch n.kind {
	case stringNode:
		return strconv.Quote(n.text)
	case numberNode:
		return n.text
	case boolNode:
		return strconv.FormatBool(n.truth)
	case nullNode:
		return "null"
	case bytesNode:
		return "bytes"
	case listNode:
		return "a list"
	case structNode:
		return "a struct"
	}
	return "this"
}
