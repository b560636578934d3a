package bench_test

import (
	"context"
	"testing"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/strategies"
)

// The arena of a rule that takes rows as they come moves with their order; that
// of the stack does not, and unsafe plans are counted, not measured.
func TestSpreads(t *testing.T) {
	// In row order the second 10 lies above the 30; placed before it, below.
	in := tableInput("t", table([3]int64{0, 2, 10}, [3]int64{1, 4, 30}, [3]int64{3, 6, 20}, [3]int64{5, 7, 25}, [3]int64{0, 6, 5}))
	const k = 20
	cfg := bench.Config{Strategies: []strategies.Strategy{lowestFit, stackUp, unsafe}, Tool: "test"}
	var got []bench.Spread
	err := bench.Spreads(context.Background(), cfg, seq(in), k, func(s *bench.Spread) error {
		got = append(got, *s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 {
		t.Fatalf("%d spreads, want 3", len(got))
	}
	lowest, stacked, broken := got[0], got[1], got[2]
	if lowest.Strategy != "lowest" || lowest.Runs != 4+2*k || lowest.Min >= lowest.Max ||
		lowest.Min < lowest.Bound || lowest.Native < lowest.Min || lowest.Native > lowest.Max ||
		lowest.Median < lowest.Min || lowest.Median > lowest.Max {
		t.Errorf("lowest: %+v", lowest)
	}
	if stacked.Min != 90 || stacked.Max != 90 || stacked.Native != 90 {
		t.Errorf("stack: %+v", stacked)
	}
	if broken.Runs != 0 || broken.Failed != 4+2*k || broken.Max != 0 {
		t.Errorf("unsafe: %+v", broken)
	}
}

func TestTiesAreRecorded(t *testing.T) {
	in := tableInput("t", table([3]int64{0, 2, 10}))
	cfg := sizeOnly(lowestFit)
	native := run(t, cfg, in)[0].Record
	cfg.Ties = strategies.Ties{Rule: strategies.TiesRandom, Seed: 7}
	random := run(t, cfg, in)[0].Record
	if native.Ties != "" || random.Ties != "random:7" || native.Key() == random.Key() {
		t.Errorf("ties %q and %q, keys %s and %s", native.Ties, random.Ties, native.Key(), random.Key())
	}
}
