package bench

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/strategies"
)

// Spread says how far the arena of a strategy moves on one table when only
// ties are broken otherwise or the rows come in another order.
type Spread struct {
	Model    string
	Profile  string
	Order    string
	Strategy string
	Bound    int64 // bytes
	Native   int64 // arena in bytes, ties and rows as they are
	Runs     int   // variants planned, the native one included
	Failed   int   // variants without a safe plan
	// The smallest, middle (lower of two) and largest arena over all runs.
	Min, Median, Max int64
}

// variants returns s, s with ties by each rule, and k times with random ties
// and with shuffled rows.
func variants(s strategies.Strategy, k int) []strategies.Strategy {
	list := []strategies.Strategy{s}
	for _, rule := range []strategies.TieRule{strategies.TiesStored, strategies.TiesSize, strategies.TiesLibstdcxx} {
		list = append(list, strategies.WithTies(s, strategies.Ties{Rule: rule}))
	}
	for seed := range uint64(k) {
		list = append(list,
			strategies.WithTies(s, strategies.Ties{Rule: strategies.TiesRandom, Seed: seed + 1}),
			strategies.Shuffled(s, seed+1))
	}
	return list
}

// Spreads runs every strategy of the configuration on every table 4 + 2k
// times: as it is, with ties stored, by size and as libstdc++ leaves them, and
// k times each with random ties and with shuffled rows. Every plan is checked
// and validated as by Run. Sizes only: times are not measured.
func Spreads(ctx context.Context, cfg Config, inputs iter.Seq[datasets.Input], k int, yield func(*Spread) error) error {
	base := cfg.Strategies
	cfg.Strategies, cfg.Reps = nil, 1
	for _, s := range base {
		cfg.Strategies = append(cfg.Strategies, variants(s, k)...)
	}
	var cur *Spread
	var arenas []int64
	flush := func() error {
		if cur == nil {
			return nil
		}
		s := cur
		cur = nil
		if s.Runs = len(arenas); s.Runs > 0 {
			slices.Sort(arenas)
			s.Min, s.Median, s.Max = arenas[0], arenas[(len(arenas)-1)/2], arenas[len(arenas)-1]
		}
		return yield(s)
	}
	err := Run(ctx, cfg, inputs, func(c *Cell) error {
		name, variant, _ := strings.Cut(c.Strategy, "/")
		if cur == nil || cur.Model != c.Record.Model || cur.Profile != c.Profile || cur.Order != c.Record.Order || cur.Strategy != name {
			if err := flush(); err != nil {
				return err
			}
			cur = &Spread{Model: c.Record.Model, Profile: c.Profile, Order: c.Record.Order, Strategy: name, Bound: c.LowerBoundBytes}
			arenas = arenas[:0]
		}
		switch {
		case !c.Safe():
			cur.Failed++
			return nil
		case variant == "":
			cur.Native = c.ArenaBytes
		}
		arenas = append(arenas, c.ArenaBytes)
		return nil
	})
	if ferr := flush(); err == nil {
		err = ferr
	}
	return err
}
