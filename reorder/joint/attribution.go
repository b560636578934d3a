package joint

import (
	"context"
	"fmt"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/reorder"
)

// Attribution says where the bytes go between the arena that a planner makes of
// the stored order and the least that any order, planner and rules of memory
// could do with.
type Attribution struct {
	Arena int64  // of the stored order by the planner
	Parts []Part // their bytes add up to Arena - Bound
	Bound int64  // of the last part
	// Closed says that the bounds are those of orders that are known, so that
	// no part but Open can be smaller for want of a proof.
	Closed bool
}

// Part is what is lost to one cause: how much less is needed once it is gone
// as well as all causes before it.
type Part struct {
	Cause Cause
	Bytes int64
	Left  int64 // bytes needed without this cause and those before it
	Bound int64 // what Left cannot be below
}

// Cause is why an arena is larger than it need be.
type Cause string

// The causes, in the order in which they are taken away. Each part is the
// difference of two figures that were measured or proven:
//
//   - Numbering: the stored order with tensors numbered in the best way known,
//     if the planner breaks ties by numbers
//   - Sequence: the best order found for the planner, and numbers to suit it
//   - Allocator: the best order and offsets found without the planner
//   - Open: between those and the bound on all orders; neither a search nor a
//     proof says more
//   - Alignment: the bound on all orders when sizes and offsets are not rounded
//   - InPlace: that bound when element-wise results may take the place of an
//     operand which nothing reads later
const (
	Numbering Cause = "numbering"
	Sequence  Cause = "order"
	Allocator Cause = "allocator"
	Open      Cause = "open"
	Alignment Cause = "alignment"
	InPlace   Cause = "in-place"
)

// Attribute takes causes away one after the other and says what each is worth.
// Config named is for the planner in question, own for offsets of our own. Each
// of their two searches, and each of three for bounds, has the limits of the
// options. A cause that the planner or the profile does not know is worth
// nothing.
func Attribute(ctx context.Context, m *graph.Memory, named, own Config, o reorder.Options) (*Attribution, error) {
	find := own.Bracket
	if find == nil {
		find = Exact
	}
	brackets, err := relaxed(ctx, m, find, o)
	if err != nil {
		return nil, fmt.Errorf("bound: %w", err)
	}
	known := func(context.Context, *graph.Memory, reorder.Options) (*Bracket, error) { return brackets[0], nil }
	named.Bracket, own.Bracket = known, known
	r, err := Solve(ctx, m, named, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", named.Info.Name, err)
	}
	free, err := Solve(ctx, m, own, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", own.Info.Name, err)
	}
	numbered := r.Stored
	if named.Renumber {
		if numbered, err = renumbered(ctx, m, named.Plan); err != nil {
			return nil, fmt.Errorf("%s: %w", named.Info.Name, err)
		}
	}
	bounds := [3]int64{free.LowerBound, brackets[1].Lower, brackets[2].Lower}
	if m.Profile.InPlace != graph.InPlaceTFLite { // which shares what the other rule does not
		bounds[1] = max(bounds[1], bounds[2])
	}
	bounds[0] = max(bounds[0], bounds[1])
	bounds[2] = min(bounds[2], bounds[1])

	a := &Attribution{Arena: r.Stored, Bound: bounds[2], Closed: m.Loose == ""}
	for _, b := range brackets {
		a.Closed = a.Closed && b.Proven && b.Peak == b.Lower
	}
	a.add(Numbering, numbered, bounds[0])
	a.add(Sequence, r.Arena, bounds[0])
	a.add(Allocator, free.Arena, bounds[0])
	a.add(Open, bounds[0], bounds[0])
	a.add(Alignment, bounds[1], bounds[1])
	a.add(InPlace, bounds[2], bounds[2])
	return a, nil
}

// add adds the part of a cause, without which left bytes are needed, if that is
// less than before.
func (a *Attribution) add(c Cause, left, bound int64) {
	before := a.Arena
	if n := len(a.Parts); n > 0 {
		before = a.Parts[n-1].Left
	}
	left = min(left, before)
	a.Parts = append(a.Parts, Part{c, before - left, left, bound})
}

// relaxed returns the bracket of the least peak, that without alignment, and
// that with results in the place of operands as well.
func relaxed(ctx context.Context, m *graph.Memory, find BracketFunc, o reorder.Options) ([3]*Bracket, error) {
	p := [3]graph.Profile{m.Profile, m.Profile, m.Profile}
	for k := 1; k < len(p); k++ {
		p[k].Align, p[k].RoundSizes = 1, 1
	}
	p[2].InPlace = graph.InPlaceLastUse
	var out [3]*Bracket
	for k := range p {
		memory, err := graph.NewMemory(m.Model, m.Subgraph, p[k])
		if err != nil {
			return out, err
		}
		if out[k], err = find(ctx, memory, o); err != nil {
			return out, err
		}
	}
	return out, nil
}

// renumbered returns the arena of the stored order with tensors numbered against
// it.
func renumbered(ctx context.Context, m *graph.Memory, plan PlanFunc) (int64, error) {
	o := graph.Stored(m.Subgraph)
	o.Numbers = numbers(m.Subgraph, indices(o.Ops))
	lt, err := graph.NewLifetimes(m.Model, m.Subgraph, o, m.Profile)
	if err != nil {
		return 0, err
	}
	p, err := plan(ctx, lt.Table, 0)
	if err != nil {
		return 0, err
	}
	return p.Arena, nil
}
