package compiler

// Text that is put together from the names of a loop, and names that were meant to
// be.

import (
	"fmt"
	"regexp"
	"strings"
)

var loopNames = regexp.MustCompile(`\bfor[ \t]+([A-Za-z_][A-Za-z0-9_]*)(?:[ \t]*,[ \t]*([A-Za-z_][A-Za-z0-9_]*))?[ \t]+in\b[^{\n]*\{`)

var textOrLabel = regexp.MustCompile(`"s*"`)

// templates finds "${n}" and its like in what a loop over n makes, and what stands
// beside \(n) that no name of a class has.
func (h *habit) templates() {
	h.all(loopNames, func(m []int) {
		open := m[1] - 1
		end := closing(h.masked, open)
		var names []string
		for _, g := range []int{2, 4} {
			if m[g] >= 0 && h.text[m[g]] != '_' {
				names = append(names, regexp.QuoteMeta(string(h.text[m[g]:m[g+1]])))
			}
		}
		if len(names) == 0 {
			return
		}
		any := strings.Join(names, "|")
		meant := regexp.MustCompile(`(?:\\\\|\\|\$)?(?:\{\{[ ]?(` + any + `)[ ]?\}\}|\{(` + any + `)\}|\((` + any + `)\))|\\(` + any + `)\)`)
		for _, t := range textOrLabel.FindAllIndex(h.masked[open:end], -1) {
			at, stop := open+t[0], open+t[1]
			rest := strings.TrimLeft(string(h.masked[stop:min(end, stop+40)]), " \t")
			label := strings.HasPrefix(rest, ":")
			text := string(h.text[at:stop])
			fixed, first, meaning := "", -1, ""
			last := 0
			for _, f := range meant.FindAllStringSubmatchIndex(text, -1) {
				said := text[f[0]:f[1]]
				name := ""
				for g := 2; g < len(f); g += 2 {
					if f[g] >= 0 {
						name = text[f[g]:f[g+1]]
					}
				}
				right := `\(` + name + `)`
				if said == right || !label && said[0] != '$' && !strings.HasPrefix(said, `\{`) && !strings.HasPrefix(said, "{{") {
					continue
				}
				fixed, meaning = fixed+text[last:f[0]]+right, right
				if last = f[1]; first < 0 {
					first = f[0]
				}
			}
			switch {
			case first >= 0:
				fixed += text[last:]
				if !parsesAsFile("x: " + fixed) {
					continue
				}
				h.say(slip{start: at, end: stop, message: fmt.Sprintf(`%s is no more than that text: a value is put into it with %s`, text, meaning), title: "write " + fixed, help: []string{fixed}, fix: []edit{{at, stop, fixed}}})
			case label && strings.Contains(text, `\(`) && h.isClassLabel(at):
				h.nameOfClasses(at, stop, text)
			}
		}
	})
}

var (
	interpolated = regexp.MustCompile(`\\\([^()]*\)`)
	noNameOfOne  = regexp.MustCompile(`[^a-z0-9-]+|-{2,}`)
)

// nameOfClasses looks at what the names of all classes of a loop have in common.
func (h *habit) nameOfClasses(at, end int, text string) {
	inner := text[1 : len(text)-1]
	reason, _ := scalars["#ClassName"].check(&node{text: interpolated.ReplaceAllString(inner, "x")})
	if reason == "" {
		return
	}
	fixed := ""
	for rest := inner; ; {
		loc := interpolated.FindStringIndex(rest)
		if loc == nil {
			fixed += noNameOfOne.ReplaceAllString(strings.ToLower(rest), "-")
			break
		}
		fixed += noNameOfOne.ReplaceAllString(strings.ToLower(rest[:loc[0]]), "-") + rest[loc[0]:loc[1]]
		rest = rest[loc[1]:]
	}
	fixed = strings.Trim(fixed, "-")
	if again, _ := scalars["#ClassName"].check(&node{text: interpolated.ReplaceAllString(fixed, "x")}); again != "" {
		return
	}
	right := `"` + fixed + `"`
	h.say(slip{start: at, end: end, message: fmt.Sprintf("%s makes no names of classes: %s", text, reason), title: "write " + right, help: []string{right}, fix: []edit{{at, end, right}}})
}

var headOfClass = regexp.MustCompile(`\bclass[ \t]*:[ \t]*$`)

// isClassLabel reports whether a class is named at an offset.
func (h *habit) isClassLabel(at int) bool {
	line := lineAround(h.masked, at)
	if headOfClass.Match(h.masked[line.start:at]) {
		return true
	}
	open := openBrackets(h.masked[:at])
	for i := len(open) - 1; i >= 0; i-- {
		head := h.masked[lineAround(h.masked, open[i]).start:open[i]]
		if headOfClass.Match(head) {
			return true
		}
		if !loopHead.Match(head) {
			return false
		}
	}
	return false
}

var fieldInField = regexp.MustCompile(`\b([a-z][A-Za-z]*)[ \t]*:[ \t]*([a-z][A-Za-z]*)[ \t]*:[ \t]*`)

var nameThenColon = regexp.MustCompile(`^[ \t]*([a-z][A-Za-z]*)[ \t]*:`)

// shorthand finds backoff: base: "1s", cap: "5s": without braces, the second is no
// field of backoff.
func (h *habit) shorthand() {
	class := theShape().class
	h.all(fieldInField, func(m []int) {
		t := fieldOfClass(string(h.text[m[2]:m[3]]))
		if t == nil || t.kind != structType && t.body == nil || inShared(h.text, m[0]) {
			return // what is shared may have fields of its own
		}
		if t.body != nil {
			t = t.body
		}
		if t.field(string(h.text[m[4]:m[5]])) == nil {
			return
		}
		end, from, to := h.valueEnd(m[1]), 0, 0
		for end < len(h.masked) && h.masked[end] == ',' {
			f := nameThenColon.FindSubmatchIndex(h.masked[end+1:])
			if f == nil {
				break
			}
			name := string(h.text[end+1+f[2] : end+1+f[3]])
			if t.field(name) == nil || class.field(name) != nil {
				break
			}
			if from == 0 {
				from, to = end+1+f[2], end+1+f[3]
			}
			end = h.valueEnd(end + 1 + f[1])
		}
		line := lineAround(h.text, m[0])
		if from == 0 || strings.Count(string(h.masked[line.start:m[0]]), "{") <= strings.Count(string(h.masked[line.start:m[0]]), "}") && end < len(h.masked) && h.masked[end] == '}' {
			return // or a brace is missing, which the parser finds
		}
		end = m[4] + len(strings.TrimRight(string(h.masked[m[4]:end]), " \t\r"))
		name := string(h.text[m[2]:m[3]])
		right := "{" + string(h.text[m[4]:end]) + "}"
		h.say(slip{
			start: from, end: to, message: fmt.Sprintf("without braces, %s has but one field, and %s is none of it", name, h.text[from:to]), title: "write braces",
			help: []string{name + ": " + right}, fix: []edit{{m[4], m[4], "{"}, {end, end, "}"}},
		})
	})
}

// valueEnd is where a value ends that begins at an offset: at a comma, a closing
// bracket or the end of the line.
func (h *habit) valueEnd(at int) int {
	for at < len(h.masked) {
		switch h.masked[at] {
		case ',', '}', ']', ')', '\n':
			return at
		case '{', '[', '(':
			at = closing(h.masked, at)
		default:
			at++
		}
	}
	return at
}
