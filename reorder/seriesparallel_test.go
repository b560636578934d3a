package reorder

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/graph"
)

// spDrawing builds graphs of series and parallel branches.
type spDrawing struct {
	r     *rand.Rand
	m     *graph.Memory
	most  int64
	share int // of 8 branchings have values that the branches share
}

// spEnds are operators of a part that nothing in it runs before, and after.
type spEnds struct{ first, last []int }

// draw adds n operators, numbered from at on.
func (d *spDrawing) draw(at, n int) spEnds {
	if n == 1 {
		return spEnds{[]int{at}, []int{at}}
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

func drawSeriesParallel(r *rand.Rand, n, share int) *graph.Memory {
	d := spDrawing{r: r, m: emptyMemory(r, n, 12), most: 12, share: share}
	if n > 0 {
		e := d.draw(0, n)
		if len(e.first) > 1 && r.IntN(8) < share {
			d.shared(-1, e.first)
		}
	}
	finish(r, d.m, 12)
	return d.m
}

// What is said to have the least peak has it, and most graphs of branches that
// share values are.
func TestSeriesParallelIsExact(t *testing.T) {
	for name, share := range map[string]int{"one reader": 0, "shared": 5} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(11, 4))
			exact, better := 0, 0
			const tries = 3000
			for range tries {
				m := drawSeriesParallel(r, r.IntN(9), share)
				ops, least := compose(m, newBudget(t.Context(), Options{}, splitSteps), true)
				if err := m.Subgraph.CheckOrder(graph.Order{Ops: ops}); err != nil {
					t.Fatal(err)
				}
				if !least {
					continue
				}
				exact++
				isExact(t, m, ops)
				if m.Peak(ops) < m.Peak(graph.Stored(m.Subgraph).Ops) {
					better++
				}
			}
			t.Logf("%d of %d exact, %d better than stored", exact, tries, better)
			if share == 0 && exact < tries || exact < tries*8/10 || better < tries/8 {
				t.Errorf("%d exact, %d better than stored", exact, better)
			}
		})
	}
}

// Only orders of parts that can be told apart are said to have the least peak.
func TestComposeOfOtherGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 4))
	exact := 0
	for range 1500 {
		m := need{n: 7, reads: 2, most: 9, inPlace: true}.draw(r)
		ops, least := compose(m, newBudget(t.Context(), Options{}, splitSteps), true)
		if least {
			exact++
			isExact(t, m, ops)
		} else if err := m.Subgraph.CheckOrder(graph.Order{Ops: ops}); err != nil {
			t.Fatal(err)
		}
	}
	if exact < 100 || exact > 1400 {
		t.Errorf("%d of 1500 exact", exact)
	}
	// A zigzag, o0 before o2 and o3, o1 before o3, is not series-parallel.
	m := &graph.Memory{Before: [][]int{{}, {}, {0}, {0, 1}}, Ops: make([]graph.MemoryOp, 4)}
	for i := range m.Ops {
		m.Ops[i].Replaces = -1
	}
	withSubgraph(m)
	if _, least := compose(m, newBudget(t.Context(), Options{}, splitSteps), true); least {
		t.Error("a zigzag is taken for series-parallel")
	}
}
