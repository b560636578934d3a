package bound

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/internal/gcd"
)

// MaxOps is the most operators of a subgraph that a Finder is made for: the
// sets of those before and after each take 100 MB then.
const MaxOps = 20000

// maxBytes is what all sizes may add up to, so that no sum overflows.
const maxBytes = math.MaxInt64 / 8

// Finder finds bounds for one memory. It is not safe for concurrent use; two
// of the same memory find the same bounds.
type Finder struct {
	m      *graph.Memory
	before [][]int32 // by operator: those that must run before it, from the graph
	after  [][]int32
	topo   []int32 // an order that the graph allows
	rel    *relation
	own    []int64 // by operator: bytes live while it runs besides the values that are live when it starts
	unit   int64   // of which all peaks are multiples
	cuts   []int64 // by operator: its least bytes, or -1 if that is not known yet
	net    network
}

// New returns a finder. It is an error if operators wait for each other, if
// there are more than MaxOps, if sizes are out of range, or if the memory is
// Loose, so that nothing can be proven. O(n m / 64) with n operators and m
// dependencies.
func New(m *graph.Memory) (*Finder, error) {
	if m.Loose != "" {
		return nil, fmt.Errorf("bounds on orders: %s", m.Loose)
	}
	if len(m.Ops) > MaxOps {
		return nil, fmt.Errorf("bounds on orders: %d operators are more than %d", len(m.Ops), MaxOps)
	}
	f := &Finder{m: m, own: make([]int64, len(m.Ops)), cuts: slices.Repeat([]int64{-1}, len(m.Ops))}
	if err := f.sizes(); err != nil {
		return nil, err
	}
	f.link()
	if len(f.topo) < len(m.Ops) {
		return nil, fmt.Errorf("bounds on orders: some of %d operators wait for each other", len(m.Ops))
	}
	f.rel = newRelation(f)
	f.net.init(f)
	return f, nil
}

// Unit returns the greatest number of bytes of which the peaks of all orders
// are multiples.
func (f *Finder) Unit() int64 { return f.unit }

func (f *Finder) sizes() error {
	m := f.m
	var sum int64
	bad := false
	add := func(size int64) {
		sum += size
		bad = bad || size < 0 || sum < 0 || sum > maxBytes
		f.unit = gcd.Of(f.unit, size)
	}
	add(m.Base)
	add(m.First)
	add(m.Floor)
	for i := range m.Values {
		add(m.Values[i].Size)
	}
	for v := range m.Ops {
		op := &m.Ops[v]
		add(op.Transient)
		f.own[v] = m.Base + op.Transient
		for _, x := range op.Makes {
			f.own[v] += m.Values[x].Size
		}
		if op.Replaces >= 0 && !slices.Contains(op.Reads, op.Replaces) {
			return fmt.Errorf("bounds on orders: operator %d replaces value %d, which it does not read", v, op.Replaces)
		}
	}
	f.unit = max(f.unit, 1)
	if bad {
		return fmt.Errorf("bounds on orders: sizes are negative, or more than %d bytes together", int64(maxBytes))
	}
	return nil
}

// link finds who follows whom, and an order that the graph allows, in which
// operators keep their sequence where they can.
func (f *Finder) link() {
	n := len(f.m.Ops)
	f.before, f.after = make([][]int32, n), make([][]int32, n)
	left := make([]int, n)
	for v, list := range f.m.Before {
		for _, u := range list {
			f.before[v] = append(f.before[v], int32(u))
			f.after[u] = append(f.after[u], int32(v))
		}
		left[v] = len(list)
	}
	for v := range n {
		if left[v] == 0 {
			f.topo = append(f.topo, int32(v))
		}
	}
	for k := 0; k < len(f.topo); k++ {
		for _, v := range f.after[f.topo[k]] {
			if left[v]--; left[v] == 0 {
				f.topo = append(f.topo, v)
			}
		}
	}
}

// Work is how much searches may do and have done: arcs that flows looked at, of
// which some hundred million take a second. Searches look at Limit between
// flows, so they may go beyond it a little.
type Work struct {
	Limit int64 // 0 is none
	Done  int64
}

// over reports whether a search must end.
func (w *Work) over(ctx context.Context) bool {
	return w.Limit > 0 && w.Done >= w.Limit || ctx.Err() != nil
}

// live returns the bytes at each operator of an order, by operator, without
// what is added to the first because it is the first.
func (f *Finder) live(order []int) []int64 {
	bytes := make([]int64, len(f.own))
	for k, b := range f.m.Live(order) {
		if k == 0 {
			b -= f.m.First
		}
		bytes[order[k]] = b
	}
	return bytes
}
