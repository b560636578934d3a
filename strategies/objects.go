package strategies

import (
	"cmp"
	"context"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

// objects is an assignment of items to shared objects: blocks of memory that
// items use one after the other.
type objects struct {
	of    []int32 // by item: its object, -1 if it has none yet
	sizes []int64 // by object: that of its largest item
}

func newObjects(n int) *objects {
	o := &objects{of: make([]int32, n)}
	for k := range o.of {
		o.of[k] = -1
	}
	return o
}

// create gives the item an object of its own, the last one.
func (o *objects) create(k int, size int64) int32 {
	o.of[k] = int32(len(o.sizes))
	o.sizes = append(o.sizes, size)
	return o.of[k]
}

// join puts the item into the object, which grows if need be.
func (o *objects) join(k int, object int32, size int64) {
	o.of[k] = object
	o.sizes[object] = max(o.sizes[object], size)
}

// run applies the options, prepares the items in the method's order and lets
// do plan them.
func (m *method) run(ctx context.Context, t *lifetime.Table, o Options,
	do func(context.Context, *placement) (*lifetime.Plan, error)) (*lifetime.Plan, error) {
	if o.TimeLimit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.TimeLimit)
		defer cancel()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := prepare(m, t, o)
	if err != nil {
		return nil, err
	}
	return do(ctx, p)
}

// share runs a planner of shared objects and lays its objects end to end.
func share(ctx context.Context, t *lifetime.Table, o Options, order sorting,
	assign func(context.Context, *placement) (*objects, error)) (*lifetime.Plan, error) {
	m := method{order: order, whole: true}
	return m.run(ctx, t, o, func(ctx context.Context, p *placement) (*lifetime.Plan, error) {
		objs, err := assign(ctx, p)
		if err != nil {
			return nil, err
		}
		return p.layOut(objs), nil
	})
}

// traced is the order of planners that follow a program: buffers come as they
// are born, and those of one step by row. They do not sort, so that no library
// leaves ties.
func traced(o Options) (sorting, Options) {
	if o.Ties.Rule == TiesLibstdcxx {
		o.Ties.Rule = TiesNative
	}
	return sorting{key: lowerUp}, o
}

// layOut places the objects end to end, in order, each at a multiple of the
// largest alignment of its items.
func (p *placement) layOut(o *objects) *lifetime.Plan {
	aligns := make([]int64, len(o.sizes))
	starts := make([]int, len(o.sizes)+1)
	for k, object := range o.of {
		aligns[object] = max(aligns[object], p.items[k].align)
		starts[object+1]++
	}
	for i := range o.sizes {
		starts[i+1] += starts[i]
	}
	members := make([]int, len(o.of))
	for k, object := range o.of {
		members[starts[object]] = p.items[k].index
		starts[object]++ // ends up as the start of the next
	}
	list := make([]lifetime.Object, len(o.sizes))
	pile := p.newPile()
	start := 0
	for i, size := range o.sizes {
		end := starts[i]
		own := members[start:end:end]
		start = end
		slices.Sort(own)
		at := pile.put(size, aligns[i])
		for _, b := range own {
			p.offsets[b] = at
		}
		list[i] = lifetime.Object{Size: size, Buffers: own}
	}
	plan := lifetime.NewPlan(p.table, p.offsets)
	plan.Objects = list
	return plan
}

// pile stacks blocks. It steps over the bytes of buffers with fixed offsets,
// whenever they live.
type pile struct {
	table  *lifetime.Table
	pinned []int // ascending by offset, those not yet passed
	top    int64
}

func (p *placement) newPile() *pile {
	slices.SortFunc(p.pinned, func(a, b int) int {
		return cmp.Compare(*p.table.Buffers[a].Fixed, *p.table.Buffers[b].Fixed)
	})
	return &pile{table: p.table, pinned: p.pinned}
}

// put returns the offset of the next block.
func (s *pile) put(size, align int64) int64 {
	at := lifetime.AlignUp(s.top, align)
	for ; len(s.pinned) > 0; s.pinned = s.pinned[1:] {
		b := &s.table.Buffers[s.pinned[0]]
		if *b.Fixed >= at+size {
			break
		}
		if b.Size > 0 {
			at = lifetime.AlignUp(max(at, *b.Fixed+b.Size), align)
		}
	}
	s.top = at + size
	return at
}

// rank replaces steps by their ranks among those at which a life begins or
// ends, and returns how many there are.
func rank(items []item) int {
	steps := make([]int64, 0, 2*len(items))
	for k := range items {
		steps = append(steps, items[k].lower, items[k].upper)
	}
	slices.Sort(steps)
	steps = slices.Compact(steps)
	for k := range items {
		lower, _ := slices.BinarySearch(steps, items[k].lower)
		upper, _ := slices.BinarySearch(steps, items[k].upper)
		items[k].lower, items[k].upper = int64(lower), int64(upper)
	}
	return len(steps)
}

// deaths returns the items ascending by the end of their lives, ties by index
// in the slice.
func deaths(items []item) []int32 {
	order := make([]int32, len(items))
	for k := range order {
		order[k] = int32(k)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(items[a].upper, items[b].upper), cmp.Compare(a, b))
	})
	return order
}
