package bound_test

import (
	"context"
	"testing"

	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies/bound"
	"pgregory.net/rapid"
)

// TestRefuteSmallTables: of random tables, pins, gaps and alignments mixed in,
// every capacity below the smallest arena is refuted, and no other.
func TestRefuteSmallTables(t *testing.T) {
	kinds := map[lifetime.BoundKind]int{}
	rapid.Check(t, func(t *rapid.T) {
		table := tinyTable(t)
		for _, b := range table.Buffers {
			if b.Size > 0 && len(b.Gaps) == 1 && b.Gaps[0].Upper == b.Upper && b.Gaps[0].Keep == nil {
				return // its size counts although it takes nothing
			}
		}
		least := bound.Lower(table, 0).Value
		for !fits(table, least) {
			if least++; least > 40 {
				return // fixed offsets in each other's way
			}
		}
		for c := max(0, least-3); c <= least; c++ {
			b, err := bound.Refute(context.Background(), table, c, nil, bound.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if b == nil {
				if c < least {
					t.Fatalf("capacity %d not refuted, smallest arena %d", c, least)
				}
				continue
			}
			if err := lifetime.CheckBound(table, b); err != nil {
				t.Fatalf("capacity %d: %v", c, err)
			}
			if b.Value <= c || b.Value > least {
				t.Fatalf("capacity %d: bound %+v, smallest arena %d", c, *b, least)
			}
			kinds[b.Kind]++
		}
	})
	if kinds[lifetime.BoundLoad] == 0 || kinds[lifetime.BoundAlignment] == 0 {
		t.Errorf("kinds %v", kinds)
	}
	t.Log(kinds)
}

// TestRefuteGap: chains of the seven buffers are refuted at their load, by few
// of the buffers however many there are.
func TestRefuteGap(t *testing.T) {
	for _, family := range datasets.Synthetics() {
		if family.Name != "gap" {
			continue
		}
		for _, n := range []int{7, 14, 70, 700} {
			s, err := family.Generate(n, 0)
			if err != nil {
				t.Fatal(err)
			}
			b, err := bound.Refute(t.Context(), s.Table, s.Table.Load(), nil, bound.Limits{})
			if err != nil || b == nil {
				t.Fatalf("n = %d: no proof (%v)", n, err)
			}
			if err := lifetime.CheckBound(s.Table, b); err != nil {
				t.Errorf("n = %d: %v", n, err)
			}
			if b.Value != s.Optimum || len(b.Buffers) > 7 {
				t.Errorf("n = %d: %d by %d buffers, optimum %d", n, b.Value, len(b.Buffers), s.Optimum)
			}
			if b, err := bound.Refute(t.Context(), s.Table, s.Optimum, nil, bound.Limits{Work: 100_000}); b != nil || err != nil {
				t.Errorf("n = %d: the optimum refuted: %v, %v", n, b, err)
			}
		}
	}
}
