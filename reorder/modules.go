package reorder

import (
	"math/bits"
	"slices"

	"github.com/arenalab/arenalab/graph"
)

// modules takes a graph apart where all orders allow it: into stretches that
// run one after the other, and into groups that do not wait for each other.
type modules struct {
	m      *graph.Memory
	next   successors
	words  int
	before []uint64 // by operator: the set of those that run before it
	after  []uint64 // and of those that run after it
	inside opset    // scratch: the operators being split
	group  []int    // scratch: by operator
}

// newModules needs n^2/4 bytes.
func newModules(m *graph.Memory) *modules {
	n := len(m.Ops)
	s := &modules{m: m, next: newSuccessors(m), words: (n + 63) / 64, group: make([]int, n)}
	s.before, s.after = make([]uint64, n*s.words), make([]uint64, n*s.words)
	s.inside = make(opset, s.words)
	for i := range n {
		set := s.of(s.before, i)
		for _, p := range m.Before[i] {
			union(set, s.of(s.before, p))
			set.add(p)
		}
	}
	for i := n - 1; i >= 0; i-- {
		set := s.of(s.after, i)
		for _, k := range s.next.of(i) {
			union(set, s.of(s.after, k))
			set.add(k)
		}
	}
	return s
}

func (s *modules) of(sets []uint64, i int) opset { return sets[i*s.words : (i+1)*s.words] }

func union(a, b opset) {
	for w, word := range b {
		a[w] |= word
	}
}

// common returns how many operators are in both sets.
func common(a, b opset) (n int) {
	for w, word := range b {
		n += bits.OnesCount64(a[w] & word)
	}
	return n
}

// series splits operators, ascending, into the most stretches of which each
// runs after the one before in every order.
func (s *modules) series(ops []int) [][]int {
	type counted struct{ op, before, after int }
	clear(s.inside)
	for _, i := range ops {
		s.inside.add(i)
	}
	list := make([]counted, len(ops))
	for k, i := range ops {
		list[k] = counted{i, common(s.inside, s.of(s.before, i)), common(s.inside, s.of(s.after, i))}
	}
	slices.SortStableFunc(list, func(a, b counted) int { return a.before - b.before })
	// A cut after k operators is one if all k(n-k) pairs across it are ordered.
	var parts [][]int
	ordered, from := 0, 0
	for k, c := range list {
		ordered += c.after - c.before
		if ordered == (k+1)*(len(list)-k-1) {
			part := make([]int, 0, k+1-from)
			for _, c := range list[from : k+1] {
				part = append(part, c.op)
			}
			slices.Sort(part)
			parts = append(parts, part)
			from = k + 1
		}
	}
	return parts
}

// parallel splits operators, ascending, into the most groups that do not wait
// for each other, by their first operators.
func (s *modules) parallel(ops []int) [][]int {
	for _, i := range ops {
		s.group[i] = -1
	}
	clear(s.inside)
	for _, i := range ops {
		s.inside.add(i)
	}
	var parts [][]int
	var stack []int
	for _, i := range ops {
		if s.group[i] >= 0 {
			continue
		}
		g := len(parts)
		parts = append(parts, nil)
		s.group[i] = g
		stack = append(stack[:0], i)
		for len(stack) > 0 {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			parts[g] = append(parts[g], top)
			for _, near := range [2][]int{s.m.Before[top], s.next.of(top)} {
				for _, k := range near {
					if s.inside.has(k) && s.group[k] < 0 {
						s.group[k] = g
						stack = append(stack, k)
					}
				}
			}
		}
		slices.Sort(parts[g])
	}
	return parts
}
