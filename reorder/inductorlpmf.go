package reorder

// Inductor's LPMF, least peak memory first, runs, of the operators that are
// ready, one that fits under the peak so far and frees most net; if none fits,
// the one that raises the peak least.
//
// Complexity: O(n w + m) for w operators ready at a time.
//
// Reference: topological_sort_lpmf in torch/_inductor/memory.py, pytorch/pytorch
// at commit a900a4db.
//
// Rule: the peak begins as the bytes of graph inputs or those of results of the
// graph, whichever is more. The least max(peak, live + allocated) first, of
// equals the least of allocated less freed, then the one stored first. Results
// that nothing reads are allocated and freed.
//
// Departures: control edges count as data edges do. Working memory is taken as a
// result that nothing reads. Graph inputs that the profile keeps to the end are
// live before and after, which changes nothing; the original leaves out those
// that it may not free. Its first release counted as freed what another operator
// would have freed; this is the one that was corrected. A rule of later releases
// for large operators, off unless asked for, is left out.

import (
	"context"

	"github.com/arenalab/arenalab/graph"
)

const inductorSource = "torch/_inductor/memory.py, pytorch/pytorch at a900a4db"

type inductorLPMF struct{}

func (inductorLPMF) Info() Info {
	return Info{
		Name:       "inductor-lpmf",
		Title:      "Inductor LPMF",
		Summary:    "of the ready operators one that fits under the peak so far and frees most, or raises it least",
		Reference:  "topological_sort_lpmf, " + inductorSource,
		Complexity: "O(n w + m), w operators ready at a time",
	}
}

func (inductorLPMF) Order(ctx context.Context, m *graph.Memory, _ Options) (graph.Order, error) {
	if err := begin(ctx, m); err != nil {
		return graph.Order{}, err
	}
	b := newByteCount(m, false)
	for i := range m.Ops {
		b.allocates[i] += m.Ops[i].Transient
		b.frees[i] += m.Ops[i].Transient
	}
	live, peak := ends(m)
	next, left := newSuccessors(m), waiting(m)
	order := graph.Order{Name: "inductor-lpmf", Ops: make([]int, 0, len(m.Ops))}
	var ready []int
	for i, n := range left {
		if n == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		k := 0
		for j := 1; j < len(ready); j++ {
			if b.lpmfLess(ready[j], ready[k], peak-live) {
				k = j
			}
		}
		i, last := ready[k], len(ready)-1
		ready[k] = ready[last]
		ready = ready[:last]
		order.Ops = append(order.Ops, i)
		if len(order.Ops)%checkEvery == 0 && ctx.Err() != nil {
			return graph.Order{}, ctx.Err()
		}
		live += b.allocates[i]
		peak = max(peak, live)
		live -= b.frees[i]
		b.run(i, func(int) {})
		for _, s := range next.of(i) {
			if left[s]--; left[s] == 0 {
				ready = append(ready, s)
			}
		}
	}
	return order, nil
}

// lpmfLess reports whether operator i goes before k if room bytes are free under
// the peak so far.
func (b *byteCount) lpmfLess(i, k int, room int64) bool {
	over, overK := max(b.allocates[i], room), max(b.allocates[k], room)
	if over != overK {
		return over < overK
	}
	net, netK := b.allocates[i]-b.frees[i], b.allocates[k]-b.frees[k]
	if net != netK {
		return net < netK
	}
	return i < k
}

// ends returns the bytes of graph inputs that are read, live before the first
// operator, and the more of that and what is live after the last.
func ends(m *graph.Memory) (live, peak int64) {
	var kept int64
	for v := range m.Values {
		x := &m.Values[v]
		if x.Maker < 0 {
			live += x.Size
		}
		if x.Kept {
			kept += x.Size
		}
	}
	return live, max(live, kept)
}
