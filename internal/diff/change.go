package diff

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

	"github.com/retryc/retryc/compiler/ir"
)

// Direction says where a harm goes.
type Direction uint8

// The directions. Unknown is shown and never gated alone.
const (
	Same Direction = iota
	Down
	Unknown
	Up
)

func (d Direction) String() string { return [...]string{"same", "down", "unknown", "up"}[d] }

// Harm is one kind of harm with where it goes and the numbers that say so.
type Harm struct {
	Direction Direction
	Text      string
}

// Harms are the four harms of a change, in the order of Names.
type Harms [4]Harm

// The harms by their index in Harms.
const (
	Load = iota
	Duplicates
	LostWork
	Waiting
)

// Names are the words of the harms.
var Names = [4]string{"load", "duplicates", "lost work", "waiting"}

// Effect is what a change does to those who call the generated package.
type Effect uint8

// The effects on callers. A silent one is the worst: callers compile and mean
// something else.
const (
	OK Effect = iota
	Breaks
	Silent
)

func (e Effect) String() string { return [...]string{"same", "breaks", "SILENT"}[e] }

// API is an effect with what to say about it.
type API struct {
	Effect Effect
	Text   string
}

// Change is one value of one class, or of a set, that means something else than
// before.
type Change struct {
	ID    string // <set>.<class>/<kind>/<6 hex of the values before and after>
	Kind  string // "attempts-raised"
	Set   string
	Class string // "" for a change of the set
	Field string // path in the language

	Before, After string  // effective values, as the language writes them
	At, Was       ir.Span // where the value is now, and was before; zero: nowhere

	Harms    Harms  // of this change alone
	Rows     string // what rows under way do
	API      API
	NoEffect string // why nothing that counts moves; "" otherwise
	Waiver   bool   // a waiver or a lowered severity was added or extended
	Trivial  bool   // a description or an owner

	Accepted string // the commit that accepts it, or "--accept"
}

// Title says the change in one line.
func (c *Change) Title() string {
	switch {
	case c.Kind == "class-added" || c.Kind == "class-removed":
		return strings.ReplaceAll(c.Kind, "-", " ")
	case c.Kind == "key-fields-reordered":
		return "key fields reordered: " + c.Before + " -> " + c.After
	case c.Kind == "class-renamed":
		return "renamed " + c.Before + " -> " + c.After
	}
	before, after := c.Before, c.After
	if before == "" {
		before = "none"
	}
	if after == "" {
		after = "none"
	}
	return c.Field + " " + before + " -> " + after
}

// Name is what the change is about: "set.class", or the set.
func (c *Change) Name() string {
	if c.Class == "" {
		return c.Set
	}
	return c.Set + "." + c.Class
}

// identify gives the change its id. The hash is of values alone, those of the change
// and those of the whole class that it is seen in: moving or reformatting a policy
// keeps it, another value makes another, so that whoever accepts a change accepts
// what was seen and nothing more.
func (c *Change) identify(context string) {
	sum := sha256.Sum256([]byte(c.Field + "\x00" + c.Before + "\x00" + c.After + "\x00" + context))
	c.ID = c.Name() + "/" + c.Kind + "/" + hex.EncodeToString(sum[:3])
}

// kebab turns a path of the language into a part of an id: "backoff.cap" is
// backoff-cap, "extendAtMost" extend-at-most, "UNAVAILABLE" unavailable.
func kebab(path string) string {
	var b strings.Builder
	last := '-'
	for _, r := range path {
		lower := unicode.ToLower(r)
		switch {
		case r == '.' || r == '_' || r == ' ':
			lower = '-'
		case r != lower && unicode.IsLower(last):
			b.WriteByte('-')
		}
		b.WriteRune(lower)
		last = r
	}
	return b.String()
}

// Mirror is the kind of the opposite change: lowered for raised, removed for
// added.
func (c *Change) Mirror() string { return mirror(c.Kind) }
