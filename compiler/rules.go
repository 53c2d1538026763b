package compiler

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
)

// rules holds a class against what concerns several fields at once. Each rule
// asks for the fields it reads and is silent where one of them is broken, so
// that no mistake is reported twice. schema/rules.cue says the same in CUE; a
// test holds the two to one corpus.
func (c *checker) rules() {
	c.operation()
	c.timing()
	c.backoff()
	c.identity()
	c.keyHeader()
	c.pushback()
	c.outcomes()
	c.layers()
}

// word returns the value of an enum, with its constant default.
func (c *checker) wordAt(path string) (value string, n *node, known bool) {
	n, known = c.look(path)
	if !known {
		return "", nil, false
	}
	if n != nil {
		return n.text, n, true
	}
	return defaultText(path), nil, true
}

func defaultText(path string) string {
	d := theShape().defaults
	for _, name := range strings.Split(path, ".") {
		if d = d.field(name); d == nil {
			return ""
		}
	}
	return d.text
}

// refuse reports a field that can have no effect.
func (c *checker) refuse(path, format string, args ...any) *ir.Diagnostic {
	n, known := c.look(path)
	if !known || n == nil {
		return nil
	}
	d := c.atLabel(n, path, "%s %s", path, fmt.Sprintf(format, args...))
	n.broken = true
	return d
}

func (c *checker) operation() {
	var given []string
	unknown := false
	for _, kind := range []string{"http", "grpc", "task"} {
		if n := c.root.field(kind); n != nil {
			given = append(given, kind)
		} else if c.excused(kind) {
			unknown = true
		}
	}
	switch {
	case len(given) == 0 && !unknown:
		d := c.atSelf("http", "%s has no operation: exactly one of http, grpc, task", c.what)
		d.Help = []string{"http: " + examples["http"], "grpc: " + examples["grpc"], "task: " + examples["task"]}
	case len(given) > 1:
		first := c.root.field(given[0])
		for _, kind := range given[1:] {
			d := c.atLabel(c.root.field(kind), kind, "a class is one operation: %s and %s are two", given[0], kind)
			d.Related = append(d.Related, ir.Related{Span: first.label, Message: given[0] + " here"})
		}
		return
	}
	effect, known := c.look("effect")
	if !known || effect != nil || len(given) != 1 {
		return
	}
	switch n := c.root.field(given[0]); {
	case n.broken:
	case given[0] != "http":
		c.missing(c.root, "", "effect").Message = fmt.Sprintf("%s has no field effect: only the methods of HTTP say what repeating does", c.what)
	default:
		if method, _, _ := strings.Cut(n.text, " "); !knownMethod(method) {
			c.missing(c.root, "", "effect").Message = fmt.Sprintf("%s has no field effect: RFC 9110 does not say what repeating %s does", c.what, method)
		}
	}
}

func (c *checker) timing() {
	timing, at, known := c.wordAt("timing")
	if !known {
		return
	}
	durable := timing != "inline"
	because := "with timing " + timing
	if at == nil {
		because = "inline"
	}
	need := func(path, why string) {
		if n, known := c.look(path); !known || n != nil {
			return
		}
		parent, name, node := "", path, c.root
		if i := strings.LastIndexByte(path, '.'); i >= 0 {
			around, known := c.look(path[:i])
			switch {
			case !known:
				return
			case around == nil:
				name = path[:i] // the struct around it is left out as well
			default:
				parent, name, node = path[:i], path[i+1:], around
			}
		}
		if !c.excused(join(parent, name)) {
			c.missing(node, parent, name).Message += ", which " + why
		}
	}
	if durable {
		need("attemptTimeout", "is required "+because)
		if n := c.root.field("deadline"); n != nil {
			need("deadline.mode", "is required "+because)
		}
	} else if at == nil && c.timingForgotten() {
		return
	} else {
		if mode, n, known := c.wordAt("deadline.mode"); known && n != nil && mode == "extend" {
			d := c.at(n, "deadline.mode", `mode "extend" has no effect inline: nothing defers the attempts`)
			d.Help = []string{`timing: "queue"`, `mode: "expire"`}
			if alone := c.deadlineAlone(); alone != "" {
				d.Help[1] = alone
			}
		} else if known {
			if d := c.refuse("deadline.extendAtMost", "has no effect inline: nothing defers the attempts"); d != nil {
				d.Help = []string{c.deadlineAlone()}
				if d.Help[0] == "" {
					d.Help = nil
				}
			}
		}
		c.refuse("startJitter", "has no effect inline: there is no schedule to spread")
		c.refuse("whenConstrained", "has no effect inline: only queue and scheduler can wait for better conditions")
	}
	if mode, n, known := c.wordAt("deadline.mode"); known {
		if mode == "extend" && n != nil {
			need("deadline.extendAtMost", `is required with mode "extend"`)
		} else if !(durable && n == nil) {
			if d := c.refuse("deadline.extendAtMost", `has no effect without mode "extend"`); d != nil {
				d.Help = []string{`mode: "extend"`}
			}
		}
	}
	if timing == "scheduler" {
		need("scheduler.maxGap", "is required "+because)
		if n := c.root.field("scheduler"); n != nil && !n.broken {
			if profile, _, known := c.wordAt("scheduler.profile"); known && profile == "custom" {
				need("scheduler.minBackoff", `is required with profile "custom"`)
				need("scheduler.maxBackoff", `is required with profile "custom"`)
			}
			c.ordered("scheduler.minBackoff", "scheduler.maxBackoff")
		}
		const platform = "has no effect with timing scheduler: the platform waits, not retryc"
		c.refuse("backoff", "%s", platform)
		c.refuse("retryBudget", "%s", platform)
	} else if d := c.refuse("scheduler", "has no effect %s", because); d != nil {
		d.Help = []string{`timing: "scheduler"`}
		if at == nil {
			c.claim("timing") // forgotten: what a scheduler does without is not missing
		}
	}
}

// deadlineAlone is the deadline without what only deferred work has, where it has
// some and says the rest itself.
func (c *checker) deadlineAlone() string {
	within, _ := c.look("deadline.within")
	if within == nil || c.root.field("deadline").field("extendAtMost") == nil {
		return ""
	}
	return "deadline: {within: " + strconv.Quote(within.text) + "}"
}

// timingForgotten reports a class that says several things about deferred work
// and not its timing: that is one mistake, and the others follow from it.
func (c *checker) timingForgotten() bool {
	var names []string
	var first *node
	for _, path := range []string{"deadline.mode", "scheduler", "startJitter", "whenConstrained"} {
		n, known := c.look(path)
		if !known || n == nil || path == "deadline.mode" && n.text != "extend" {
			continue
		}
		names = append(names, path)
		if first == nil || later(first.label, n.label) {
			first = n
		}
	}
	if len(names) < 2 {
		return false
	}
	d := c.mistake(first.label, "%s need a timing: without one the class is inline, and nothing defers it", enumerate(names))
	d.Set, d.Class, d.Field = c.set, c.class, "timing"
	d.Help = []string{`timing: "queue"`, `timing: "scheduler"`}
	c.claim("timing")
	return true
}

// ordered reports a pair of durations in the wrong order.
func (c *checker) ordered(low, high string) {
	a, knownA := c.look(low)
	b, knownB := c.look(high)
	if !knownA || !knownB || a == nil || b == nil || b.duration >= a.duration {
		return
	}
	if len(a.related) == 0 && len(b.related) > 0 { // the one that the class itself says is the one to edit
		d := c.at(a, low, "%s %s is above %s %s", last(low), a.quoted(), last(high), b.quoted())
		d.Related = append(d.Related, ir.Related{Span: b.value, Message: last(high) + " here"})
		return
	}
	d := c.at(b, high, "%s %s is below %s %s", last(high), b.quoted(), last(low), a.quoted())
	d.Related = append(d.Related, ir.Related{Span: a.value, Message: last(low) + " here"})
}

func (c *checker) backoff() {
	timing, _, known := c.wordAt("timing")
	backoff, knownBackoff := c.look("backoff")
	if known && timing == "scheduler" || !knownBackoff {
		return
	}
	c.ordered("backoff.base", "backoff.cap")
	if attempts, ok := c.look("attempts"); !known || !ok || attempts == nil || attempts.integer < 2 {
		return
	}
	if backoff == nil {
		c.missing(c.root, "", "backoff").Message += ", which is required with more than 1 attempt"
		return
	}
	for _, name := range []string{"base", "cap"} {
		if n, known := c.look("backoff." + name); known && n == nil {
			c.missing(backoff, "backoff", name)
		}
	}
}

func (c *checker) identity() {
	source, at, known := c.wordAt("idempotency.source")
	if !known {
		return
	}
	fields, knownFields := c.look("idempotency.fields")
	// Fields without a source: one mistake, at what is there.
	if at == nil && fields != nil {
		d := c.atLabel(fields, "idempotency.fields", `fields has no effect without source "fields"`)
		d.Help = []string{`source: "fields"`}
		return
	}
	if at != nil && source != "fields" && fields != nil {
		c.atLabel(fields, "idempotency.fields", `fields has no effect with source %q`, source).Help = []string{`source: "fields"`}
	}
	if source == "fields" && knownFields {
		if fields == nil {
			c.missing(c.root.field("idempotency"), "idempotency", "fields").Message += `, which is required with source "fields"`
		} else if len(fields.elems) == 0 {
			d := c.at(fields, "idempotency.fields", "fields is empty: a key needs something to be made of")
			d.Help = []string{"fields: " + examples["idempotency.fields"]}
		}
	}
	if source == "none" {
		for _, name := range []string{"sent", "header", "quote", "keptFor"} {
			if d := c.refuse("idempotency."+name, "has no effect without a key"); d != nil {
				d.Help = []string{`source: "fields", fields: ["order_id"]`, `source: "caller"`}
			}
		}
	}
	sent, sentAt, knownSent := c.wordAt("idempotency.sent")
	kind, knownKind := c.kind()
	if source != "none" && knownSent && knownKind {
		if sentAt != nil && sent == "header" && kind != ir.HTTP {
			d := c.at(sentAt, "idempotency.sent", `sent "header" has no effect with %s: only HTTP requests have the header`, kind)
			d.Help = []string{`sent: "app"`}
		} else if sent == "app" || sentAt == nil && kind != ir.HTTP {
			why := `has no effect where the app sends the key`
			c.refuse("idempotency.header", "%s", why)
			c.refuse("idempotency.quote", "%s", why)
		}
	}
	if timing, _, known := c.wordAt("timing"); known && timing != "inline" && source != "caller" && source != "fields" {
		why := fmt.Sprintf("timing %s needs a key from the caller or from fields: it is the row's identity", timing)
		var d *ir.Diagnostic
		if at != nil {
			d = c.at(at, "idempotency.source", "source %q: %s", source, why)
		} else {
			d = c.atSelf("idempotency.source", "%s has no idempotency.source, and %s", c.what, why)
		}
		d.Help = []string{`idempotency: {source: "fields", fields: ["order_id"]}`, `idempotency: source: "caller"`}
	}
}

func (c *checker) kind() (ir.Kind, bool) {
	for _, k := range []ir.Kind{ir.HTTP, ir.GRPC, ir.Task} {
		if c.root.field(k.String()) != nil || c.claimed[k.String()] { // a misspelt name says the kind as well
			return k, true
		}
	}
	return 0, false
}

func (c *checker) pushback() {
	mode, at, known := c.wordAt("retryAfter.mode")
	if !known {
		return
	}
	if mode == "override" || mode == "ignore" {
		why := fmt.Sprintf("has no effect with mode %q", mode)
		if at == nil {
			why += ", which is the default"
		}
		if d := c.refuse("retryAfter.max", "%s", why); d != nil {
			d.Help = []string{`mode: "stop"`, `mode: "clamp"`}
		}
		return
	}
	timing, _, known := c.wordAt("timing")
	limit, knownMax := c.look("retryAfter.max")
	if known && knownMax && limit == nil && timing == "scheduler" {
		d := c.missing(c.root.field("retryAfter"), "retryAfter", "max")
		d.Message += fmt.Sprintf(", which is required with mode %q where no backoff.cap stands in for it", mode)
	}
}

func (c *checker) layers() {
	if calls, known := c.look("calls"); known && calls != nil {
		for i, call := range calls.elems {
			if call.broken || call.kind != structNode {
				continue
			}
			path := fmt.Sprintf("calls.%d", i)
			class, name := call.field("class"), call.field("name")
			switch {
			case class != nil && name != nil:
				c.atLabel(name, join(path, "name"), "a call is a class or has a name of its own, not both")
			case class == nil && name == nil && !c.excused(join(path, "class")) && !c.excused(join(path, "name")):
				c.at(call, path, "the call has neither class nor name").Help = []string{`{class: "payments.charge", remote: true}`, `{name: "mesh", attempts: 3}`}
			case class != nil:
				if n := call.field("attempts"); n != nil && !n.broken {
					c.atLabel(n, join(path, "attempts"), "attempts has no effect here: the class %s has its own", class.quoted())
				}
			case name != nil:
				if n := call.field("remote"); n != nil && !n.broken {
					c.atLabel(n, join(path, "remote"), "remote has no effect with name: what is external is beyond the guard anyway")
				}
				if call.field("attempts") == nil && !c.excused(join(path, "attempts")) {
					d := c.at(call, path, "the call to %s has no attempts: how many it makes in all", name.quoted())
					d.Help = []string{fmt.Sprintf("{name: %s, attempts: 3}", name.quoted())}
				}
			}
		}
	}
	if aliases, known := c.look("aliases"); known && aliases != nil {
		for _, a := range aliases.elems {
			if !a.broken && a.text == c.class {
				c.at(a, join("aliases", a.name), "%q is the name that the class has now: aliases are former ones", a.text)
			}
		}
	}
	if b, known := c.look("retryBudget"); known && b != nil && b.kind == structNode {
		c.budget(b, "retryBudget")
	}
}

// budget reports a budget that allows nothing.
func (c *checker) budget(n *node, path string) {
	ratio, floor := n.field("ratio"), n.field("floor")
	if ratio == nil || ratio.broken || ratio.number != 0 || floor != nil && (floor.broken || floor.number != 0) || c.excused(join(path, "floor")) {
		return
	}
	c.at(ratio, join(path, "ratio"), "ratio 0 and floor 0 allow no retry at all").Help = []string{"ratio: 0.1"}
}
