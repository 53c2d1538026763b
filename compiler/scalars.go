package compiler

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"go/token"
)

// A scalar is what one named scalar of the schema accepts.
type scalar struct {
	noun    string // "a duration"
	example string // CUE that is right
	kind    nodeKind
	other   nodeKind // a second kind that is accepted, or 0
	rule    string   // the reason that a value of another kind is wrong

	// check resolves a node of the right kind. A reason says that it is wrong,
	// and right is CUE that would be right, where that can be told.
	check func(n *node) (reason, right string)
}

var scalars = map[string]*scalar{
	"bool": {noun: "true or false", example: "true", kind: boolNode, rule: "without quotes"},
	"#Text": {noun: "text", example: `"team-payments"`, kind: stringNode, check: func(n *node) (string, string) {
		if strings.TrimFunc(n.text, unicode.IsSpace) == "" {
			return "it is empty", ""
		}
		return "", ""
	}},
	"#Attempts": {noun: "a number of attempts", example: "3", kind: numberNode, rule: "a whole number from 1 to 100", check: func(n *node) (string, string) {
		if !n.whole || n.integer < 1 || n.integer > 100 {
			right := ""
			if f := n.number; f == math.Trunc(f) && f >= 1 && f <= 100 {
				right = strconv.Itoa(int(f))
			}
			return "a whole number from 1 to 100", right
		}
		return "", ""
	}},
	"#Factor": {noun: "a factor", example: "2", kind: numberNode, rule: "a number of 1 or more", check: atLeast(1, "a number of 1 or more")},
	"#Rate":   {noun: "a rate", example: "1", kind: numberNode, rule: "retries per second, a number of 0 or more", check: atLeast(0, "retries per second, a number of 0 or more")},
	"#Ratio": {noun: "a ratio", example: "0.1", kind: numberNode, rule: "a number from 0 to 1", check: func(n *node) (string, string) {
		if n.number < 0 || n.number > 1 {
			right := ""
			if n.number > 1 && n.number <= 100 {
				right = strconv.FormatFloat(n.number/100, 'f', -1, 64)
			}
			return "a number from 0 to 1", right
		}
		return "", ""
	}},
	"#Duration":       {noun: "a duration", example: `"10s"`, kind: stringNode, rule: `text with a unit, such as "10s"`, check: checkDuration(false)},
	"#DurationOrZero": {noun: "a duration", example: `"10s"`, kind: stringNode, rule: `text with a unit, such as "10s"`, check: checkDuration(true)},
	"#Size": {noun: "a size", example: `"8MiB"`, kind: stringNode, other: numberNode, rule: `text with a unit, such as "8MiB"`, check: func(n *node) (string, string) {
		if n.kind == numberNode {
			if !n.whole || n.integer < 1 {
				return "a whole number of bytes, 1 or more", ""
			}
			n.size = n.integer
			return "", ""
		}
		size, reason, right := parseSize(n.text)
		n.size = size
		return reason, quoteIf(right)
	}},
	"#HTTPPattern":   {noun: "an HTTP operation", example: `"POST api.example.com/v1/orders/{id}"`, kind: stringNode, rule: `text such as "GET /orders/{id}"`},
	"#GRPCMethod":    {noun: "a gRPC method", example: `"pkg.Service/Method"`, kind: stringNode, rule: `text such as "pkg.Service/Method"`},
	"#ClassName":     name("the name of a class", `"photo-upload"`, classNameRE, `lower-case letters, digits and "-", a letter first`, '-'),
	"#BudgetName":    name("the name of a retry budget", `"shared"`, regexp.MustCompile(`^[a-z][a-z0-9]*([-_][a-z0-9]+)*$`), `lower-case letters, digits, "-" and "_", a letter first`, '-'),
	"#ConditionName": name("the name of a condition", `"slow_down"`, snakeRE, `lower-case letters, digits and "_", a letter first`, '_'),
	"#FieldName":     name("the name of a field", `"order_id"`, snakeRE, `lower-case letters, digits and "_", a letter first`, '_'),
	"#HeaderName": {noun: "the name of an HTTP field", example: `"Idempotency-Key"`, kind: stringNode, check: func(n *node) (string, string) {
		if !headerRE.MatchString(n.text) {
			return `letters, digits and "-"`, suggestName(n.text, headerRE, '-', false)
		}
		return "", ""
	}},
	"#Target": {noun: "a class", example: `"payments.charge"`, kind: stringNode, rule: `text such as "payments.charge"`, check: func(n *node) (string, string) {
		set, class, ok := strings.Cut(n.text, ".")
		if !ok || !isPackageName(set) || !classNameRE.MatchString(class) {
			return `name the set and the class, such as "payments.charge"`, ""
		}
		return "", ""
	}},
	"#GoPackage": {noun: "the name of a Go package", example: `"paymentsretry"`, kind: stringNode, check: func(n *node) (string, string) {
		switch {
		case !isPackageName(n.text):
			return "lower-case letters, digits and \"_\", a letter first", quoteIf(packageName(n.text))
		case token.IsKeyword(n.text):
			return "it is a keyword of Go", ""
		case n.text == "main":
			return "nobody can import main", ""
		}
		return "", ""
	}},
	"#Folder": {noun: "a folder below the set's", example: `"paymentsretry"`, kind: stringNode, check: func(n *node) (string, string) {
		s := n.text
		switch {
		case s == "":
			return "it is empty", ""
		case strings.ContainsAny(s, "\\:"):
			return "with forward slashes", quoteIf(strings.ReplaceAll(s, "\\", "/"))
		case strings.HasPrefix(s, "/"):
			return "it is absolute", ""
		}
		for _, part := range strings.Split(s, "/") {
			switch {
			case part == ".." || part == "." || part == "":
				return "no \".\", no \"..\", no empty part", ""
			case part[0] == '.' || part[0] == '_':
				return fmt.Sprintf("the go command ignores folders such as %q", part), ""
			case part == "testdata" || part == "vendor":
				return fmt.Sprintf("the go command ignores or treats as special what is below %q", part), ""
			case strings.IndexFunc(part, func(r rune) bool {
				return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-._~+", r))
			}) >= 0:
				return fmt.Sprintf("%q cannot be part of an import path: letters, digits, \"-\", \"_\", \".\", \"~\" and \"+\"", part), ""
			}
		}
		return "", ""
	}},
	"#Date": {noun: "a date", example: `"2027-06-30"`, kind: stringNode, rule: `text such as "2027-06-30"`, check: func(n *node) (string, string) {
		d, err := time.Parse(time.DateOnly, n.text)
		if err != nil {
			return `year, month and day, such as "2027-06-30"`, ""
		}
		n.date = d
		return "", ""
	}},
}

var (
	classNameRE = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	snakeRE     = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	headerRE    = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
	ruleRE      = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
)

func atLeast(least float64, rule string) func(*node) (string, string) {
	return func(n *node) (string, string) {
		if math.IsInf(n.number, 1) {
			return "it is too large", ""
		}
		if !(n.number >= least) {
			return rule, ""
		}
		return "", ""
	}
}

func checkDuration(zero bool) func(*node) (string, string) {
	return func(n *node) (reason, right string) {
		n.duration, reason, right = parseDuration(n.text)
		if reason == "" && n.duration == 0 && !zero {
			return "it has to be longer than 0", ""
		}
		if d, _, _ := parseDuration(right); d == 0 && !zero {
			right = "" // "0s" is refused as well
		}
		return reason, quoteIf(right)
	}
}

func quoteIf(s string) string {
	if s == "" {
		return ""
	}
	return strconv.Quote(s)
}

func name(noun, example string, re *regexp.Regexp, rule string, dash rune) *scalar {
	return &scalar{noun: noun, example: example, kind: stringNode, rule: rule, check: func(n *node) (string, string) {
		if !re.MatchString(n.text) {
			return rule, suggestName(n.text, re, dash, true)
		}
		return "", ""
	}}
}

// suggestName writes a name as the language wants it: "OrderID" as "order_id".
func suggestName(s string, re *regexp.Regexp, dash rune, lower bool) string {
	var b strings.Builder
	var last rune
	for i, r := range s {
		switch {
		case unicode.IsUpper(r) && lower:
			next := nextRune(s[i+len(string(r)):])
			if b.Len() > 0 && last != dash && (unicode.IsLower(last) || unicode.IsDigit(last) || unicode.IsUpper(last) && unicode.IsLower(next)) {
				b.WriteRune(dash)
			}
			b.WriteRune(unicode.ToLower(r))
		case r == '-' || r == '_' || r == ' ' || r == '.':
			if b.Len() > 0 && last != dash {
				b.WriteRune(dash)
			}
			r = dash
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		}
		last = r
	}
	out := strings.Trim(b.String(), string(dash))
	if !re.MatchString(out) {
		return ""
	}
	return strconv.Quote(out)
}

func nextRune(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}

// enumNouns names what the words of an enum are.
var enumNouns = map[string]string{
	"#Effect":          "an effect",
	"#Duplicates":      "a value of duplicates",
	"#DeadlineMode":    "a mode of deadline",
	"#Timing":          "a timing",
	"#Jitter":          "a kind of jitter",
	"#Profile":         "a profile",
	"#KeySource":       "a source of keys",
	"#KeySent":         "a way to send the key",
	"#RetryAfterMode":  "a mode of retryAfter",
	"#Outcome":         "an outcome",
	"#Nested":          "a value of nested",
	"#Audience":        "an audience",
	"#WhenOffline":     "a value of whenOffline",
	"#WhenConstrained": "a value of whenConstrained",
	"#BudgetPer":       "a value of per",
	"#Severity":        "a severity",
}

// synonyms are words of other libraries, and what the language calls them.
var synonyms = map[string]string{
	"retries": "attempts", "maxRetries": "attempts", "maxAttempts": "attempts", "max_attempts": "attempts", "tries": "attempts",
	"timeout": "attemptTimeout", "perTryTimeout": "attemptTimeout", "retry": "backoff",
	"initial": "base", "initialBackoff": "base", "min": "base", "minBackoff": "base", "initialInterval": "base", "delay": "base",
	"max": "cap", "maxBackoff": "cap", "maxDelay": "cap", "maxInterval": "cap", "multiplier": "factor", "exponent": "factor",
	"statusCodes": "outcome", "retryOn": "outcome", "retryableStatusCodes": "outcome", "retryable": "outcome",
	"initialDelay": "base", "backoffMultiplier": "factor", "randomizationFactor": "jitter",
	"budget": "retryBudget", "idempotencyKey": "idempotency", "key": "idempotency", "ttl": "keptFor",
	"outcomes": "outcome", "method": "http", "url": "http", "deadlineMode": "mode", "total": "within", "keys": "fields",
}
