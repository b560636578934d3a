package strategies

// TVM Relax plans a block of operators with a pool of storages: each tensor, as
// it is allocated, takes the smallest free storage that is large enough and at
// most 16 times its size, or else makes the largest free one below it grow, if
// that has at least a sixteenth of its size.
//
// Complexity: O(n log n).
//
// Reference: class TokenAllocator1D, src/relax/transform/
// static_plan_block_memory.cc, apache/tvm at commit 01cb97c8733e.
//
// Rule, to the byte: the bounds are 16 times the size, included, and the size
// divided by 16, rounded down. Of free storages of one size the one released
// first is taken if it is large enough, the one released last if it is to grow.
// Storages are laid end to end in the order of their creation.
//
// Departures: the original keeps a pool for each type and scope and allocates
// what is returned, or never read, apart; a table knows none of these, so all
// buffers share one pool. Buffers born at one step come by row, and those that
// die at one step are released in the order in which they were born. Storages
// are aligned and step over buffers with fixed offsets. A buffer with gaps is
// taken to be live all its life.

import (
	"context"

	"github.com/arenalab/arenalab/lifetime"
)

type tvmRelax struct{}

func (tvmRelax) Info() Info {
	return Info{
		Name:       "tvm-relax",
		Title:      "TVM Relax block planner",
		Summary:    "storages of TVM Relax: as born, a free one within 16 times the size",
		Reference:  "class TokenAllocator1D, src/relax/transform/static_plan_block_memory.cc, apache/tvm at 01cb97c8733e",
		Complexity: "O(n log n)",
		Key:        "first use; ties by row",
		RowOrder:   true,
	}
}

// matchRange bounds how much larger or smaller a reused storage may be.
const matchRange = 16

func (tvmRelax) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	order, o := traced(o)
	return share(ctx, t, o, order, func(ctx context.Context, p *placement) (*objects, error) {
		objs := newObjects(len(p.items))
		ends := deaths(p.items)
		var pool freePool
		released := int64(0)
		for k := range p.items {
			if k%checkEvery == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			it := &p.items[k]
			for ; len(ends) > 0 && p.items[ends[0]].upper <= it.lower; ends = ends[1:] {
				object := objs.of[ends[0]]
				pool.insert(free{objs.sizes[object], released, object})
				released++
			}
			if s, ok := pool.match(it.size); ok {
				f, _ := pool.at(s)
				pool.remove(s)
				objs.join(k, f.object, it.size)
			} else {
				objs.create(k, it.size)
			}
		}
		return objs, nil
	})
}

// match returns the spot of the storage that a tensor of the size reuses.
func (p *freePool) match(size int64) (spot, bool) {
	s := p.atLeast(size)
	// The size times the range may overflow, the quotient does not.
	if above, ok := p.at(s); ok && (above.size+matchRange-1)/matchRange <= size {
		return s, true
	}
	b, ok := p.before(s)
	if !ok {
		return spot{}, false
	}
	below, _ := p.at(b)
	return b, below.size >= size/matchRange
}
