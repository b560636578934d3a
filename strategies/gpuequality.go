package strategies

// GPU equality gives each buffer, as it is born, a free object of exactly its
// size, the one that was freed last, or else a new one: for memory whose shape
// cannot change.
//
// Complexity: O(n log n).
//
// Reference: EqualityAssignment, tensorflow/lite/delegates/gpu/common/
// memory_management/equality_assignment.h, tensorflow/tensorflow at commit
// a5c284c7cb20.
//
// Rule, to the byte: objects are freed in the order of their last uses, at the
// same step the older object first. Objects are laid end to end in the order of
// their creation.
//
// Departures: the original compares shapes where memory has several dimensions;
// a table has bytes alone. Objects are aligned and step over buffers with fixed
// offsets. A buffer with gaps is taken to be live all its life.

import (
	"cmp"
	"context"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

type gpuEquality struct{}

func (gpuEquality) Info() Info {
	return Info{
		Name:       "gpu-equality",
		Title:      "TFLite GPU: equality",
		Summary:    "objects of TFLite's GPU delegate: as born, reuse of equal sizes only",
		Reference:  "EqualityAssignment, " + gpuFolder + "equality_assignment.h, tensorflow/tensorflow at a5c284c7cb20",
		Complexity: "O(n log n)",
		Key:        "first use; ties by row",
		RowOrder:   true,
	}
}

func (gpuEquality) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	order, o := traced(o)
	return share(ctx, t, o, order, assignEqual)
}

func assignEqual(ctx context.Context, p *placement) (*objects, error) {
	objs := newObjects(len(p.items))
	kind, kinds := sizeClasses(p.items)
	freed := make([]int32, kinds) // by size: the object freed last, -1 if none
	for c := range freed {
		freed[c] = -1
	}
	var below []int32 // by object: the one of its size freed before it
	ends := deaths(p.items)
	for k := range p.items {
		if k%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		it := &p.items[k]
		// Those that end at one step are freed in the order of their objects.
		for n := 0; len(ends) > 0 && p.items[ends[0]].upper <= it.lower; ends = ends[n:] {
			for n = 1; n < len(ends) && p.items[ends[n]].upper == p.items[ends[0]].upper; n++ {
			}
			slices.SortFunc(ends[:n], func(a, b int32) int { return cmp.Compare(objs.of[a], objs.of[b]) })
			for _, e := range ends[:n] {
				object := objs.of[e]
				below[object] = freed[kind[e]]
				freed[kind[e]] = object
			}
		}
		if object := freed[kind[k]]; object >= 0 {
			freed[kind[k]] = below[object]
			objs.of[k] = object
		} else {
			objs.create(k, it.size)
			below = append(below, -1)
		}
	}
	return objs, nil
}

// sizeClasses numbers the distinct sizes, ascending, and returns that of each
// item.
func sizeClasses(items []item) (kind []int32, kinds int) {
	sizes := make([]int64, len(items))
	for k := range items {
		sizes[k] = items[k].size
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	kind = make([]int32, len(items))
	for k := range items {
		c, _ := slices.BinarySearch(sizes, items[k].size)
		kind[k] = int32(c)
	}
	return kind, len(sizes)
}
