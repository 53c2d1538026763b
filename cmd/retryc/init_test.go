package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A newcomer has a compiling package at once, in an empty module, with retryc as a
// tool of the module and with retryc installed.
func TestNewcomer(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIP: builds retryc as a newcomer does")
	}
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	const program = `package main

import (
	"fmt"

	"example.com/new/policies/shop/shopretry"
)

func main() {
	for _, c := range shopretry.Classes() {
		fmt.Println(c.Name, c.Attempts)
	}
	fmt.Println(shopretry.CreateOrder.Call("cart-1").Key() != "")
}
`
	for name, setUp := range map[string]string{
		// The module under test stands in for the released one.
		"go tool":    `go mod edit -require github.com/retryc/retryc@v0.0.0 -replace github.com/retryc/retryc="$MODULE" -tool github.com/retryc/retryc/cmd/retryc && go mod tidy`,
		"go install": `cd "$MODULE" && GOBIN="$BIN" go install ./cmd/retryc`,
	} {
		t.Run(name, func(t *testing.T) {
			dir, bin := t.TempDir(), t.TempDir()
			retryc := "go tool retryc"
			if name == "go install" {
				retryc = filepath.Join(bin, "retryc")
			}
			run := func(script string) string {
				t.Helper()
				cmd := exec.Command("sh", "-ec", script)
				cmd.Dir = dir
				cmd.Env = append(append(os.Environ(), sessionEnv(dir)...), "MODULE="+module, "BIN="+bin, "GOFLAGS=-buildvcs=false")
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v\n%s", script, err, out)
				}
				return string(out)
			}
			run("go mod init example.com/new")
			run(setUp)
			out := run(retryc + " init")
			if want := "next: edit policies/shop/shop.cue, then run: " + strings.TrimPrefix(retryc, bin+"/") + " gen"; !strings.Contains(out, want) {
				t.Errorf("init does not say %q:\n%s", want, out)
			}
			if out := run(retryc + " init"); !strings.Contains(out, "nothing to do") {
				t.Errorf("a second init has something to do:\n%s", out)
			}
			run(retryc + " gen")
			if out := run(retryc + " check"); !strings.Contains(out, "0 errors, 0 warnings") || !strings.Contains(out, "in sync") {
				t.Errorf("check of a new project:\n%s", out)
			}
			run(retryc + " fmt --check")
			writeTestFile(t, filepath.Join(dir, "main.go"), []byte(program))
			if out := run("go vet ./... && go run ."); out != "create-order 3\nget-order 3\ntrue\n" {
				t.Errorf("the program printed\n%s", out)
			}
			if name == "go tool" {
				run("sed -i 's/attempts:       3/attempts:       2/' policies/shop/shop.cue && go generate ./... && go tool retryc check")
				pre := string(mustRead(t, filepath.Join(dir, ".pre-commit-config.yaml")))
				if !strings.Contains(pre, "entry: go tool retryc check") {
					t.Errorf("pre-commit would run another version:\n%s", pre)
				}
			}
		})
	}
}
