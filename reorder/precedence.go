package reorder

import (
	"context"
	"errors"

	"github.com/arenalab/arenalab/graph"
)

// checkEvery is how many operators are taken between looks at the context.
const checkEvery = 1024

// begin refuses what no reorderer can work on.
func begin(ctx context.Context, m *graph.Memory) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if m == nil || m.Subgraph == nil || len(m.Before) != len(m.Ops) {
		return errors.New("memory of no subgraph")
	}
	return nil
}

// successors is the inverse of Memory.Before: those of operator i are
// list[from[i]:from[i+1]], ascending.
type successors struct {
	from, list []int
}

func newSuccessors(m *graph.Memory) successors {
	n := len(m.Ops)
	from := make([]int, n+2)
	for _, before := range m.Before {
		for _, p := range before {
			from[p+2]++
		}
	}
	for i := range n {
		from[i+2] += from[i+1]
	}
	list := make([]int, from[n+1])
	for i, before := range m.Before {
		for _, p := range before {
			list[from[p+1]] = i
			from[p+1]++
		}
	}
	return successors{from[:n+1], list}
}

func (s successors) of(i int) []int { return s.list[s.from[i]:s.from[i+1]] }

// waiting returns by operator how many others must run before it.
func waiting(m *graph.Memory) []int {
	out := make([]int, len(m.Before))
	for i, before := range m.Before {
		out[i] = len(before)
	}
	return out
}
