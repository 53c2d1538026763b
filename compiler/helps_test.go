package compiler_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"

	"github.com/retryc/retryc/compiler"
	"github.com/retryc/retryc/compiler/ir"
)

// thenAsked is what is asked for once a help has been taken: a class that has
// more attempts, another operation or another timing needs more than it had.
var thenAsked = []struct{ help, message string }{
	{`attempts: 3`, `has no backoff, which is required with more than 1 attempt`},
	{`grpc: "`, `has no field effect: only the methods of HTTP say what repeating does`},
	{`task: "`, `has no field effect: only the methods of HTTP say what repeating does`},
	{`timing: "queue"`, `which is required with timing queue`},
	{`timing: "scheduler"`, `which is required with timing scheduler`},
	{`timing: "scheduler"`, `has no effect with timing scheduler: the platform waits, not retryc`},
	{`timing: "scheduler"`, `which is required with profile "custom"`},
	{`timing: "`, `needs a key from the caller or from fields: it is the row's identity`},
	{`source: "fields"`, `has no fields, which is required with source "fields"`},
}

// helpsThatWait are the helps that alone leave something else to be said, by
// archive and first words, and why.
var helpsThatWait = map[string]string{
	`choice_that_others_wait_for: _kind:`:      "the class that waited for the choice has a mistake of its own",
	`closed_definition_and_typo: owner: "x"`:   "the definition takes no field, whatever its name",
	`hidden_class: refund: {attempts: 3}`:      "the class is as incomplete as it was written",
	`import_unknown_builtin: import "strings"`: "what uses the package has its name wrong as well",
	`said_twice: within: "2m"`:                 "two files say it, and it is pasted into one; the edit changes both",
}

// A help is pasted where the caret is: over the field of its name, or into the
// struct that lacks it. The mistake is then gone, and no other one has come.
func TestHelpsCanBePasted(t *testing.T) {
	pasted, chosen, used := 0, 0, map[string]bool{}
	for path, a := range archives(t, brokenArchives) {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		opt := options(a)
		before, _ := said(compile(t, opt))
		for _, d := range before {
			for _, h := range d.Help {
				text, comment, _ := strings.Cut(h, " // ")
				if sentences.MatchString(h) {
					continue
				}
				if strings.Contains(text, "…") && (!strings.Contains(comment, "stays as it is") || !strings.Contains(text, ": {…}")) {
					chosen++ // what stands there is the author's to say
					continue
				}
				exception := ""
				for key := range helpsThatWait {
					if in, begins, _ := strings.Cut(key, ": "); in == name && strings.HasPrefix(h, begins) {
						exception = key
					}
				}
				changed, how := paste(opt, d, text)
				wrong := how
				if changed != nil {
					if _, err := compiler.Find(*changed, nil); err == nil {
						delete(changed.Overlay, filepath.Join(opt.Base, namedSection)) // it is seen to be a set now
					}
					after, sources := said(compile(t, *changed))
					after = slices.DeleteFunc(after, func(x ir.Diagnostic) bool {
						for _, a := range thenAsked {
							if strings.HasPrefix(h, a.help) && strings.Contains(x.Message, a.message) {
								return true
							}
						}
						return false
					})
					wrong = worse(before, after, d)
					if wrong != "" {
						file := changed.Overlay[filepath.Join(opt.Base, filepath.FromSlash(d.Span.File))]
						wrong = fmt.Sprintf("%s (%s)\n%s\n%s", wrong, how, printed(t, after, sources), file)
					}
				}
				switch {
				case wrong == "":
					pasted++
				case exception != "":
					used[exception] = true
				default:
					t.Errorf("%s: %d:%d: %s\n  help: %s\n  %s", name, d.Span.Start.Line, d.Span.Start.Column, d.Message, h, wrong)
				}
			}
		}
	}
	for key := range helpsThatWait {
		if !used[key] {
			t.Errorf("the help of %s can be pasted: it is no exception", key)
		}
	}
	t.Logf("%d helps pasted, %d exceptions, %d that the author completes", pasted, len(used), chosen)
}

// worse says in what way one mistake is not just gone.
func worse(before, after []ir.Diagnostic, d ir.Diagnostic) string {
	count := func(all []ir.Diagnostic, message, file string) (n int) {
		for _, x := range all {
			if x.Message == message && x.Span.File == file {
				n++
			}
		}
		return n
	}
	if count(after, d.Message, d.Span.File) >= count(before, d.Message, d.Span.File) {
		return "the mistake is still there"
	}
	for _, x := range after {
		if count(after, x.Message, x.Span.File) > count(before, x.Message, x.Span.File) {
			return "a mistake has come: " + x.Message
		}
	}
	return ""
}

// paste puts a help into the text that a diagnostic is about, as its reader would.
func paste(opt compiler.Options, d ir.Diagnostic, help string) (*compiler.Options, string) {
	file := filepath.Join(opt.Base, filepath.FromSlash(d.Span.File))
	text := opt.Overlay[file]
	caret := stretch{d.Span.Start.Offset, d.Span.End.Offset}
	with := func(s stretch, insert, how string) (*compiler.Options, string) {
		out := compiler.Options{Base: opt.Base, Overlay: map[string][]byte{}}
		for name, text := range opt.Overlay {
			out.Overlay[name] = text
		}
		out.Overlay[file] = slices.Concat(text[:s.from], []byte(insert), text[s.to:])
		return &out, how
	}
	top, whole := read(file, text)
	if !whole && d.Fix != nil {
		mended := fixed(opt, d.Fix)
		written, _, _ := strings.Cut(help, "{…}")
		if !strings.Contains(help, d.Fix.Edits[0].Text) && !strings.Contains(squeezed(string(mended.Overlay[file])), squeezed(written)) {
			return nil, "the fix writes something else"
		}
		return &mended, "the fix"
	}
	names := labels(help)
	line := stretch{strings.LastIndexByte(string(text[:caret.from]), '\n') + 1, len(text)}
	if i := strings.IndexByte(string(text[caret.to:]), '\n'); i >= 0 {
		line.to = caret.to + i
	}
	for _, clause := range []string{"package ", "import "} {
		if !strings.HasPrefix(help, clause) {
			continue
		}
		if strings.HasPrefix(strings.TrimPrefix(string(text[line.from:line.to]), "\uFEFF"), clause) {
			return with(line, help, "over the clause")
		}
		after := 0
		if clause == "import " {
			after = strings.IndexByte(string(text), '\n') // below the package clause
		}
		return with(stretch{after, after}, "\n"+help+"\n", "at the top")
	}
	w := top.at(caret)
	atLabel := w.field && w.label.has(caret)
	if strings.HasPrefix(help, "let ") {
		return with(stretch{w.label.from, w.value.to}, help, "over the clause")
	}
	if !whole && names != nil { // what CUE has read may be anything: the line is what counts
		if i := strings.LastIndex(string(text[line.from:caret.to])+":", names[0]+":"); i >= 0 {
			return with(stretch{line.from + i, max(caret.to, line.from+i+len(names[0])+1)}, help, "over the name and what follows it up to the caret")
		}
	}
	if names == nil { // a value, or a name
		for x := w; strings.HasPrefix(help, "{") && x != nil; x = x.around {
			if x.field && x.kind == "" {
				return with(x.value, help, "over the expression")
			}
		}
		switch {
		case atLabel:
			return with(w.label, help, "over the name")
		case w.field || w.inList:
			return with(w.value, help, "over the value")
		}
		return with(caret, help, "at the caret")
	}
	if at := strings.Index(help, "{…}"); at >= 0 { // only the name changes
		if d.Fix != nil && writes(opt, d, help) {
			mended := fixed(opt, d.Fix)
			return &mended, "the fix"
		}
		end := w.label.to
		if strings.IndexByte("?!", text[end]) >= 0 {
			end++
		}
		return with(stretch{w.label.from, end}, strings.TrimRight(help[:at], ": "), "over the name")
	}
	switch {
	case atLabel && strings.Contains(d.Message, "the line below became its value"):
		return with(stretch{w.label.from, w.label.to + 1}, help, "over the name and its colon")
	case atLabel && (strings.HasPrefix(d.Message, "unknown field") || strings.Contains(d.Message, "did you mean")):
		return with(stretch{w.label.from, w.value.to}, help, "in place of the field")
	case atLabel && slices.Contains(takes(w), names[0]):
		if c := referred(top, string(text[w.value.from:w.value.to])); w.kind == "" && c != nil {
			return with(within(text, c, help)) // the struct that the name refers to
		}
		return with(within(text, w, help))
	}
	for x := w; x != nil; x = x.around {
		if x.field && x.name == names[0] {
			return with(stretch{x.label.from, x.value.to}, help, "over the field")
		}
	}
	if w == top {
		return with(within(text, top, help))
	}
	for x := w.around; x != nil; x = x.around {
		if !slices.Contains(takes(x), names[0]) {
			continue
		}
		if c := x.child(names[0]); c != nil && x != top { // at the top, structs add up
			return with(stretch{c.label.from, c.value.to}, help, "over the field beside it")
		}
		return with(within(text, x, help))
	}
	if d.Fix != nil && writes(opt, d, help) { // what CUE reads is not what was meant
		mended := fixed(opt, d.Fix)
		return &mended, "the fix"
	}
	return nil, "no struct around it takes " + names[0]
}

// writes reports whether the fix of a diagnostic leaves what its help says.
func writes(opt compiler.Options, d ir.Diagnostic, help string) bool {
	text, _, _ := strings.Cut(help, "{…}")
	file := filepath.Join(opt.Base, filepath.FromSlash(d.Span.File))
	return strings.Contains(squeezed(string(fixed(opt, d.Fix).Overlay[file])), squeezed(text))
}

// referred returns the struct at the top of a file that a reference means, or nil.
func referred(top *written, reference string) *written {
	for _, name := range []string{reference, "let " + reference} {
		for _, x := range top.inside {
			if x.name == name && x.kind == "struct" {
				return x
			}
		}
	}
	return nil
}

// within is the way to add a field to a struct.
func within(text []byte, w *written, help string) (stretch, string, string) {
	switch {
	case w.around == nil:
		return stretch{w.value.to, w.value.to}, "\n" + help + "\n", "at the end of the file"
	case w.open:
		end := w.value.to - 1
		if body := strings.TrimRight(string(text[w.value.from:end]), " \t\n"); !strings.HasSuffix(body, ",") && !strings.HasSuffix(body, "{") && !strings.Contains(body, "\n") {
			help = ", " + help
		}
		return stretch{end, end}, help + "\n", "into the struct"
	case w.kind == "struct":
		return w.value, "{" + string(text[w.value.from:w.value.to]) + "\n" + help + "}", "into braces"
	}
	return w.value, string(text[w.value.from:w.value.to]) + " & {" + help + "}", "beside the value"
}

// takes lists the fields that the language has for a struct.
func takes(w *written) []string {
	var path []string
	for x := w; x != nil; x = x.around {
		switch {
		case strings.HasPrefix(x.name, "#") || strings.HasPrefix(x.name, "_") || strings.HasPrefix(x.name, "let "):
			path = append(path, "*", "class") // what many classes share
		case x.field && x.around.around == nil && strings.HasPrefix(x.name, "clas"):
			path = append(path, "class") // however it is misspelt
		case x.field:
			path = append(path, x.name)
		case x.inList:
			path = append(path, "*")
		}
	}
	slices.Reverse(path)
	if len(path) == 0 {
		return []string{"class", "go", "lint", "retryBudgets", "waive"}
	}
	for _, f := range compiler.Language() {
		names := strings.Split(f.Path, ".")
		if len(names) == len(path) && !slices.ContainsFunc(seq(len(path)), func(i int) bool { return names[i] != "*" && names[i] != path[i] }) {
			return f.Names
		}
	}
	return nil
}

// labels returns the names of the fields that a help writes, or nil where it is
// a value.
func labels(help string) []string {
	f, err := parser.ParseFile("help.cue", "in: {\n"+strings.ReplaceAll(help, "{…}", "{}")+"\n}")
	if err != nil {
		return nil
	}
	var out []string
	for _, d := range f.Decls[0].(*ast.Field).Value.(*ast.StructLit).Elts {
		f, ok := d.(*ast.Field)
		if !ok {
			return nil
		}
		if name, _, err := ast.LabelName(f.Label); err == nil {
			out = append(out, name)
		}
	}
	return out
}

func squeezed(s string) string { return strings.Join(strings.Fields(s), "") }
