package bound_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
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

// sevenTimes is the smallest table above its load, beside others that do not
// matter.
func sevenTimes(n int) *lifetime.Table {
	t := &lifetime.Table{}
	for k := range int64(n) {
		for _, s := range [][3]int64{{1, 3, 3}, {2, 5, 1}, {3, 4, 2}, {3, 6, 2}, {4, 8, 1}, {5, 6, 2}, {6, 7, 3}} {
			t.Buffers = append(t.Buffers, lifetime.Buffer{Lower: 9*k + s[0], Upper: 9*k + s[1], Size: 64 * s[2]})
		}
	}
	return t
}

func TestRefuteArguments(t *testing.T) {
	table := sevenTimes(2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if b, err := bound.Refute(ctx, table, 330, nil, bound.Limits{}); !errors.Is(err, context.Canceled) || b != nil {
		t.Errorf("cancelled: %v, %v", b, err)
	}
	for _, buffers := range [][]int{{-1}, {14}} {
		if _, err := bound.Refute(t.Context(), table, 330, buffers, bound.Limits{}); err == nil {
			t.Errorf("no error for buffers %v", buffers)
		}
	}
	if _, err := bound.Refute(t.Context(), table, -1, nil, bound.Limits{}); err == nil {
		t.Error("no error for a negative capacity")
	}
	for _, buffers := range [][]int{{}, {0}, {7, 8, 9, 10, 11, 12}} {
		if b, err := bound.Refute(t.Context(), table, 330, buffers, bound.Limits{}); b != nil || err != nil {
			t.Errorf("buffers %v fit: %v, %v", buffers, b, err)
		}
	}
	// Of the second seven, named in any order, more than once.
	b, err := bound.Refute(t.Context(), table, 330, []int{13, 12, 11, 10, 9, 8, 7, 7}, bound.Limits{})
	if err != nil || b == nil || b.Buffers[0] < 7 || b.Value != 384 {
		t.Errorf("got %+v, %v", b, err)
	}
	again, err := bound.Refute(t.Context(), table, 330, []int{7, 8, 9, 10, 11, 12, 13}, bound.Limits{})
	if err != nil || !reflect.DeepEqual(b, again) {
		t.Errorf("got %+v, then %+v, %v", b, again, err)
	}
	// A single instant is enough: 320 bytes are live.
	if b, err := bound.Refute(t.Context(), table, 319, nil, bound.Limits{}); err != nil || b.Kind != lifetime.BoundLoad || b.Value != 320 {
		t.Errorf("got %+v, %v", b, err)
	}
}

// A pin leaves no hole for two buffers whose bytes would fit: a fact of a single
// step that its load does not show.
func TestRefutePinned(t *testing.T) {
	table := &lifetime.Table{Buffers: []lifetime.Buffer{
		{Size: 4, Lower: 0, Upper: 4, Fixed: at(3)}, {Size: 5, Lower: 1, Upper: 3}, {Size: 5, Lower: 2, Upper: 5}, {Size: 1, Lower: 0, Upper: 9},
	}}
	if low := bound.Lower(table, 0); low.Value != 15 {
		t.Fatalf("load %d", low.Value)
	}
	for capacity := int64(15); ; {
		b, err := bound.Refute(t.Context(), table, capacity, nil, bound.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if b == nil {
			if !fits(table, capacity) || capacity == 15 {
				t.Errorf("capacity %d is neither refuted nor enough", capacity)
			}
			return
		}
		if err := lifetime.CheckBound(table, b); err != nil || fits(table, b.Value-1) {
			t.Fatalf("%+v: %v", b, err)
		}
		capacity = b.Value
	}
}

func ExampleRefute() {
	// Never more than 320 bytes are live.
	b, err := bound.Refute(context.Background(), sevenTimes(100), 320, nil, bound.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(b.Kind, b.Value, b.Buffers)
	fmt.Println(lifetime.CheckBound(sevenTimes(100), b))
	// Output:
	// singleton 384 [0 1 2 3 4 5 6]
	// <nil>
}

func BenchmarkRefute(b *testing.B) {
	table := sevenTimes(100)
	b.ReportAllocs()
	for b.Loop() {
		if c, err := bound.Refute(b.Context(), table, 320, nil, bound.Limits{}); err != nil || c == nil {
			b.Fatal(c, err)
		}
	}
}
