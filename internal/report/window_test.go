package report

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWindow(t *testing.T) {
	short := strings.Repeat("x", widest)
	if shown, start := window(short, "xx"); shown != short || start != "xx" {
		t.Error("a line that fits is cut")
	}
	long := strings.Repeat("a", 1000) + "HERE" + strings.Repeat("b", 1000)
	for _, at := range []int{0, 50, 1000, 2003} {
		head := long[:at]
		shown, start := window(long, head)
		if n := utf8.RuneCountInString(shown); n > widest+2 {
			t.Errorf("%d characters are shown", n)
		}
		if !strings.HasPrefix(shown, start) {
			t.Errorf("at %d the caret stands under something else", at)
		}
		if rest := strings.TrimSuffix(shown[len(start):], "…"); !strings.HasPrefix(long[at:], rest) || rest == "" {
			t.Errorf("at %d %q is shown behind the caret", at, rest)
		}
	}
}
