package exact

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/internal/gcd"
)

// network is a graph.Memory in the form that searches need: operators numbered
// so that those before come first, lists in one piece each, and nothing that is
// the same in every order.
type network struct {
	n    int
	op   []int   // by number: operator of the memory
	rank []int32 // by operator of the memory: its number
	cuts []int   // how many operators have run in states that are the same in any order, ascending

	before, after lists // of operators, by operator
	reads, makes  lists // values that can die, by operator
	readers       lists // operators, by value
	made          []int64
	lasting       []int64 // of made: what lives to the end
	passing       []int64 // live only while the operator runs
	replaces      []int32 // value, or -1
	size          []int64 // by value
	maker         []int32 // by value, or -1 if it is there from the start

	start int64 // bytes live before the first operator
	first int64 // more bytes live at the first operator only
	floor int64
	grain int64 // all peaks but floor are start plus a multiple of it
}

// lists holds a list for each index: list[from[i]:from[i+1]].
type lists struct{ from, list []int32 }

func (l *lists) of(i int32) []int32 { return l.list[l.from[i]:l.from[i+1]] }

func newLists(parts [][]int32) lists {
	l := lists{from: make([]int32, 1, len(parts)+1)}
	for _, part := range parts {
		l.list = append(l.list, part...)
		l.from = append(l.from, int32(len(l.list)))
	}
	return l
}

// limit is what all sizes may add up to, so that no sum overflows.
const limit = math.MaxInt64 / 8

// newNetwork returns the network of m, or an error if m is none that
// graph.NewMemory returns.
func newNetwork(m *graph.Memory) (*network, error) {
	if m == nil || len(m.Before) != len(m.Ops) {
		return nil, errors.New("memory of no subgraph")
	}
	if err := validate(m); err != nil {
		return nil, err
	}
	before, err := dependencies(m)
	if err != nil {
		return nil, err
	}
	net := &network{n: len(m.Ops)}
	if err := net.number(before); err != nil {
		return nil, err
	}
	net.fill(m)
	return net, nil
}

// validate checks what the arguments in this package rest on.
func validate(m *graph.Memory) error {
	var sum int64
	bad := false
	add := func(size int64) {
		sum += size
		bad = bad || size < 0 || sum < 0 || sum > limit
	}
	add(m.Base)
	add(m.First)
	add(m.Floor)
	for v := range m.Values {
		add(m.Values[v].Size)
	}
	for i := range m.Ops {
		add(m.Ops[i].Transient)
	}
	if bad {
		return fmt.Errorf("sizes are negative, or more than %d bytes together", int64(limit))
	}
	for i := range m.Ops {
		op := &m.Ops[i]
		if op.Replaces < 0 {
			continue
		}
		room := op.Transient
		for _, v := range op.Makes {
			room += m.Values[v].Size
		}
		x := op.Replaces
		if !slices.Contains(op.Reads, x) || m.Values[x].Kept || m.Values[x].Size > room {
			return fmt.Errorf("operator %d cannot replace value %d: it does not read it, makes less, or the value is kept", i, x)
		}
	}
	return nil
}

// dependencies returns by operator those that must run before it.
func dependencies(m *graph.Memory) ([][]int32, error) {
	out := make([][]int32, len(m.Ops))
	for i := range m.Ops {
		for _, p := range m.Before[i] {
			if p < 0 || p >= len(m.Ops) {
				return nil, fmt.Errorf("operator %d waits for operator %d of %d", i, p, len(m.Ops))
			}
			out[i] = append(out[i], int32(p))
		}
		for _, v := range m.Ops[i].Reads {
			if maker := m.Values[v].Maker; maker >= 0 {
				out[i] = append(out[i], int32(maker))
			}
		}
		slices.Sort(out[i])
		out[i] = slices.Compact(out[i])
	}
	return out, nil
}

// number gives operators with fewer others before them the smaller numbers,
// so that what must be done at some moment in any order is a prefix.
func (net *network) number(before [][]int32) error {
	topo, err := topological(before)
	if err != nil {
		return err
	}
	count := ancestors(topo, before)
	slices.SortStableFunc(topo, func(a, b int32) int {
		return cmp.Or(cmp.Compare(count[a], count[b]), cmp.Compare(a, b))
	})
	net.op, net.rank = make([]int, net.n), make([]int32, net.n)
	for k, i := range topo {
		net.op[k], net.rank[i] = int(i), int32(k)
	}
	earlier, later := make([][]int32, net.n), make([][]int32, net.n)
	for k, i := range topo {
		for _, p := range before[i] {
			q := net.rank[p]
			earlier[k] = append(earlier[k], q)
			later[q] = append(later[q], int32(k))
		}
		slices.Sort(earlier[k])
	}
	net.before, net.after = newLists(earlier), newLists(later)
	net.cut(topo, count, before)
	return nil
}

// cut finds the states that every order comes to: prefixes of the numbering of
// which all operators must run before all others. With k of n operators there
// are then k(n-k) pairs of one inside and one outside of which the first must
// run before the second, and never more.
func (net *network) cut(topo []int32, count []int, before [][]int32) {
	after := make([][]int32, net.n)
	for i, list := range before {
		for _, p := range list {
			after[p] = append(after[p], int32(i))
		}
	}
	turned := slices.Clone(topo)
	slices.Reverse(turned)
	later := ancestors(turned, after)
	pairs := 0
	net.cuts = append(net.cuts, 0)
	for k, i := range topo {
		pairs += later[i] - count[i]
		if pairs == (k+1)*(net.n-k-1) {
			net.cuts = append(net.cuts, k+1)
		}
	}
}

func topological(before [][]int32) ([]int32, error) {
	after, wait := make([][]int32, len(before)), make([]int, len(before))
	topo := make([]int32, 0, len(before))
	for i, list := range before {
		wait[i] = len(list)
		if len(list) == 0 {
			topo = append(topo, int32(i))
		}
		for _, p := range list {
			after[p] = append(after[p], int32(i))
		}
	}
	for k := 0; k < len(topo); k++ {
		for _, i := range after[topo[k]] {
			if wait[i]--; wait[i] == 0 {
				topo = append(topo, i)
			}
		}
	}
	if len(topo) != len(before) {
		return nil, errors.New("operators wait for each other in a circle")
	}
	return topo, nil
}

// ancestors counts by operator those that must run before it, directly or not,
// 64 of them at a time.
func ancestors(topo []int32, before [][]int32) []int {
	count, mask := make([]int, len(topo)), make([]uint64, len(topo))
	for block := 0; block < len(topo); block += 64 {
		for k, i := range topo {
			var m uint64
			for _, p := range before[i] {
				m |= mask[p]
			}
			count[i] += bits.OnesCount64(m)
			if k >= block && k < block+64 {
				m |= 1 << (k - block)
			}
			mask[i] = m
		}
		clear(mask)
	}
	return count
}

// fill copies what operators and values need.
func (net *network) fill(m *graph.Memory) {
	net.start, net.first, net.floor = m.Base, m.First, m.Floor
	net.made, net.passing = make([]int64, net.n), make([]int64, net.n)
	net.lasting, net.replaces = make([]int64, net.n), slices.Repeat([]int32{-1}, net.n)
	index := make([]int32, len(m.Values))
	var readers [][]int32
	reads, makes := make([][]int32, net.n), make([][]int32, net.n)
	net.grain = m.First
	for v := range m.Values {
		value := &m.Values[v]
		net.grain = gcd.Of(net.grain, value.Size)
		index[v] = -1
		if value.Maker < 0 {
			net.start += value.Size
		} else {
			net.made[net.rank[value.Maker]] += value.Size
		}
		if value.Kept || len(value.Readers) == 0 || value.Size == 0 {
			if value.Maker >= 0 {
				net.lasting[net.rank[value.Maker]] += value.Size
			}
			continue
		}
		index[v] = int32(len(net.size))
		net.size = append(net.size, value.Size)
		maker := int32(-1)
		if value.Maker >= 0 {
			maker = net.rank[value.Maker]
			makes[maker] = append(makes[maker], index[v])
		}
		net.maker = append(net.maker, maker)
		var list []int32
		for _, r := range value.Readers {
			list = append(list, net.rank[r])
			reads[net.rank[r]] = append(reads[net.rank[r]], index[v])
		}
		slices.Sort(list)
		readers = append(readers, list)
	}
	for i := range m.Ops {
		k := net.rank[i]
		net.passing[k] = m.Ops[i].Transient
		net.grain = gcd.Of(net.grain, m.Ops[i].Transient)
		if x := m.Ops[i].Replaces; x >= 0 {
			net.replaces[k] = index[x]
		}
	}
	net.reads, net.makes, net.readers = newLists(reads), newLists(makes), newLists(readers)
	net.grain = max(net.grain, 1)
}

// up returns the least possible peak that is not below bytes.
func (net *network) up(bytes int64) int64 {
	if bytes <= net.floor {
		return net.floor
	}
	over := max(bytes-net.start, 0)
	return max(net.start+(over+net.grain-1)/net.grain*net.grain, net.floor)
}

// below returns the greatest possible peak below bytes, or a value below floor
// if there is none.
func (net *network) below(bytes int64) int64 {
	switch {
	case bytes <= net.floor:
		return net.floor - 1
	case bytes <= net.start:
		return net.floor
	}
	return max(net.start+(bytes-1-net.start)/net.grain*net.grain, net.floor)
}

// live calls see with the bytes live at each operator of an order, in numbers.
func (net *network) live(order []int32, see func(k int, bytes int64)) {
	left := make([]int32, len(net.size))
	for x := range left {
		left[x] = int32(len(net.readers.of(int32(x))))
	}
	now := net.start
	for k, i := range order {
		bytes := now + net.made[i] + net.passing[i]
		if x := net.replaces[i]; x >= 0 && left[x] == 1 {
			bytes -= net.size[x]
		}
		if k == 0 {
			bytes += net.first
		}
		see(k, bytes)
		now += net.made[i]
		for _, x := range net.reads.of(i) {
			if left[x]--; left[x] == 0 {
				now -= net.size[x]
			}
		}
	}
}

// simple returns a bound on the peak of all orders for which no flow is
// needed: what an operator needs by itself, and what the first and the last
// operator of any order need.
func (net *network) simple() int64 {
	bound := net.floor
	if net.n == 0 {
		return bound
	}
	for _, back := range []bool{false, true} {
		w := newWalk(net, back)
		least := int64(math.MaxInt64)
		for i := range int32(net.n) {
			if w.wait[i] == 0 {
				least = min(least, w.through(i))
			}
		}
		bound = max(bound, least)
	}
	return bound
}
