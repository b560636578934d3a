package bound_test

import (
	"context"
	"errors"
	"testing"

	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies/bound"
	"pgregory.net/rapid"
)

// Of small tables Raise finds the smallest arena.
func TestRaise(t *testing.T) {
	raised := 0
	rapid.Check(t, func(t *rapid.T) {
		table := tinyTable(t)
		for i := range table.Buffers {
			table.Buffers[i].Gaps = nil
		}
		low := bound.Lower(table, 0)
		least := low.Value
		for !fits(table, least) {
			if least++; least > 40 {
				return // fixed offsets in each other's way
			}
		}
		b, err := bound.Raise(context.Background(), table, low, bound.Limits{})
		if err != nil || b.Value != least {
			t.Fatalf("raised from %d to %d (%v), smallest arena %d", low.Value, b.Value, err, least)
		}
		if err := lifetime.CheckBound(table, b); err != nil {
			t.Fatal(err)
		}
		if b.Value > low.Value {
			raised++
		}
	})
	if raised == 0 {
		t.Error("nothing to raise: the test does not tell")
	}
	table := sevenTimes(1)
	low := bound.Lower(table, 0)
	if b, err := bound.Raise(t.Context(), table, low, bound.Limits{}); err != nil || b.Value != 384 {
		t.Errorf("got %+v, %v", b, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if b, err := bound.Raise(ctx, table, low, bound.Limits{}); !errors.Is(err, context.Canceled) || b != low {
		t.Errorf("cancelled: %+v, %v", b, err)
	}
}
