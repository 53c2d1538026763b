package report

import (
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/retryc/retryc/compiler/ir"
	"github.com/retryc/retryc/lint"
)

// The parts of SARIF 2.1.0 (OASIS Standard, 27 March 2020) that are written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool                `json:"tool"`
		BaseIDs    map[string]sarifLocation `json:"originalUriBaseIds"`
		ColumnKind string                   `json:"columnKind"`
		Results    []sarifResult            `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name            string      `json:"name"`
		SemanticVersion string      `json:"semanticVersion"`
		InformationURI  string      `json:"informationUri"`
		Rules           []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID                   string      `json:"id"`
		Name                 string      `json:"name"`
		ShortDescription     sarifText   `json:"shortDescription"`
		FullDescription      sarifText   `json:"fullDescription"`
		Help                 sarifText   `json:"help"`
		HelpURI              string      `json:"helpUri,omitempty"`
		DefaultConfiguration sarifConfig `json:"defaultConfiguration"`
		Properties           *sarifTags  `json:"properties,omitempty"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifTags struct {
		Tags []string `json:"tags"`
	}
	sarifText struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifResult struct {
		RuleID           string             `json:"ruleId"`
		RuleIndex        int                `json:"ruleIndex"`
		Level            string             `json:"level"`
		Message          sarifText          `json:"message"`
		Locations        []sarifPlace       `json:"locations"`
		RelatedLocations []sarifPlace       `json:"relatedLocations,omitempty"`
		Fingerprints     map[string]string  `json:"partialFingerprints"`
		BaselineState    string             `json:"baselineState,omitempty"`
		Suppressions     []sarifSuppression `json:"suppressions,omitempty"`
		Fixes            []sarifFix         `json:"fixes,omitempty"`
	}
	sarifPlace struct {
		ID       *int          `json:"id,omitempty"`
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifText    `json:"message,omitempty"`
		Logical  []sarifName   `json:"logicalLocations,omitempty"`
	}
	sarifName struct {
		Name string `json:"fullyQualifiedName"`
	}
	sarifPhysical struct {
		Artifact sarifLocation `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifLocation struct {
		URI         string     `json:"uri,omitempty"`
		BaseID      string     `json:"uriBaseId,omitempty"`
		Description *sarifText `json:"description,omitempty"`
	}
	sarifRegion struct {
		StartLine   int        `json:"startLine"`
		StartColumn int        `json:"startColumn,omitempty"`
		EndLine     int        `json:"endLine,omitempty"`
		EndColumn   int        `json:"endColumn,omitempty"`
		Snippet     *sarifText `json:"snippet,omitempty"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Status        string `json:"status"`
		Justification string `json:"justification,omitempty"`
	}
	sarifFix struct {
		Description sarifText     `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifLocation      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion  `json:"deletedRegion"`
		Inserted sarifContent `json:"insertedContent"`
	}
	sarifContent struct {
		Text string `json:"text"`
	}
)

const (
	sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"
	homepage    = "https://github.com/retryc/retryc"
	sourceRoot  = "%SRCROOT%"
)

// SARIF writes SARIF 2.1.0. Waived results are suppressed in source, those of a
// baseline unchanged. Columns are UTF-16 code units, as the format has them.
func SARIF(w io.Writer, r *Report) error {
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "retryc", SemanticVersion: semver(r.Version), InformationURI: homepage, Rules: []sarifRule{}}},
		BaseIDs:    map[string]sarifLocation{sourceRoot: {Description: &sarifText{Text: "The folder that retryc was run in."}}},
		ColumnKind: "utf16CodeUnits",
		Results:    []sarifResult{},
	}
	index := map[string]int{}
	known := slices.ContainsFunc(r.Results, func(d Result) bool { return d.Known })
	prints := r.fingerprints()
	for i := range r.Results {
		d := &r.Results[i]
		at, ok := index[d.Rule]
		if !ok {
			at = len(run.Tool.Driver.Rules)
			index[d.Rule] = at
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, describe(d))
		}
		out := sarifResult{
			RuleID: d.Rule, RuleIndex: at, Level: sarifLevel(d.Severity),
			Message:      sarifText{Text: sentence(d)},
			Locations:    []sarifPlace{r.sarifPlace(d.Span)},
			Fingerprints: map[string]string{"primaryLocationLineHash": prints[i]},
		}
		if d.Set != "" {
			out.Locations[0].Logical = []sarifName{{strings.Trim(d.Set+"."+d.Class, ".")}}
		}
		for n, rel := range d.Related {
			p := r.sarifPlace(rel.Span)
			p.ID, p.Message = &n, &sarifText{Text: rel.Message}
			out.RelatedLocations = append(out.RelatedLocations, p)
		}
		switch {
		case d.Known:
			out.BaselineState = "unchanged"
		case known:
			out.BaselineState = "new"
		}
		if d.Waiver != nil {
			out.Suppressions = []sarifSuppression{{"inSource", "accepted", d.Waiver.Reason}}
		}
		if d.Fix != nil {
			out.Fixes = []sarifFix{r.sarifFix(d.Fix)}
		}
		run.Results = append(run.Results, out)
	}
	return encode(w, sarifLog{sarifSchema, "2.1.0", []sarifRun{run}})
}

// sentence is the message with its help, ending as viewers expect sentences to.
func sentence(d *Result) string {
	text := ended(upper(d.Message))
	if len(d.Help) > 0 {
		text += " Help: " + ended(oneLine(d.Help))
	}
	return text
}

// ended is a sentence with the mark at its end that it may have already.
func ended(s string) string {
	if s != "" && strings.ContainsRune(".?!", rune(s[len(s)-1])) {
		return s
	}
	return s + "."
}

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func sarifLevel(s ir.Severity) string {
	switch s {
	case ir.Error:
		return "error"
	case ir.Warning:
		return "warning"
	}
	return "note"
}

func (r *Report) sarifPlace(s ir.Span) sarifPlace {
	p := sarifPlace{Physical: sarifPhysical{Artifact: artifact(s.File)}}
	g := r.sarifRegion(s)
	if g.StartLine == 0 {
		// A result about a folder still needs a line, or GitHub refuses it.
		g = sarifRegion{StartLine: 1}
	} else if text := r.lineText(s); text != "" {
		g.Snippet = &sarifText{Text: snippet(r, s)}
	}
	p.Physical.Region = &g
	return p
}

// snippet is the text of the region itself.
func snippet(r *Report, s ir.Span) string {
	text := r.source(s.File)
	start, end := s.Start.Offset, s.End.Offset
	if start < 0 || end > len(text) || start >= end {
		return r.lineText(s)
	}
	return plainLines(string(text[start:end]))
}

func plainLines(s string) string {
	parts := strings.Split(s, "\n")
	for i := range parts {
		parts[i] = plain(strings.TrimSuffix(parts[i], "\r"))
	}
	return strings.Join(parts, "\n")
}

func (r *Report) sarifRegion(s ir.Span) sarifRegion {
	g := r.region(s, utf16Units)
	return sarifRegion{StartLine: g.StartLine, StartColumn: g.StartColumn, EndLine: g.EndLine, EndColumn: g.EndColumn}
}

func artifact(file string) sarifLocation {
	return sarifLocation{URI: (&url.URL{Path: file}).String(), BaseID: sourceRoot}
}

func (r *Report) sarifFix(f *ir.Fix) sarifFix {
	out := sarifFix{Description: sarifText{Text: upper(f.Title) + "."}}
	for _, e := range f.Edits {
		at := slices.IndexFunc(out.Changes, func(c sarifChange) bool { return c.Artifact.URI == artifact(e.Span.File).URI })
		if at < 0 {
			at = len(out.Changes)
			out.Changes = append(out.Changes, sarifChange{Artifact: artifact(e.Span.File)})
		}
		c := &out.Changes[at]
		c.Replacements = append(c.Replacements, sarifReplacement{r.sarifRegion(e.Span), sarifContent{e.Text}})
	}
	return out
}

// others describes what is no rule of the catalogue.
var others = map[string]string{
	ir.InvalidPolicy:     "The policy has a mistake: it does not say what the language can say",
	"policy-change":      "A policy means something else than before",
	"generated-missing":  "Generated code is missing",
	"generated-changed":  "Generated code is not what the policy gives",
	"generated-orphaned": "Generated code has no policy any more",
}

func describe(d *Result) sarifRule {
	rule := lint.Find(d.Rule)
	page, err := lint.PageOf(d.Rule)
	if rule == nil || err != nil {
		text := others[d.Rule]
		if text == "" {
			text = d.Rule
		}
		return sarifRule{
			ID: d.Rule, Name: pascal(d.Rule), ShortDescription: sarifText{Text: text + "."}, FullDescription: sarifText{Text: text + "."},
			Help: sarifText{Text: text + ".", Markdown: text + "."}, HelpURI: homepage, DefaultConfiguration: sarifConfig{sarifLevel(d.Severity)},
		}
	}
	markdown, err := lint.HelpMarkdown(d.Rule)
	if err != nil {
		markdown = page.Prose
	}
	return sarifRule{
		ID: rule.ID, Name: pascal(rule.ID), ShortDescription: sarifText{Text: upper(rule.Title) + "."},
		FullDescription: sarifText{Text: firstParagraph(page.Prose)},
		Help:            sarifText{Text: page.Prose, Markdown: markdown}, HelpURI: lint.URL(rule.ID),
		DefaultConfiguration: sarifConfig{sarifLevel(rule.Severity)},
		Properties:           &sarifTags{[]string{strings.ToLower(strings.ReplaceAll(string(rule.Harm), " ", "-"))}},
	}
}

func firstParagraph(s string) string {
	first, _, _ := strings.Cut(s, "\n\n")
	return strings.Join(strings.Fields(first), " ")
}

// semver is the version as SARIF wants it; a build from a working tree has none.
func semver(v string) string {
	v = strings.TrimPrefix(v, "v")
	if !isSemver.MatchString(v) {
		return "0.0.0"
	}
	return v
}

var isSemver = regexp.MustCompile(`^\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$`)

// pascal is the friendly name of a rule that viewers show beside its id.
func pascal(id string) string {
	var b strings.Builder
	for _, w := range strings.Split(id, "-") {
		b.WriteString(upper(w))
	}
	return b.String()
}
