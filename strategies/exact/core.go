package exact

import (
	"context"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

// Core is a set of buffers that cannot be placed within a capacity.
type Core struct {
	Capacity int64 // bytes
	Buffers  []int // positions in the table, ascending
	// Irreducible says that without any one of the buffers the others fit. If
	// false, some were kept because the search for that ended without an answer.
	Irreducible bool
}

// coreDecisions is the budget for one question whether fewer buffers fit, if
// the options do not say less.
const coreDecisions = 20_000

// FindCore returns a small set of buffers that blocks the capacity, or nil if
// the table fits or no proof that it does not was found. It removes buffers, in
// runs of falling length by time of birth, as long as the rest is proven not
// to fit. It obeys ctx by removing no more.
//
// Reference: the deletion filter of J. W. Chinneck and E. W. Dravnieks,
// "Locating minimal infeasible constraint sets in linear programs", ORSA
// Journal on Computing 3, 1991.
func FindCore(ctx context.Context, t *lifetime.Table, capacity int64, o Options) (*Core, error) {
	got, status, err := Feasible(ctx, t, capacity, o)
	if err != nil || status != lifetime.Infeasible {
		return nil, err
	}
	keep := got.Part
	slices.SortFunc(keep, func(i, j int) int { return canonical(t, i, j) })
	each := int64(coreDecisions)
	if o.Decisions > 0 {
		each = min(each, o.Decisions)
	}
	c := &Core{Capacity: capacity, Irreducible: true}
	blocks := func(list []int) bool {
		_, status, err := Feasible(ctx, Part(t, list), capacity, Options{Seed: o.Seed, Decisions: each})
		c.Irreducible = c.Irreducible && (status == lifetime.Feasible || status == lifetime.Infeasible)
		return err == nil && status == lifetime.Infeasible
	}
	for run := len(keep) / 2; run > 0; run /= 2 {
		c.Irreducible = true
		for again := true; again; {
			again = false
			for at := 0; at < len(keep) && ctx.Err() == nil; {
				rest := slices.Delete(slices.Clone(keep), at, min(at+run, len(keep)))
				if len(rest) > 0 && blocks(rest) {
					keep, again = rest, run == 1
					continue
				}
				at += run
			}
			if again {
				c.Irreducible = true
			}
		}
	}
	c.Irreducible = c.Irreducible && ctx.Err() == nil
	slices.Sort(keep)
	c.Buffers = keep
	return c, nil
}

// Part returns a table of some buffers of t, in the given order.
func Part(t *lifetime.Table, buffers []int) *lifetime.Table {
	out := &lifetime.Table{Name: t.Name, Buffers: make([]lifetime.Buffer, 0, len(buffers))}
	for _, i := range buffers {
		out.Buffers = append(out.Buffers, t.Buffers[i])
	}
	return out
}
