package lint_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/internal/golden"
	"github.com/retryc/retryc/lint"
)

// The catalogue and the archives are one list: no update can bless a difference.
func TestEveryRuleHasItsArchive(t *testing.T) {
	var ids []string
	for _, r := range lint.Rules() {
		ids = append(ids, r.ID)
	}
	sorted := slices.Sorted(slices.Values(ids))
	if got := lint.Archives(); !slices.Equal(got, sorted) {
		for _, id := range sorted {
			if !slices.Contains(got, id) {
				t.Errorf("rule %s has no archive", id)
			}
		}
		for _, id := range got {
			if !slices.Contains(sorted, id) {
				t.Errorf("archive %s has no rule", id)
			}
		}
	}
	if unique := slices.Compact(sorted); len(unique) != len(ids) {
		t.Errorf("%d ids for %d rules", len(unique), len(ids))
	}
}

func TestRulesAreWellFormed(t *testing.T) {
	id := regexp.MustCompile(`^[a-z]+(-[a-z]+)+$`)
	harms := map[lint.Harm]bool{}
	for _, h := range lint.Harms() {
		harms[h.Harm] = true
	}
	for _, r := range lint.Rules() {
		checks := 0
		for _, set := range []bool{r.Class != nil, r.Set != nil || r.Waiver != nil, r.Tree != nil} {
			if set {
				checks++
			}
		}
		stem := strings.ReplaceAll(r.ID, "-", "_") + ".go"
		switch {
		case !id.MatchString(r.ID):
			t.Errorf("%q is no phrase in kebab case", r.ID)
		case checks != 1:
			t.Errorf("%s has %d kinds of checks, want 1", r.ID, checks)
		case !harms[r.Harm]:
			t.Errorf("%s has no chapter", r.ID)
		case r.Severity < ir.Info || r.Severity > ir.Error || r.Worst != 0 && r.Worst <= r.Severity:
			t.Errorf("%s is %v, at worst %v", r.ID, r.Severity, r.Worst)
		case r.Title == "" || strings.HasSuffix(r.Title, "."):
			t.Errorf("%s is titled %q", r.ID, r.Title)
		}
		if _, err := os.Stat(stem); err != nil {
			t.Errorf("%s has no file of its name: %v", r.ID, err)
		}
	}
}

// Each bad policy fires its rule, only through it, and each good one is silent
// for all rules. The texts are what a terminal prints.
func TestArchives(t *testing.T) {
	for _, r := range lint.Rules() {
		t.Run(r.ID, func(t *testing.T) {
			p, err := lint.PageOf(r.ID)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Prose) < 80 || len(p.Bad) == 0 || len(p.Good) == 0 {
				t.Fatalf("%d characters of prose, %d bad and %d good policies", len(p.Prose), len(p.Bad), len(p.Good))
			}
			if !strings.Contains(p.Prose, "Source: ") {
				t.Error("the prose names no source")
			}
			printed := map[string]string{}
			severities := map[ir.Severity]bool{}
			for _, e := range p.Bad {
				sets, got := run(t, e.Files)
				fired := false
				for _, d := range got.Findings {
					if d.Rule == r.ID {
						fired = true
						severities[d.Severity] = true
						checkFinding(t, d)
					}
				}
				if !fired {
					t.Errorf("%s does not fire the rule", e.Name)
				}
				without := lint.RunWithout(sets, lint.Options{Today: today}, r.ID)
				if slices.ContainsFunc(without.Findings, func(d ir.Diagnostic) bool { return d.Rule == r.ID }) {
					t.Errorf("%s: the finding does not come from the rule", e.Name)
				}
				printed[e.Name] = text(t, sets, got.Findings)
				if printed[e.Name] != e.Findings && !golden.Update() {
					t.Errorf("%s prints\n%s\nwant\n%s", e.Name, printed[e.Name], e.Findings)
				}
			}
			for s := range severities {
				if s != r.Severity && s != max(r.Severity, r.Worst) {
					t.Errorf("a finding is %v; the rule says %v, at worst %v", s, r.Severity, r.Worst)
				}
			}
			if r.Worst != 0 && len(severities) != 2 {
				t.Errorf("the bad policies show %d of the rule's two severities", len(severities))
			}
			for _, e := range p.Good {
				sets, got := run(t, e.Files)
				if len(got.Findings) > 0 || len(got.Mistakes) > 0 {
					t.Errorf("%s is not silent:\n%s", e.Name, text(t, sets, append(got.Findings, got.Mistakes...)))
				}
			}
			if golden.Update() {
				rewrite(t, r.ID, printed)
			}
		})
	}
}

// checkFinding holds a finding to how messages read.
func checkFinding(t *testing.T, d ir.Diagnostic) {
	t.Helper()
	switch {
	case d.Span.IsZero() || d.Span.Start.Line < 1:
		t.Errorf("%q has no place", d.Message)
	case d.Message == "" || strings.HasSuffix(d.Message, ".") || strings.Contains(d.Message, "\n"):
		t.Errorf("message %q", d.Message)
	case len(d.Help) == 0:
		t.Errorf("%q has no help", d.Message)
	case d.Set == "":
		t.Errorf("%q names no set", d.Message)
	}
	for _, w := range []string{"0 request", "0 attempt", "1 requests", "1 attempts", "1 times", "%!", "ir."} {
		if i := strings.Index(d.Message, w); i >= 0 && (i == 0 || d.Message[i-1] < '0' || d.Message[i-1] > '9') {
			t.Errorf("%q reads badly", d.Message)
		}
	}
}

// rewrite puts what was printed into the archive, behind each policy.
func rewrite(t *testing.T, id string, printed map[string]string) {
	path := filepath.Join("rules", id+".txtar")
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	a := txtar.Parse(old)
	var files []txtar.File
	for i, f := range a.Files {
		if strings.HasSuffix(f.Name, ".findings") {
			continue
		}
		files = append(files, f)
		name := caseOf(f.Name)
		last := i+1 == len(a.Files) || caseOf(a.Files[i+1].Name) != name || strings.HasSuffix(a.Files[i+1].Name, ".findings")
		if out, ok := printed[name]; ok && last {
			files = append(files, txtar.File{Name: name + ".findings", Data: []byte(out)})
		}
	}
	a.Files = files
	golden.Compare(t, path, txtar.Format(a))
}

func caseOf(section string) string {
	name, _, nested := strings.Cut(section, "/")
	if !nested {
		name = strings.TrimSuffix(strings.TrimSuffix(name, ".findings"), ".cue")
	}
	return name
}

// All archives in one process, in one run of one tree at a time and again:
// rules hold no state.
func TestRulesHoldNoState(t *testing.T) {
	first := map[string]string{}
	for round := range 2 {
		for _, r := range lint.Rules() {
			p, err := lint.PageOf(r.ID)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range slices.Concat(p.Bad, p.Good) {
				sets, got := run(t, e.Files)
				key, out := r.ID+"/"+e.Name, text(t, sets, got.Findings)
				if round == 0 {
					first[key] = out
				} else if first[key] != out {
					t.Errorf("%s prints\n%s\nand later\n%s", key, first[key], out)
				}
			}
		}
	}
}

// docs/rules.md is what the rules and archives say.
func TestDocumentation(t *testing.T) {
	got, err := lint.MarkdownFrom(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, filepath.Join("..", "docs", "rules.md"), []byte(got))
}

func TestExplain(t *testing.T) {
	for _, r := range lint.Rules() {
		got, err := lint.Explain(r.ID)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(got, r.ID+" (") || !strings.Contains(got, "retryc says:") || !strings.Contains(got, "Instead:") {
			t.Errorf("explain %s prints\n%s", r.ID, got)
		}
		for _, l := range strings.Split(got, "\n") {
			if !strings.HasPrefix(l, "    ") && len([]rune(l)) > 100 {
				t.Errorf("explain %s has a line of %d characters: %s", r.ID, len([]rune(l)), l)
			}
		}
	}
	_, err := lint.Explain("mising-jitter")
	if err == nil || err.Error() != `no rule is called "mising-jitter"; did you mean "missing-jitter"?` {
		t.Errorf("explain of a typo: %v", err)
	}
}
