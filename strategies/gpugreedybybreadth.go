package strategies

// GPU greedy by breadth takes the operators by the bytes that are live at them,
// the most first, and assigns what is live there, the largest first, to the
// best fitting object that nothing live with it uses.
//
// Complexity: O(n m) with m objects, plus O(n log n); the original walks all
// that is live at every operator.
//
// Reference: GreedyByBreadthAssignment, tensorflow/lite/delegates/gpu/common/
// memory_management/greedy_by_breadth_assignment.cc, tensorflow/tensorflow at
// commit 342e577aa4e9; Y. Pisarchyk, J. Lee, "Efficient memory management for
// deep neural net inference", MLSys 2020 workshop, arXiv:2001.03288.
//
// Rule, to the byte: the smallest object that is large enough, else the
// largest, which then grows, else a new one; of equal sizes the oldest. Objects
// are laid end to end in the order of their creation. Records come in birth
// order.
//
// Departures: the original sorts operators, and the records of each, with
// std::sort, so that the order of ties depends on the C++ library; here
// operators come in order and records by birth, or with the tie rule libstdc++
// as GNU's library leaves them. Steps at which no life begins or ends are not
// counted. Objects are aligned and step over buffers with fixed offsets. A
// buffer with gaps is taken to be live all its life.

import (
	"cmp"
	"context"
	"slices"

	"github.com/arenalab/arenalab/internal/libstdcxx"
	"github.com/arenalab/arenalab/lifetime"
)

type gpuGreedyByBreadth struct{}

func (gpuGreedyByBreadth) Info() Info {
	return Info{
		Name:       "gpu-greedy-by-breadth",
		Title:      "TFLite GPU: greedy by breadth",
		Summary:    "objects of TFLite's GPU delegate: fullest operator first, best fit",
		Reference:  gpuPaper + "; " + gpuFolder + "greedy_by_breadth_assignment.cc, tensorflow/tensorflow at 342e577aa4e9",
		Complexity: "O(n log n + n m), m the number of objects",
		Key:        "live bytes of the operator descending, then its step; size descending; ties by first use, then by row",
		RowOrder:   true,
	}
}

func (gpuGreedyByBreadth) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	order, traced := traced(o)
	return share(ctx, t, traced, order, func(ctx context.Context, p *placement) (*objects, error) {
		b := &breadth{
			items: p.items,
			objs:  newObjects(len(p.items)),
			gnu:   o.Ties.Rule == TiesLibstdcxx,
		}
		return b.objs, b.assign(ctx)
	})
}

type breadth struct {
	items []item
	objs  *objects
	gnu   bool // ties as std::sort of GNU's library leaves them

	busy   *busy
	bySize []int32 // objects ascending by size, the oldest first
}

func (b *breadth) assign(ctx context.Context) error {
	tasks := rank(b.items)
	b.busy = newBusy(b.items, tasks)
	live := newStabber(b.items)
	var profile []item
	for _, task := range b.tasks(tasks) {
		if err := ctx.Err(); err != nil {
			return err
		}
		profile = profile[:0]
		if b.gnu {
			// How it leaves ties depends on everything it sorts.
			for k := range b.items {
				if it := b.items[k]; it.lower <= task && task < it.upper {
					it.index = k
					profile = append(profile, it)
				}
			}
			libstdcxx.Sort(profile, func(a, b *item) bool { return a.size > b.size })
		} else {
			live.take(task, func(k int) {
				it := b.items[k]
				it.index = k
				profile = append(profile, it)
			})
			slices.SortFunc(profile, func(a, b item) int {
				return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.index, b.index))
			})
		}
		for i := range profile {
			if k := profile[i].index; b.objs.of[k] < 0 {
				b.put(k)
			}
		}
	}
	return nil
}

// tasks returns the steps, the one with the most live bytes first.
func (b *breadth) tasks(n int) []int64 {
	bytes := make([]int64, n+1)
	for k := range b.items {
		bytes[b.items[k].lower] += b.items[k].size
		bytes[b.items[k].upper] -= b.items[k].size
	}
	order := make([]item, 0, n)
	sum := int64(0)
	for step := range n - 1 { // at the last step everything is dead
		sum += bytes[step]
		order = append(order, item{size: sum, lower: int64(step)})
	}
	if b.gnu {
		// The original sorts ascending from the back.
		slices.Reverse(order)
		libstdcxx.Sort(order, func(a, b *item) bool { return a.size < b.size })
		slices.Reverse(order)
	} else {
		slices.SortStableFunc(order, func(a, b item) int { return cmp.Compare(b.size, a.size) })
	}
	steps := make([]int64, len(order))
	for i := range order {
		steps[i] = order[i].lower
	}
	return steps
}

// put assigns the item to the best object.
func (b *breadth) put(k int) {
	it := &b.items[k]
	b.busy.ask(it.lower, it.upper)
	at, _ := slices.BinarySearchFunc(b.bySize, it.size, func(object int32, size int64) int {
		return cmp.Or(cmp.Compare(b.objs.sizes[object], size), 1) // before all of the size
	})
	best := -1
	for i := at; i < len(b.bySize) && best < 0; i++ {
		if b.busy.free(b.bySize[i]) {
			best = i
		}
	}
	for i := at - 1; i >= 0; i-- {
		if best >= 0 && (best >= at || b.size(i) < b.size(best)) {
			break
		}
		if b.busy.free(b.bySize[i]) {
			best = i // of those of one size the oldest comes last
		}
	}
	var object int32
	if best < 0 {
		object = b.objs.create(k, it.size)
		b.busy.grow(len(b.objs.sizes))
	} else {
		object = b.bySize[best]
		if best >= at { // large enough, so it keeps its place
			b.objs.join(k, object, it.size)
			b.busy.take(object, it.lower, it.upper)
			return
		}
		b.bySize = slices.Delete(b.bySize, best, best+1)
		b.objs.join(k, object, it.size)
	}
	b.busy.take(object, it.lower, it.upper)
	i, _ := slices.BinarySearchFunc(b.bySize, object, func(a, o int32) int {
		return cmp.Or(cmp.Compare(b.objs.sizes[a], b.objs.sizes[o]), cmp.Compare(a, o))
	})
	b.bySize = slices.Insert(b.bySize, i, object)
}

func (b *breadth) size(i int) int64 { return b.objs.sizes[b.bySize[i]] }
