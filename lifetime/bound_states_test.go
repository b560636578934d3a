package lifetime

import (
	"testing"

	"pgregory.net/rapid"
)

func TestStateSet(t *testing.T) {
	set := new(stateSet)
	rapid.Check(t, func(t *rapid.T) {
		set.reset()
		known := map[string]bool{}
		var order []string
		for range rapid.IntRange(0, 300).Draw(t, "n") {
			state := rapid.StringMatching("[ab]{0,8}").Draw(t, "state")
			set.add([]byte(state))
			if !known[state] {
				known[state] = true
				order = append(order, state)
			}
		}
		if set.len() != len(order) {
			t.Fatalf("%d states, want %d", set.len(), len(order))
		}
		for i, want := range order {
			if got := string(set.at(i)); got != want {
				t.Fatalf("state %d is %q, want %q", i, got, want)
			}
		}
	})
}
