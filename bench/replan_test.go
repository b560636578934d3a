package bench_test

import (
	"context"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/lifetime"
	"pgregory.net/rapid"
)

// TestReplanningEqualsFreshPlanning: runtimes that plan again after a tensor
// got another size have had plans that differ from those they would have made
// at once (tensorflow/tensorflow issues 26248 and 26549). Here a strategy that
// has planned a table, and one with other sizes, and the first again, gives the
// plans that it gives to each alone.
func TestReplanningEqualsFreshPlanning(t *testing.T) {
	type cell struct{ model, strategy string }
	plans := func(r *rapid.T, inputs ...datasets.Input) map[cell][]int64 {
		cfg := sizeOnly(lookup(t, "all")...)
		cfg.Timeout = 0
		out := map[cell][]int64{}
		err := bench.Run(context.Background(), cfg, seq(inputs...), func(c *bench.Cell) error {
			if c.Plan != nil {
				out[cell{c.Record.Model, c.Strategy}] = append(slices.Clone(c.Plan.Offsets), c.ArenaBytes)
			}
			return nil
		})
		if err != nil {
			r.Fatal(err)
		}
		return out
	}
	rapid.Check(t, func(r *rapid.T) {
		before := new(lifetime.Table)
		for range rapid.IntRange(1, 10).Draw(r, "buffers") {
			lower := rapid.Int64Range(0, 8).Draw(r, "lower")
			before.Buffers = append(before.Buffers, lifetime.Buffer{
				Lower: lower, Upper: lower + rapid.Int64Range(1, 5).Draw(r, "life"),
				Size: rapid.Int64Range(0, 30).Draw(r, "size"), Align: 4,
			})
		}
		after := &lifetime.Table{Buffers: slices.Clone(before.Buffers)}
		for range rapid.IntRange(1, 3).Draw(r, "resized") {
			i := rapid.IntRange(0, len(after.Buffers)-1).Draw(r, "buffer")
			after.Buffers[i].Size = rapid.Int64Range(0, 60).Draw(r, "new size")
		}
		again := &lifetime.Table{Buffers: slices.Clone(before.Buffers)}
		inputs := []datasets.Input{tableInput("before", before), tableInput("after", after), tableInput("again", again)}
		together := plans(r, inputs...)
		alone := plans(r, inputs[1])
		if len(alone) == 0 || len(together) != 3*len(alone) {
			r.Fatalf("%d plans of three tables, %d of one", len(together), len(alone))
		}
		for key, offsets := range alone {
			if !slices.Equal(offsets, together[key]) {
				r.Errorf("%s plans the resized table %v after others, %v alone", key.strategy, together[key], offsets)
			}
			first := together[cell{"before", key.strategy}]
			if last := together[cell{"again", key.strategy}]; !slices.Equal(first, last) {
				r.Errorf("%s plans the same table %v, then %v", key.strategy, first, last)
			}
		}
	})
}
