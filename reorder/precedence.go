package reorder

import (
	"context"
	"fmt"

	"github.com/arenalab/arenalab/graph"
)

// checkEvery is how many operators are taken between looks at the context.
const checkEvery = 1024

// begin refuses what no reorderer can work on.
func begin(ctx context.Context, s *graph.Subgraph) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(s.Before) != len(s.Ops) || len(s.Producer) != len(s.Tensors) || len(s.Consumers) != len(s.Tensors) {
		return fmt.Errorf("subgraph %d %q is not linked", s.Index, s.Name)
	}
	return nil
}

// successors is the inverse of Subgraph.Before: those of operator i are
// list[from[i]:from[i+1]], ascending.
type successors struct {
	from, list []int
}

func newSuccessors(s *graph.Subgraph) successors {
	n := len(s.Ops)
	from := make([]int, n+2)
	for _, before := range s.Before {
		for _, p := range before {
			from[p+2]++
		}
	}
	for i := range n {
		from[i+2] += from[i+1]
	}
	list := make([]int, from[n+1])
	for i, before := range s.Before {
		for _, p := range before {
			list[from[p+1]] = i
			from[p+1]++
		}
	}
	return successors{from[:n+1], list}
}

func (s successors) of(i int) []int { return s.list[s.from[i]:s.from[i+1]] }

// waiting returns by operator how many others must run before it.
func waiting(s *graph.Subgraph) []int {
	out := make([]int, len(s.Before))
	for i, before := range s.Before {
		out[i] = len(before)
	}
	return out
}
