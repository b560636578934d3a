package strategies

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/lifetime"
)

// Fit finds the least arena of small tables if asked for it, is never above
// skyline-best, and its plans hold.
func TestFit(t *testing.T) {
	searched := 0
	rapid.Check(t, func(t *rapid.T) {
		table := plainTable(t, 12)
		best, err := skylineBest{}.Plan(context.Background(), table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		least, err := exactSearch{}.Plan(context.Background(), table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Fit(context.Background(), table, least.Arena, 1_000_000)
		if err != nil {
			t.Fatal(err)
		}
		if err := lifetime.Check(table, got); err != nil {
			t.Fatal(err)
		}
		if got.Arena != least.Arena {
			t.Fatalf("%d bytes, the least is %d", got.Arena, least.Arena)
		}
		if got.Arena < best.Arena {
			searched++
		}
		quick, err := Fit(context.Background(), table, least.Arena, 0)
		if err != nil || quick.Arena > best.Arena {
			t.Fatalf("%v (%v), skyline-best %d", quick, err, best.Arena)
		}
	})
	t.Logf("searched: %d", searched)
}
