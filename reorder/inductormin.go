package reorder

// Inductor reorders for peak memory by trying three orders beside that of the
// file, LPMF, BFS and DFS, and taking the one of the least peak.
//
// Complexity: O(n w + m log m) for w operators ready at a time.
//
// Reference: reorder_for_peak_memory in torch/_inductor/memory.py,
// pytorch/pytorch at commit a900a4db.
//
// Rule: of equal peaks the order of the file is taken before LPMF before BFS
// before DFS.
//
// Departures: those of the three. A peak is that of the profile, which may have
// results in the place of operands.

import (
	"context"

	"github.com/arenalab/arenalab/graph"
)

type inductorMin struct{}

func (inductorMin) Info() Info {
	return Info{
		Name:       "inductor-min",
		Title:      "Inductor",
		Summary:    "the best of the stored order, inductor-lpmf, inductor-bfs and inductor-dfs",
		Reference:  "reorder_for_peak_memory, " + inductorSource,
		Complexity: "O(n w + m log m), w operators ready at a time",
		Guarantee:  "peak at most that of the stored order",
	}
}

func (inductorMin) Order(ctx context.Context, m *graph.Memory, o Options) (graph.Order, error) {
	return least(ctx, m, o, "inductor-min", stored{}, inductorLPMF{}, inductorBFS{}, inductorDFS{})
}
