package strategies

import (
	"testing"

	"github.com/arenalab/arenalab/lifetime"
)

// A shuffled variant plans the rows in another order and answers for those of
// the table it was given.
func TestShuffledAnswersInTableOrder(t *testing.T) {
	table := &lifetime.Table{}
	for i := range int64(40) {
		table.Buffers = append(table.Buffers, lifetime.Buffer{Lower: i % 7, Upper: i%7 + 2 + i%3, Size: 16 + i*i%90, Align: 16})
	}
	moved := false
	plain, err := tflm{}.Plan(t.Context(), table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(5) {
		s := Shuffled(tflm{}, seed)
		p, err := s.Plan(t.Context(), table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := lifetime.Check(table, p); err != nil {
			t.Errorf("%s: %v", s.Info().Name, err)
		}
		for i := range p.Offsets {
			moved = moved || p.Offsets[i] != plain.Offsets[i]
		}
		q, err := Shuffled(greedySize{}, seed).Plan(t.Context(), table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		want, _ := greedySize{}.Plan(t.Context(), table, Options{})
		if q.Arena != want.Arena {
			t.Errorf("greedy-size does not depend on rows, but its arena is %d, not %d", q.Arena, want.Arena)
		}
	}
	if !moved {
		t.Error("five shuffles changed nothing: tflm breaks ties by row")
	}
}

func TestWithTiesOverrides(t *testing.T) {
	s := WithTies(tflm{}, Ties{Rule: TiesStored})
	if got := s.Info().Name; got != "tflm/stored" {
		t.Errorf("name %q", got)
	}
	// Two equal buffers: the runtime puts the last at 0, the rule the first.
	table := &lifetime.Table{Buffers: []lifetime.Buffer{{Lower: 0, Upper: 1, Size: 8}, {Lower: 0, Upper: 1, Size: 8}}}
	for want, s := range map[int64]Strategy{0: s, 8: tflm{}} {
		p, err := s.Plan(t.Context(), table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if p.Offsets[0] != want {
			t.Errorf("%s puts the first buffer at %d, want %d", s.Info().Name, p.Offsets[0], want)
		}
	}
}
