package compiler

import (
	"strings"

	"cuelang.org/go/cue/parser"
)

// exampleClass is a whole class.
const exampleClass = `{http: "GET api.example.com/orders/{id}", attempts: 1, deadline: within: "2m"}`

const classHelp = `class: "get-order": ` + exampleClass

// examples are values to paste where a field is missing or of the wrong type.
var examples = map[string]string{
	"http":                    `"GET api.example.com/orders/{id}"`,
	"grpc":                    `"shop.Orders/Get"`,
	"task":                    `"photo upload"`,
	"aliases":                 `["old-name"]`,
	"effect":                  `"idempotent"`,
	"duplicates":              `"refused"`,
	"owner":                   `"team-payments"`,
	"attempts":                "3",
	"attemptTimeout":          `"10s"`,
	"deadline":                `{within: "2m"}`,
	"deadline.within":         `"2m"`,
	"deadline.mode":           `"expire"`,
	"deadline.extendAtMost":   `"24h"`,
	"timing":                  `"queue"`,
	"backoff":                 `{base: "200ms", cap: "20s"}`,
	"backoff.base":            `"200ms"`,
	"backoff.cap":             `"20s"`,
	"backoff.factor":          "2",
	"retryBudget.floor":       "1",
	"backoff.jitter":          `"full"`,
	"scheduler":               `{profile: "workmanager@2", maxGap: "6h"}`,
	"scheduler.profile":       `"workmanager@2"`,
	"scheduler.minBackoff":    `"10s"`,
	"scheduler.maxBackoff":    `"5h"`,
	"scheduler.maxGap":        `"6h"`,
	"startJitter":             `"15m"`,
	"idempotency":             `{source: "fields", fields: ["order_id"]}`,
	"idempotency.source":      `"fields"`,
	"idempotency.fields":      `["order_id"]`,
	"idempotency.sent":        `"header"`,
	"idempotency.keptFor":     `"24h"`,
	"retryAfter":              `{mode: "override"}`,
	"retryAfter.mode":         `"override"`,
	"retryAfter.max":          `"1m"`,
	"outcome":                 `{"409": "reread"}`,
	"outcome.*":               `"retry"`,
	"outcomeAfterAmbiguous":   `{"404": "success"}`,
	"outcomeAfterAmbiguous.*": `"success"`,
	"perOutcome":              `{"429": {attempts: 2}}`,
	"perOutcome.*":            `{attempts: 2}`,
	"conditions":              `["slow_down"]`,
	"retryBudget":             `{ratio: 0.1}`,
	"retryBudget.ratio":       "0.1",
	"retryBudget.per":         `"host"`,
	"retryBudgets":            `{shared: ratio: 0.1}`,
	"retryBudgets.*":          `{ratio: 0.1}`,
	"retryBudgets.*.ratio":    "0.1",
	"retryBudgets.*.per":      `"host"`,
	"nested":                  `"once"`,
	"audience":                `"interactive"`,
	"whenOffline":             `"suspend"`,
	"whenConstrained":         `"defer"`,
	"payload":                 `{max: "8MiB"}`,
	"calls":                   `["payments.charge"]`,
	"calls.*":                 `"payments.charge"`,
	"calls.*.name":            `"mesh"`,
	"waive":                   `{"missing-timeout": reason: "the caller has a deadline of its own"}`,
	"waive.*":                 `{reason: "the caller has a deadline of its own"}`,
	"waive.*.reason":          `"the caller has a deadline of its own"`,
	"lint":                    `{"missing-owner": "warning"}`,
	"lint.*":                  `"warning"`,
	"lint.*.reason":           `"known, and watched"`,
	"lint.*.severity":         `"warning"`,
	"go":                      `{package: "paymentsretry"}`,
	"class":                   `{"get-order": ` + exampleClass + `}`,
}

// exampleOf returns a value for a path, or "".
func exampleOf(path string) string {
	if ex, ok := examples[path]; ok {
		return ex
	}
	parts := strings.Split(path, ".")
	for i := 1; i < len(parts); i++ {
		p := append([]string(nil), parts...)
		p[i] = "*"
		if ex, ok := examples[strings.Join(p, ".")]; ok {
			return ex
		}
	}
	return ""
}

// exampleOfName is a value for a field of that name, wherever it may stand.
func exampleOfName(name string) string {
	if ex := examples[name]; ex != "" {
		return ex
	}
	for _, path := range sorted(examples) {
		if last(path) == name {
			return examples[path]
		}
	}
	return ""
}

func parsesAsFile(text string) bool {
	_, err := parser.ParseFile("", text)
	return err == nil
}

// parses reports whether a text is one expression of CUE's.
func parses(text string) bool {
	_, err := parser.ParseExpr("", text)
	return text != "" && err == nil
}
