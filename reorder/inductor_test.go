package reorder

import (
	"cmp"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/graph"
	"pgregory.net/rapid"
)

// releases is what Inductor knows of the memory of operators, slowly.
type releases struct {
	m    *graph.Memory
	done []bool
}

func (x releases) counts(v graph.Value) bool {
	return v.Maker >= 0 || len(v.Readers) > 0 && !x.m.Profile.KeepInputs
}

func (x releases) wanted(v graph.Value) bool {
	return v.Kept || slices.ContainsFunc(v.Readers, func(i int) bool { return !x.done[i] })
}

// live counts what is there between two operators.
func (x releases) live() (sum int64) {
	for _, v := range x.m.Values {
		if x.counts(v) && (v.Maker < 0 || x.done[v.Maker]) && x.wanted(v) {
			sum += v.Size
		}
	}
	return sum
}

func (x releases) allocates(i int) int64 {
	sum := x.m.Ops[i].Transient
	for _, v := range x.m.Values {
		if v.Maker == i {
			sum += v.Size
		}
	}
	return sum
}

// net is what is live after operator i less what is live before it.
func (x releases) net(i int) int64 {
	before := x.live()
	x.done[i] = true
	net := x.live() - before
	x.done[i] = false
	return net
}

func (x releases) ready() []int {
	var list []int
	for i, before := range x.m.Before {
		if !x.done[i] && !slices.ContainsFunc(before, func(p int) bool { return !x.done[p] }) {
			list = append(list, i)
		}
	}
	return list
}

func (x releases) lpmf() []int {
	peak, kept := x.live(), int64(0)
	for _, v := range x.m.Values {
		if x.counts(v) && v.Kept {
			kept += v.Size
		}
	}
	peak = max(peak, kept)
	var order []int
	for list := x.ready(); len(list) > 0; list = x.ready() {
		live := x.live()
		i := slices.MinFunc(list, func(a, b int) int {
			return cmp.Or(
				cmp.Compare(max(peak, live+x.allocates(a)), max(peak, live+x.allocates(b))),
				cmp.Compare(x.net(a), x.net(b)),
				cmp.Compare(a, b))
		})
		peak = max(peak, live+x.allocates(i))
		x.done[i] = true
		order = append(order, i)
	}
	return order
}

func (x releases) bfs() []int {
	var order []int
	positions := func(i int) []int {
		var list []int
		for _, p := range x.m.Before[i] {
			list = append(list, slices.Index(order, p))
		}
		slices.Sort(list)
		return list
	}
	for list := x.ready(); len(list) > 0; list = x.ready() {
		i := slices.MinFunc(list, func(a, b int) int {
			return cmp.Or(slices.Compare(positions(a), positions(b)), cmp.Compare(a, b))
		})
		x.done[i] = true
		order = append(order, i)
	}
	return order
}

func (x releases) dfs() []int {
	size := func(i int) int64 {
		sum := x.allocates(i)
		for _, v := range x.m.Values {
			if slices.Contains(v.Readers, i) && x.counts(v) {
				sum += v.Size
			}
		}
		return sum
	}
	sorted := func(list []int) []int {
		list = slices.Clone(list)
		slices.SortFunc(list, func(a, b int) int { return cmp.Or(cmp.Compare(size(a), size(b)), cmp.Compare(a, b)) })
		return list
	}
	return recursively(sorted(graph.Stored(x.m.Subgraph).Ops), func(i int) []int { return sorted(x.m.Before[i]) })
}

func TestInductorFollowsItsRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := randomMemory(t, 25)
		slow := func() releases { return releases{m, make([]bool, len(m.Ops))} }
		lpmf, bfs, dfs := slow().lpmf(), slow().bfs(), slow().dfs()
		follows(t, inductorLPMF{}, m, lpmf)
		follows(t, inductorBFS{}, m, bfs)
		follows(t, inductorDFS{}, m, dfs)
		best := graph.Stored(m.Subgraph).Ops
		for _, order := range [][]int{lpmf, bfs, dfs} {
			if m.Peak(order) < m.Peak(best) {
				best = order
			}
		}
		follows(t, inductorMin{}, m, best)
	})
}

func TestInductorTies(t *testing.T) {
	// Graph input 0 leads to operators 0 and 1, operator 2 needs nothing.
	three := func(bytes ...int64) *graph.Subgraph {
		return chainSubgraph(bytes, [][2][]int{{{0}, {1}}, {{0}, {2}}, {{}, {3}}, {{1, 2, 3}, {4}}}, 4)
	}
	runOrderTests(t, []orderTest{
		{"stored first", "inductor-lpmf", three(0, 5, 5, 5, 1), graph.Profile{}, []int{0, 1, 2, 3}},
		{"least over the peak", "inductor-lpmf", three(0, 6, 5, 4, 1), graph.Profile{}, []int{2, 1, 0, 3}},
		// The result of the graph is the peak at first: all fit under it.
		{"under the results", "inductor-lpmf", chainSubgraph([]int64{6, 5, 4, 20}, [][2][]int{
			{{}, {2}}, {{0}, {1}}, {{1, 2}, {3}},
		}, 3), graph.Profile{}, []int{1, 0, 2}},
		{"input kept", "inductor-lpmf", chainSubgraph([]int64{6, 5, 4, 20}, [][2][]int{
			{{}, {2}}, {{0}, {1}}, {{1, 2}, {3}},
		}, 3), graph.Profile{KeepInputs: true}, []int{0, 1, 2}},
		// Operator 1 frees 6 and makes 5, but that is over the peak so far.
		{"over the inputs", "inductor-lpmf", chainSubgraph([]int64{6, 5, 4, 1}, [][2][]int{
			{{}, {2}}, {{0}, {1}}, {{1, 2}, {3}},
		}, 3), graph.Profile{}, []int{0, 1, 2}},
		// Operator 3 reads 0 and 2, operator 4 reads 0 alone: a prefix.
		{"prefix first", "inductor-bfs", chainSubgraph([]int64{1, 1, 1, 1, 1, 1}, [][2][]int{
			{{0}, {1}}, {{0}, {2}}, {{1, 2}, {3}}, {{1}, {4}}, {{3, 4}, {5}},
		}, 5), graph.Profile{}, []int{0, 1, 3, 2, 4}},
		{"smallest first", "inductor-dfs", three(0, 6, 5, 4, 1), graph.Profile{}, []int{2, 1, 0, 3}},
	})
}
