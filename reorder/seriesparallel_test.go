package reorder

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/graph"
)

// spDrawing builds graphs of series and parallel branches.
type spDrawing struct {
	r      *rand.Rand
	m      *graph.Memory
	most   int64
	share  int // of 8 branchings have values that the branches share
	zigzag int // of 8 stretches of four operators are o0 before o2 and o3, o1 before o3
}

// spEnds are operators of a part that nothing in it runs before, and after.
type spEnds struct{ first, last []int }

// draw adds n operators, numbered from at on.
func (d *spDrawing) draw(at, n int) spEnds {
	if n == 1 {
		return spEnds{[]int{at}, []int{at}}
	}
	if n == 4 && d.r.IntN(8) < d.zigzag {
		link(d.r, d.m, at, at+2, d.most)
		link(d.r, d.m, at, at+3, d.most)
		link(d.r, d.m, at+1, at+3, d.most)
		if d.r.IntN(2) == 0 {
			d.shared(at, []int{at + 2, at + 3})
		}
		return spEnds{[]int{at, at + 1}, []int{at + 2, at + 3}}
	}
	k := 1 + d.r.IntN(n-1)
	if d.r.IntN(2) == 0 {
		a, b := d.draw(at, k), d.draw(at+k, n-k)
		return spEnds{append(slices.Clone(a.first), b.first...), append(slices.Clone(a.last), b.last...)}
	}
	a, b := d.draw(at, k), d.draw(at+k, n-k)
	for _, p := range a.last {
		for _, i := range b.first {
			link(d.r, d.m, p, i, d.most)
		}
	}
	if len(b.first) > 1 && d.r.IntN(8) < d.share {
		d.shared(a.last[d.r.IntN(len(a.last))], b.first)
	}
	return spEnds{a.first, b.last}
}

// shared adds a value that several of the operators read.
func (d *spDrawing) shared(maker int, readers []int) {
	v := len(d.m.Values)
	x := graph.Value{Size: d.r.Int64N(d.most + 1), Maker: maker}
	for _, i := range readers {
		if len(x.Readers) < 2 || d.r.IntN(3) > 0 {
			x.Readers = append(x.Readers, i)
			d.m.Ops[i].Reads = append(d.m.Ops[i].Reads, v)
		}
	}
	slices.Sort(x.Readers)
	if maker >= 0 {
		d.m.Ops[maker].Makes = append(d.m.Ops[maker].Makes, v)
	}
	d.m.Values = append(d.m.Values, x)
}

func drawSeriesParallel(r *rand.Rand, n, share, zigzag int) *graph.Memory {
	d := spDrawing{r: r, m: emptyMemory(r, n, 12), most: 12, share: share, zigzag: zigzag}
	if n > 0 {
		e := d.draw(0, n)
		if len(e.first) > 1 && r.IntN(8) < share {
			d.shared(-1, e.first)
		}
	}
	finish(r, d.m, 12)
	return d.m
}

// Small graphs of branches are ordered best, be values shared, and be there
// parts that are no branching.
func TestSeriesParallelIsExact(t *testing.T) {
	tests := []struct {
		name          string
		share, zigzag int
	}{{"one reader", 0, 0}, {"shared", 5, 0}, {"zigzags", 5, 6}}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(11, 4))
			better := 0
			const tries = 3000
			for range tries {
				m := drawSeriesParallel(r, r.IntN(9), test.share, test.zigzag)
				ops, least := compose(m, newBudget(t.Context(), Options{}, splitSteps), true)
				isExact(t, m, ops)
				if !least {
					t.Fatalf("not sure of %v", m.Before)
				}
				if m.Peak(ops) < m.Peak(graph.Stored(m.Subgraph).Ops) {
					better++
				}
			}
			if better < tries/8 {
				t.Errorf("only %d of %d better than stored", better, tries)
			}
		})
	}
}

// beside returns graphs that have nothing to do with each other as one, with
// their operators in turn.
func beside(r *rand.Rand, parts ...*graph.Memory) *graph.Memory {
	m := &graph.Memory{}
	number := make([][]int, len(parts))
	for left := true; left; {
		left = false
		for p, part := range parts {
			if len(number[p]) < len(part.Ops) {
				left = true
				if r.IntN(2) == 0 {
					number[p] = append(number[p], len(m.Ops))
					m.Ops = append(m.Ops, graph.MemoryOp{Replaces: -1})
				}
			}
		}
	}
	m.Before = make([][]int, len(m.Ops))
	for p, part := range parts {
		values := len(m.Values)
		shift := func(list []int) (out []int) {
			for _, v := range list {
				out = append(out, v+values)
			}
			return out
		}
		rename := func(list []int) (out []int) {
			for _, i := range list {
				out = append(out, number[p][i])
			}
			return out
		}
		for i := range part.Ops {
			op := &m.Ops[number[p][i]]
			*op = part.Ops[i]
			op.Reads, op.Makes = shift(op.Reads), shift(op.Makes)
			if op.Replaces >= 0 {
				op.Replaces += values
			}
			m.Before[number[p][i]] = rename(part.Before[i])
		}
		for _, x := range part.Values {
			x.Readers = rename(x.Readers)
			if x.Maker >= 0 {
				x.Maker = number[p][x.Maker]
			}
			m.Values = append(m.Values, x)
		}
	}
	withSubgraph(m)
	return m
}

// Parts that cannot be taken apart are gone through in full, and their orders
// are the right ones beside other parts too.
func TestComposeOfOtherGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 4))
	tries, exact := 0, 0
	check := func(m *graph.Memory) {
		tries++
		m.First = 0 // may leave open whether the peak is the least
		ops, least := compose(m, newBudget(t.Context(), Options{}, splitSteps), true)
		if least {
			exact++
		}
		isExact(t, m, ops)
	}
	for range 1000 {
		check(need{n: r.IntN(8), reads: 3, most: 9, inPlace: true}.draw(r))
	}
	for range 400 {
		draw := func() *graph.Memory { return need{n: r.IntN(5), reads: 2, most: 9, inPlace: true}.draw(r) }
		check(beside(r, draw(), draw()))
	}
	if exact < tries {
		t.Errorf("%d of %d exact", exact, tries)
	}
}

// A part with too many states keeps its stored order, and nothing is said of
// the whole.
func TestComposeOfLargeGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 5))
	m := need{n: 60, reads: 3, most: 9}.draw(r)
	ops, least := compose(m, newBudget(t.Context(), Options{}, splitSteps), true)
	if err := m.Subgraph.CheckOrder(graph.Order{Ops: ops}); err != nil || least {
		t.Errorf("%v, least peak: %v", err, least)
	}
}

// BenchmarkCompose orders series-parallel graphs of 1000 operators.
func BenchmarkCompose(b *testing.B) {
	for name, share := range map[string]int{"one reader": 0, "shared": 5} {
		b.Run(name, func(b *testing.B) {
			m := drawSeriesParallel(rand.New(rand.NewPCG(1, 1)), 1000, share, 0)
			b.ReportAllocs()
			exact := false
			for b.Loop() {
				_, exact = compose(m, newBudget(b.Context(), Options{}, splitSteps), true)
			}
			b.Logf("least peak: %v", exact)
		})
	}
}
