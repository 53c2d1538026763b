package nearest

import "testing"

func TestOf(t *testing.T) {
	words := []string{"attempts", "attemptTimeout", "full", "equal", "none", "class"}
	for _, c := range []struct{ word, want string }{
		{"atempts", "attempts"}, {"attempst", "attempts"}, {"ful", "full"}, {"fulll", "full"}, {"clas", "class"},
		{"Class", "class"}, {"nnoe", "none"}, {"zebra", ""}, {"", ""}, {"attemptTimout", "attemptTimeout"}, {"x", ""},
	} {
		if got := Of(c.word, words); got != c.want {
			t.Errorf("Of(%q) = %q, want %q", c.word, got, c.want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"abc", "acb", 1}} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if Distance(c.a, c.b) != Distance(c.b, c.a) {
			t.Errorf("Distance(%q, %q) is not symmetrical", c.a, c.b)
		}
	}
}
