package joint

import (
	"cmp"
	"slices"

	"github.com/arenalab/arenalab/graph"
)

// lives finds the lives of the rows of a lifetime table for one order after the
// other, without building the tables: thousands of times a second. Its rows are
// those of graph.NewLifetimes without in-place at last use, which it applies
// itself, by tensor; see agrees.
type lives struct {
	m     *graph.Memory
	size  []int64 // by row
	rows  []int32 // all, in the order of the table
	entry int32   // steps before the first operator
	end   int32   // step at which what is kept ends

	length []int32 // by operator: steps it takes
	kept   []bool  // by row: lives to the end
	makes  lists   // by operator: rows
	reads  lists   // by operator: rows
	passes lists   // by operator: rows that live only while it runs
	within [][2]int32
	inputs []int32 // rows there from the start
	gives  []int32 // by operator: row that may lie in the place of another, or -1
	takes  []int32 // by operator: that other row

	before, after []int32 // rows of subgraphs with smaller and with larger numbers, scratch with these
	others        []int32 // rows of the subgraph that no operator makes, graph inputs apart

	lower, upper []int32 // by row, of the last order; empty for what lies in another
	root         []int32 // by row: where it lies
	place        []int32 // by step: position in the order
	load         []int64 // by step
	renumbered   []int32
}

// lists holds a list for each index.
type lists struct{ from, list []int32 }

func (l *lists) of(i int32) []int32 { return l.list[l.from[i]:l.from[i+1]] }

func newLists(parts [][]int32) lists {
	l := lists{from: make([]int32, 1, len(parts)+1)}
	for _, p := range parts {
		l.list = append(l.list, p...)
		l.from = append(l.from, int32(len(l.list)))
	}
	return l
}

// find sets the lives of all rows when the operators run in the order. Results
// of operators that are apart lie in no other's place. It returns the load: the
// most bytes that are live at one time.
func (l *lives) find(order []int32, apart []bool) int64 {
	for _, r := range l.inputs {
		l.lower[r], l.upper[r] = 0, l.ends(r, 1)
	}
	step := l.entry
	for k, i := range order {
		start := step
		step += l.length[i]
		for t := start; t < step; t++ {
			l.place[t] = int32(k)
		}
		for _, r := range l.makes.of(i) {
			l.lower[r], l.upper[r] = start, l.ends(r, step)
		}
		for _, r := range l.passes.of(i) {
			l.lower[r], l.upper[r] = start+l.within[r][0], start+l.within[r][1]
		}
		for _, r := range l.reads.of(i) {
			l.upper[r] = l.ends(r, step)
		}
	}
	if l.m.Profile.InPlace == graph.InPlaceLastUse {
		l.share(order, apart)
	}
	return l.most()
}

func (l *lives) ends(r, step int32) int32 {
	if l.kept[r] {
		return l.end
	}
	return step
}

// share puts results into the place of operands that nothing reads later.
func (l *lives) share(order []int32, apart []bool) {
	for r := range l.root {
		l.root[r] = int32(r)
	}
	step := l.entry
	for _, i := range order {
		step += l.length[i]
		if out, in := l.gives[i], l.takes[i]; in >= 0 && !apart[i] && !l.kept[in] && l.upper[in] == step {
			l.root[out] = l.root[in]
		}
	}
	for _, i := range order {
		out := l.gives[i]
		if out < 0 || l.root[out] == out {
			continue
		}
		root := l.root[out]
		l.upper[root] = max(l.upper[root], l.upper[out])
	}
	for _, i := range order { // not before: lives of those in between count above
		if out := l.gives[i]; out >= 0 && l.root[out] != out {
			l.lower[out], l.upper[out] = 0, 0
		}
	}
}

// most returns the load of the lives.
func (l *lives) most() int64 {
	load := l.load
	clear(load)
	for r, size := range l.size {
		load[l.lower[r]] += size
		load[l.upper[r]] -= size
	}
	var now, peak int64
	for _, change := range load {
		now += change
		peak = max(peak, now)
	}
	return peak
}

// reversed returns the rows in the order of the table if tensors are numbered
// against the order of execution: see numbers.
func (l *lives) reversed(order []int32) []int32 {
	out := append(l.renumbered[:0], l.before...)
	out = append(out, l.others...)
	for k := len(order) - 1; k >= 0; k-- {
		out = append(out, l.makes.of(order[k])...)
	}
	out = append(out, l.inputs...)
	l.renumbered = append(out, l.after...)
	return l.renumbered
}

// numbers returns those of the tensors by which what runs first comes last:
// graph inputs last of all, before them the results of the first operator.
// Planners that take the row added last first, of those of one size, then take
// them in the order of execution.
func numbers(s *graph.Subgraph, order []int32) []int {
	out := slices.Repeat([]int{-1}, len(s.Tensors))
	input := make([]bool, len(s.Tensors))
	for _, t := range s.Inputs {
		input[t] = true
	}
	next := 0
	number := func(t int) {
		if out[t] < 0 {
			out[t] = next
			next++
		}
	}
	for t := range out {
		if s.Producer[t] < 0 && !input[t] {
			number(t)
		}
	}
	for k := len(order) - 1; k >= 0; k-- {
		results := slices.Clone(s.Ops[order[k]].Outputs)
		slices.Sort(results)
		for _, t := range results {
			number(t)
		}
	}
	for t := range out {
		number(t)
	}
	return out
}

// agrees reports whether the lives of the last order, which is o, are those of
// the table that the pipeline makes of it.
func (l *lives) agrees(lt *graph.Lifetimes) bool {
	type life struct {
		size         int64
		lower, upper int64
	}
	compare := func(a, b life) int {
		return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.lower, b.lower), cmp.Compare(a.upper, b.upper))
	}
	var mine, theirs []life
	for r, size := range l.size {
		if l.lower[r] < l.upper[r] {
			mine = append(mine, life{size, int64(l.lower[r]), int64(l.upper[r])})
		}
	}
	for _, b := range lt.Table.Buffers {
		theirs = append(theirs, life{b.Size, b.Lower, b.Upper})
	}
	slices.SortFunc(mine, compare)
	slices.SortFunc(theirs, compare)
	return slices.Equal(mine, theirs)
}
