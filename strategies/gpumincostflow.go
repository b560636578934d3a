package strategies

// GPU min-cost flow matches each buffer with the one before it in its object:
// a flow in which reuse costs the bytes by which the object would have to grow,
// and a new object its size.
//
// Complexity: O(n^2) memory and n shortest paths, each of several passes over
// O(n^2) edges. More than 2,000 buffers are refused.
//
// Reference: MinCostFlowAssignment, tensorflow/lite/delegates/gpu/common/
// memory_management/min_cost_flow_assignment.cc, tensorflow/tensorflow at
// commit 7cccfef75a7c; shortest path faster algorithm: E. F. Moore, "The
// shortest path through a maze", Proc. Int. Symp. Switching Theory, 1959.
//
// Rule, to the byte: the flow is found by successive shortest paths, vertices
// in first-in-first-out passes, edges in the order in which the records and,
// for each, those dead before it (by last use, then record) were added.
// Objects are laid end to end in the order of their first records. Records come
// in birth order.
//
// Departures: costs are 64 bits wide, where the original's overflow from 2 GiB
// up. Objects are aligned and step over buffers with fixed offsets. A buffer
// with gaps is taken to be live all its life.

import (
	"context"
	"fmt"

	"github.com/arenalab/arenalab/lifetime"
)

type gpuMinCostFlow struct{}

func (gpuMinCostFlow) Info() Info {
	return Info{
		Name:       "gpu-min-cost-flow",
		Title:      "TFLite GPU: min-cost flow",
		Summary:    "objects of TFLite's GPU delegate: reuse matched at the least growth",
		Reference:  "MinCostFlowAssignment, " + gpuFolder + "min_cost_flow_assignment.cc, tensorflow/tensorflow at 7cccfef75a7c",
		Complexity: "O(n^3) and more; at most 2,000 buffers",
		Key:        "first use; ties by row",
		RowOrder:   true,
	}
}

// flowLimit is the number of buffers above which the quadratic memory and the
// time for a path a buffer are out of proportion.
const flowLimit = 2000

func (gpuMinCostFlow) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	order, o := traced(o)
	return share(ctx, t, o, order, func(ctx context.Context, p *placement) (*objects, error) {
		if len(p.items) > flowLimit {
			return nil, fmt.Errorf("min-cost flow: %d buffers, at most %d: %w", len(p.items), flowLimit, ErrTooLarge)
		}
		f := newFlow(p.items)
		if err := f.solve(ctx); err != nil {
			return nil, err
		}
		return f.objects(p.items), nil
	})
}

// flow is the graph: a left and a right vertex for each item, then the source
// and the sink. Edge 2i leads forth, 2i+1 back.
type flow struct {
	n            int // items
	source, sink int32
	edges        []flowEdge
	from         [][]int32 // by vertex: its edges, in the order they were added
}

type flowEdge struct {
	cost int64
	to   int32
	room int32
}

func newFlow(items []item) *flow {
	n := len(items)
	f := &flow{n: n, source: int32(2 * n), sink: int32(2*n + 1), from: make([][]int32, 2*n+2)}
	ends := deaths(items)
	dead := 0
	for k := range items {
		for dead < n && items[ends[dead]].upper <= items[k].lower {
			dead++
		}
		right := int32(n + k)
		f.add(f.source, int32(k), 0)
		f.add(right, f.sink, 0)
		f.add(f.source, right, items[k].size)
		for _, e := range ends[:dead] {
			f.add(e, right, max(0, items[k].size-items[e].size))
		}
	}
	return f
}

func (f *flow) add(from, to int32, cost int64) {
	f.from[from] = append(f.from[from], int32(len(f.edges)))
	f.edges = append(f.edges, flowEdge{cost, to, 1})
	f.from[to] = append(f.from[to], int32(len(f.edges)))
	f.edges = append(f.edges, flowEdge{-cost, from, 0})
}

// solve sends one unit after the other along the cheapest path there is.
func (f *flow) solve(ctx context.Context) error {
	var (
		dist   = make([]int64, len(f.from))
		queued = make([]int32, len(f.from)) // the last pass a vertex was queued for
		by     = make([]int32, len(f.from)) // the edge it was reached by
		queue  = make([]int32, 0, len(f.from))
		next   = make([]int32, 0, len(f.from))
	)
	for {
		for v := range dist {
			dist[v], queued[v] = unreached, 0
		}
		dist[f.source] = 0
		queue = append(queue[:0], f.source)
		for pass := int32(1); len(queue) > 0; pass++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			next = next[:0]
			for _, v := range queue {
				for _, e := range f.from[v] {
					edge := &f.edges[e]
					if edge.room == 0 || dist[v]+edge.cost >= dist[edge.to] {
						continue
					}
					u := edge.to
					dist[u], by[u] = dist[v]+edge.cost, e
					if queued[u] != pass {
						queued[u] = pass
						next = append(next, u)
					}
				}
			}
			queue, next = next, queue
		}
		if dist[f.sink] == unreached {
			return nil
		}
		for v := f.sink; v != f.source; {
			f.edges[by[v]].room--
			back := &f.edges[by[v]^1]
			back.room++
			v = back.to
		}
	}
}

// objects follows the flow from each item that has an object of its own.
func (f *flow) objects(items []item) *objects {
	objs := newObjects(f.n)
	isRight := func(v int32) bool { return int(v) >= f.n && int(v) < 2*f.n }
	for _, e := range f.from[f.source] {
		if f.edges[e].room > 0 || !isRight(f.edges[e].to) {
			continue
		}
		k := f.edges[e].to - int32(f.n)
		object := objs.create(int(k), items[k].size)
		for more := true; more; {
			more = false
			for _, e := range f.from[k] {
				next := f.edges[e].to - int32(f.n)
				if f.edges[e].room == 0 && isRight(f.edges[e].to) && objs.of[next] < 0 {
					objs.join(int(next), object, items[next].size)
					k, more = next, true
					break
				}
			}
		}
	}
	return objs
}
