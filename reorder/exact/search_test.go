package exact

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/graph"
)

// randomMemory draws what n operators need: several results each, values that
// are there from the start or kept to the end, control edges, transients,
// places that results may take.
func randomMemory(r *rand.Rand, n int) *graph.Memory {
	m := &graph.Memory{Ops: make([]graph.MemoryOp, n), Before: make([][]int, n)}
	most := []int64{3, 12, 100}[r.IntN(3)]
	size := func() int64 { return r.Int64N(most + 1) }
	value := func(maker int) {
		m.Values = append(m.Values, graph.Value{Size: size(), Maker: maker, Kept: r.IntN(8) == 0})
	}
	for range r.IntN(3) {
		value(-1)
	}
	fan := 1 + r.IntN(3)
	for i := range n {
		op := &m.Ops[i]
		op.Replaces = -1
		before := map[int]bool{}
		for range r.IntN(fan + 1) {
			if len(m.Values) == 0 {
				break
			}
			v := r.IntN(len(m.Values))
			if r.IntN(2) == 0 {
				v = len(m.Values) - 1 - r.IntN(min(len(m.Values), 4))
			}
			if value := &m.Values[v]; len(value.Readers) == 0 || value.Readers[len(value.Readers)-1] != i {
				value.Readers = append(value.Readers, i)
				op.Reads = append(op.Reads, v)
				if value.Maker >= 0 {
					before[value.Maker] = true
				}
			}
		}
		if i > 0 && r.IntN(6) == 0 {
			before[r.IntN(i)] = true
		}
		for p := range i {
			if before[p] {
				m.Before[i] = append(m.Before[i], p)
			}
		}
		if r.IntN(4) == 0 {
			op.Transient = size()
		}
		for range 1 + r.IntN(5)/4 {
			op.Makes = append(op.Makes, len(m.Values))
			value(i)
		}
		if v := op.Reads; len(v) > 0 && r.IntN(2) == 0 {
			x := v[r.IntN(len(v))]
			if !m.Values[x].Kept {
				m.Values[op.Makes[0]].Size = m.Values[x].Size
				op.Replaces = x
			}
		}
	}
	finish(r, m, size)
	return renumber(m, r.Perm(n))
}

// finish keeps what nothing reads, and draws what lives besides values.
func finish(r *rand.Rand, m *graph.Memory, size func() int64) {
	for v := range m.Values {
		if len(m.Values[v].Readers) == 0 {
			m.Values[v].Kept = true
		}
	}
	for i := range m.Ops {
		slices.Sort(m.Ops[i].Reads)
	}
	if r.IntN(4) == 0 {
		m.Base = size()
	}
	if r.IntN(4) == 0 {
		m.First = size()
	}
	if r.IntN(4) == 0 {
		m.Floor = size()
	}
}

// renumber gives operator i the number to[i].
func renumber(m *graph.Memory, to []int) *graph.Memory {
	ops, before := make([]graph.MemoryOp, len(to)), make([][]int, len(to))
	number := func(list []int) {
		for k := range list {
			list[k] = to[list[k]]
		}
		slices.Sort(list)
	}
	for i, k := range to {
		ops[k], before[k] = m.Ops[i], m.Before[i]
		number(before[k])
	}
	for v := range m.Values {
		value := &m.Values[v]
		if value.Maker >= 0 {
			value.Maker = to[value.Maker]
		}
		number(value.Readers)
	}
	m.Ops, m.Before = ops, before
	return m
}

// bruteForce returns the least peak of all orders, from the definition of
// graph.Memory and nothing else.
func bruteForce(m *graph.Memory) int64 {
	n := len(m.Ops)
	makers, readers := make([]int, len(m.Values)), make([]int, len(m.Values))
	for v, value := range m.Values {
		if value.Maker >= 0 {
			makers[v] = 1 << value.Maker
		}
		for _, i := range value.Readers {
			readers[v] |= 1 << i
		}
	}
	best := slices.Repeat([]int64{-1}, 1<<n) // peak from here on; -1: cannot be
	best[1<<n-1] = m.Floor
	for s := 1<<n - 2; s >= 0; s-- {
		live := m.Base
		for v, value := range m.Values {
			if makers[v]&^s == 0 && (value.Kept || readers[v]&^s != 0) {
				live += value.Size
			}
		}
		for i, op := range m.Ops {
			if s>>i&1 != 0 || best[s|1<<i] < 0 || slices.ContainsFunc(m.Before[i], func(p int) bool { return s>>p&1 == 0 }) {
				continue
			}
			bytes := live + op.Transient
			for _, v := range op.Makes {
				bytes += m.Values[v].Size
			}
			if x := op.Replaces; x >= 0 && readers[x]&^s == 1<<i {
				bytes -= m.Values[x].Size
			}
			if s == 0 {
				bytes += m.First
			}
			if peak := max(bytes, best[s|1<<i]); best[s] < 0 || peak < best[s] {
				best[s] = peak
			}
		}
	}
	return best[0]
}

func checkOrder(t testing.TB, m *graph.Memory, order []int, most int64) {
	t.Helper()
	done := make([]bool, len(m.Ops))
	for _, i := range order {
		if done[i] {
			t.Fatalf("order %v runs operator %d twice", order, i)
		}
		for _, p := range m.Before[i] {
			if !done[p] {
				t.Fatalf("order %v runs operator %d before %d", order, i, p)
			}
		}
		done[i] = true
	}
	if len(order) != len(done) {
		t.Fatalf("order %v of %d operators", order, len(done))
	}
	if peak := m.Peak(order); peak > most {
		t.Fatalf("order %v needs %d bytes, more than %d", order, peak, most)
	}
}

// searchAll looks for an order within the budget in one search.
func searchAll(net *network, back bool, budget int64, bytes int) (order []int, next int64) {
	goal := net.n
	if back {
		goal = 0
	}
	s := newSearch(newWalk(net, back), goal, 0, net.n, budget, &memory{bytes})
	s.room = 1 << 20
	if s.run(math.MaxInt64) == refuted {
		return nil, s.next
	}
	order = []int{}
	for _, k := range s.w.trail {
		order = append(order, net.op[k])
	}
	if back {
		slices.Reverse(order)
	}
	return order, 0
}

// A search finds an order within a budget if and only if there is one, and a
// budget raised to the least step over it ends at the least peak.
func TestSearchAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	raised, graphs := 0, 2000
	if os.Getenv("ARENALAB_SLOW") != "" {
		graphs = 30_000
	}
	for k := range graphs {
		n := r.IntN(10)
		if k%20 == 0 { // valleys that are not where the search has come to take some more
			n = 11 + r.IntN(3)
		}
		m := randomMemory(r, n)
		want := bruteForce(m)
		net, err := newNetwork(m)
		if err != nil {
			t.Fatal(err)
		}
		for _, back := range []bool{false, true} {
			if back && m.First > 0 {
				continue
			}
			bytes := []int{0, 1 << 20}[r.IntN(2)]
			if n > 10 {
				bytes = 1 << 20
			}
			if want == m.Floor {
				// Less is not asked for.
			} else if order, next := searchAll(net, back, want-1, bytes); order != nil {
				t.Fatalf("back %v: order %v within %d, the least peak is %d", back, order, want-1, want)
			} else if next > want {
				t.Fatalf("back %v: nothing below %d, the least peak is %d", back, next, want)
			}
			for budget := m.Floor; ; raised++ {
				order, next := searchAll(net, back, budget, bytes)
				if order == nil {
					if next <= budget {
						t.Fatalf("next budget %d after %d", next, budget)
					}
					budget = next
					continue
				}
				checkOrder(t, m, order, budget)
				if budget != want {
					t.Fatalf("back %v: least budget %d, want %d", back, budget, want)
				}
				break
			}
		}
	}
	if raised == 0 {
		t.Error("no budget was ever raised")
	}
}

// topologicalOrder returns the first order by number.
func topologicalOrder(m *graph.Memory) (order []int) {
	done := make([]bool, len(m.Ops))
	for len(order) < len(done) {
		for i := range done {
			if !done[i] && !slices.ContainsFunc(m.Before[i], func(p int) bool { return !done[p] }) {
				done[i] = true
				order = append(order, i)
				break
			}
		}
	}
	return order
}
