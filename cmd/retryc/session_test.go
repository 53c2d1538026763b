package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/retryc/retryc/internal/golden"
)

// TestSessions replays the transcripts of testdata/cli: the files of an archive
// are laid out in an empty folder, and the commands behind "$ " in its section
// "session" are run there. Lines of stderr are shown behind "2> ", an exit status
// other than 0 as "[exit n]". "retryc" is run in this process, anything else by sh.
func TestSessions(t *testing.T) {
	archives, err := filepath.Glob("../../testdata/cli/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			replayArchive(t, file)
		})
	}
}

func replayArchive(t *testing.T, file string) {
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(string(a.Comment)) == "" {
		t.Error("the archive does not say what it shows")
	}
	dir := t.TempDir()
	at := -1
	for i, f := range a.Files {
		if f.Name == "session" {
			at = i
			continue
		}
		writeTestFile(t, filepath.Join(dir, f.Name), f.Data)
	}
	if at < 0 {
		t.Fatal("no section session")
	}
	got := replay(t, dir, string(a.Files[at].Data), "2> ")
	if golden.Update() {
		a.Files[at].Data = []byte(got)
		golden.Compare(t, file, txtar.Format(a))
		return
	}
	if want := string(a.Files[at].Data); got != want {
		t.Errorf("%s\n--- want\n%s\n--- got\n%s\nto accept it: RETRYC_UPDATE=1 go test ./...", file, want, got)
	}
}

func writeTestFile(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// replay runs the commands of a transcript in dir and returns the transcript as
// it is now, with mark before each line of stderr. Lines between commands are output and are replaced; blank lines and
// lines that begin with "#" before a command are kept.
func replay(t *testing.T, dir, session, mark string) string {
	t.Helper()
	return replayWith(t, dir, session, mark, sessionEnv(dir))
}

func replayWith(t *testing.T, dir, session, mark string, env []string) string {
	t.Helper()
	var out strings.Builder
	var kept []string // comments and blank lines since the last output
	for line := range strings.SplitSeq(strings.TrimSuffix(session, "\n"), "\n") {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			if line == "" || strings.HasPrefix(line, "# ") {
				kept = append(kept, line)
			} else {
				kept = nil
			}
			continue
		}
		for _, k := range kept {
			out.WriteString(k + "\n")
		}
		kept = nil
		out.WriteString(line + "\n")
		out.WriteString(runLine(t, dir, command, mark, env))
	}
	return out.String()
}

func runLine(t *testing.T, dir, command, mark string, env []string) string {
	t.Helper()
	var out transcript
	var code int
	if words, ok := strings.CutPrefix(command, "retryc"); ok && (words == "" || words[0] == ' ') && !strings.ContainsAny(words, "|<>&;$") {
		args := splitWords(t, words)
		at := dir
		if len(args) > 1 && args[0] == "-C" {
			at, args = filepath.Join(dir, args[1]), args[2:]
		}
		code = Run(append([]string{"-C", at}, args...), strings.NewReader(""), out.stream(""), out.stream(mark))
	} else {
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), env...)
		// The programs of a pipe write when they like: stdout first, then stderr.
		var errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = out.stream(""), &errs
		err := cmd.Run()
		out.stream(mark).Write(errs.Bytes())
		if err != nil {
			exit, ok := err.(*exec.ExitError)
			if !ok {
				t.Fatalf("%s: %v", command, err)
			}
			code = exit.ExitCode()
		}
	}
	text := out.String()
	// What the machine chose must not be in a golden: its folder, its versions.
	text = strings.ReplaceAll(text, dir, "/the/folder")
	if text = strings.TrimRight(text, "\n"); text != "" {
		text += "\n"
	}
	if code != 0 {
		text += fmt.Sprintf("[exit %d]\n", code)
	}
	return text
}

// sessionEnv makes what git and retryc do in a transcript the same everywhere.
func sessionEnv(dir string) []string {
	return []string{
		"HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "LC_ALL=C", "NO_COLOR=1", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z",
		// As git calls the first branch where nobody has configured it: pages and
		// transcripts that mean main have to say so.
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=init.defaultBranch", "GIT_CONFIG_VALUE_0=master",
		"GOCACHE=" + goEnv("GOCACHE"), "GOMODCACHE=" + goEnv("GOMODCACHE"),
		"PATH=" + filepath.Dir(retrycBinary()) + string(os.PathListSeparator) + os.Getenv("PATH"),
	}
}

func goEnv(name string) string {
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(out))
}

// retrycBinary is the command built once, for transcripts that run it through a
// shell or another program.
var retrycBinary = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("", "retryc-test-")
	if err != nil {
		panic(err)
	}
	binDir = dir
	bin := filepath.Join(dir, "retryc")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%v\n%s", err, out))
	}
	return bin
})

var binDir string

func TestMain(m *testing.M) {
	code := m.Run()
	if binDir != "" {
		os.RemoveAll(binDir)
	}
	os.Exit(code)
}

// splitWords splits a command line at spaces; quotes hold words together.
func splitWords(t *testing.T, line string) []string {
	t.Helper()
	var words []string
	var word strings.Builder
	quote, inWord := rune(0), false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, inWord = r, true
		case quote == 0 && r == ' ':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 {
		t.Fatalf("unbalanced quote in %q", line)
	}
	if inWord {
		words = append(words, word.String())
	}
	return words
}

// transcript collects two streams in the order in which they were written.
type transcript struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *transcript) String() string {
	if o.buf.Len() > 0 && o.buf.Bytes()[o.buf.Len()-1] != '\n' {
		o.buf.WriteByte('\n')
	}
	return o.buf.String()
}

func (o *transcript) stream(prefix string) *lineWriter { return &lineWriter{o: o, prefix: prefix} }

// lineWriter marks each line of a stream.
type lineWriter struct {
	o      *transcript
	prefix string
	middle bool // of a line
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.o.mu.Lock()
	defer w.o.mu.Unlock()
	for line := range bytes.Lines(p) {
		if !w.middle {
			w.o.buf.WriteString(w.prefix)
		}
		w.o.buf.Write(line)
		w.middle = line[len(line)-1] != '\n'
	}
	return len(p), nil
}
