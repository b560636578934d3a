package strategies

// GPU greedy in order gives each buffer, as it is born, the free object whose
// size is nearest to its own; the object grows if it is too small. Only when no
// object is free is there a new one.
//
// Complexity: O(n log n).
//
// Reference: GreedyInOrderAssignment, tensorflow/lite/delegates/gpu/common/
// memory_management/greedy_in_order_assignment.h, tensorflow/tensorflow at
// commit 637eae5b82bb; Y. Pisarchyk, J. Lee, "Efficient memory management for
// deep neural net inference", MLSys 2020 workshop, arXiv:2001.03288.
//
// Rule, to the byte: of the free objects that are large enough the smallest is
// compared with the largest of those that are not; the smaller difference wins,
// and the larger object if they are equal. Of free objects of one size the
// oldest is taken if they are large enough, else the youngest. Objects are laid
// end to end in the order of their creation.
//
// Departures: the original can be restricted to a graph of permitted reuse, of
// which a table knows nothing. Objects are aligned and step over buffers with
// fixed offsets. A buffer with gaps is taken to be live all its life.

import (
	"context"

	"github.com/arenalab/arenalab/lifetime"
)

type gpuInOrder struct{}

func (gpuInOrder) Info() Info {
	return Info{
		Name:       "gpu-in-order",
		Title:      "TFLite GPU: greedy in order",
		Summary:    "objects of TFLite's GPU delegate: as born, nearest size that is free",
		Reference:  gpuPaper + "; " + gpuFolder + "greedy_in_order_assignment.h, tensorflow/tensorflow at 637eae5b82bb",
		Complexity: "O(n log n)",
		Key:        "first use; ties by row",
		RowOrder:   true,
	}
}

func (gpuInOrder) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	order, o := traced(o)
	return share(ctx, t, o, order, func(ctx context.Context, p *placement) (*objects, error) {
		objs := newObjects(len(p.items))
		ends := deaths(p.items)
		var pool freePool
		for k := range p.items {
			if k%checkEvery == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			it := &p.items[k]
			for ; len(ends) > 0 && p.items[ends[0]].upper <= it.lower; ends = ends[1:] {
				object := objs.of[ends[0]]
				pool.insert(free{objs.sizes[object], int64(object), object})
			}
			if s, ok := pool.nearest(it.size); ok {
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

// nearest returns the spot of the object whose size differs least, the larger
// one of two.
func (p *freePool) nearest(size int64) (spot, bool) {
	s := p.atLeast(size)
	above, ok := p.at(s)
	b, smaller := p.before(s)
	if !smaller {
		return s, ok
	}
	if below, _ := p.at(b); !ok || size-below.size < above.size-size {
		return b, true
	}
	return s, true
}
