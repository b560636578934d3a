package names

import (
	"slices"
	"strings"
	"testing"
)

var known = []string{"best-fit", "first-fit", "greedy-size", "greedy-size-best-fit", "litert"}

func TestSelect(t *testing.T) {
	tests := []struct {
		pattern string
		want    []int
	}{
		{"all", []int{0, 1, 2, 3, 4}},
		{"litert", []int{4}},
		{"litert, best-fit", []int{4, 0}},
		{"greedy-*", []int{2, 3}},
		{"*-fit,all", []int{0, 1, 3, 2, 4}},
		{"litert,,litert", []int{4}},
	}
	for _, test := range tests {
		got, err := Select("strategy", known, test.pattern)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("Select(%q) = %v, %v, want %v", test.pattern, got, err, test.want)
		}
	}
}

func TestSelectErrors(t *testing.T) {
	tests := []struct{ pattern, want string }{
		{"litrt", `unknown strategy "litrt", did you mean "litert"?; known: all, best-fit, first-fit`},
		{"Greedy_Size", `did you mean "greedy-size"?`},
		{"greedy", `did you mean "greedy-size"?`},
		{"zzzzzzzzzzz", `unknown strategy "zzzzzzzzzzz"; known: all`},
		{"none-*", `no strategy matches "none-*"`},
		{"[", "syntax error in pattern"},
		{" , ", "no strategy named"},
	}
	for _, test := range tests {
		_, err := Select("strategy", known, test.pattern)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Select(%q): error %v, want one with %q", test.pattern, err, test.want)
		}
	}
}

func TestCheckKebab(t *testing.T) {
	for _, name := range []string{"a", "greedy-size", "x2"} {
		if err := CheckKebab(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"", "all", "A", "a_b", "a-", "-a", "a--b", "2a", "a*", "a,b", "ä"} {
		if CheckKebab(name) == nil {
			t.Errorf("name %q accepted", name)
		}
	}
}
