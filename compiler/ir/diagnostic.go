package ir

// Severity orders what is said about a policy. The zero value is no severity.
type Severity uint8

// The severities. An error fails the run, a warning is shown, an info is a
// note: counted, and listed where asked for.
const (
	Info Severity = iota + 1
	Warning
	Error
)

var severityWords = []string{"?", "info", "warning", "error"}

func (v Severity) String() string { return word(severityWords, int(v)) }

// ParseSeverity reads "info", "warning" or "error".
func ParseSeverity(s string) (Severity, bool) {
	v, ok := parse[Severity](severityWords, s)
	return v, ok && v != 0
}

// Diagnostic is one thing said about a policy: a mistake, a finding, or drift of
// the generated code. Reporters print it; nothing else does.
type Diagnostic struct {
	Rule     string // rule id; "invalid-policy" for a mistake
	Severity Severity
	Message  string // one line: what is wrong, with the value in quotes or the numbers
	Span     Span   // the place to edit
	Help     []string
	Related  []Related
	Fix      *Fix // an edit that is provably right; nil: none

	Set   string // name of the set, where known
	Class string // name of the class, where it concerns one
	Field string // path of the field, where it concerns one
}

// Related is another place that a diagnostic needs to be understood.
type Related struct {
	Span    Span
	Message string
}

// Fix replaces stretches of files. Edits do not overlap.
type Fix struct {
	Title string // a verb phrase
	Edits []Edit
}

// Edit replaces the text of a span.
type Edit struct {
	Span Span
	Text string
}

// InvalidPolicy is the Rule of mistakes: errors that no waiver reaches.
const InvalidPolicy = "invalid-policy"
