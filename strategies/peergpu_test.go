package strategies

import (
	"os"
	"testing"

	"github.com/arenalab/arenalab/lifetime"
)

// gpuPeers are the strategies of the GPU delegate by their names among the
// recordings.
var gpuPeers = map[string]Strategy{
	"gpu_size_off": gpuGreedyBySize{},
	"gpu_breadth":  gpuGreedyByBreadth{},
	"gpu_size_obj": gpuSizeDistance{},
	"gpu_inorder":  gpuInOrder{},
	"gpu_mcf":      gpuMinCostFlow{},
	"gpu_equality": gpuEquality{},
}

// The planners of TFLite's GPU delegate take as much memory as the original and
// put every buffer at the same offset by their own rule for ties, on every
// recorded row. The recordings sorted stably; how many rows another library's
// sort would have left the same is logged.
func TestGPUPeers(t *testing.T) {
	tables := map[string]*lifetime.Table{}
	for _, file := range data(t, "tables/*.csv") {
		table := readTable(t, file)
		tables[table.Name] = table
	}
	type count struct{ rows, native, gnu int }
	counts := map[string]*count{}
	slow := os.Getenv("ARENALAB_SLOW") != ""
	for _, p := range peers(t) {
		s := gpuPeers[p.algorithm]
		table := tables[p.table]
		if s == nil || table == nil {
			continue
		}
		if len(table.Buffers) > 10000 && !slow {
			continue
		}
		c := counts[p.algorithm]
		if c == nil {
			c = &count{}
			counts[p.algorithm] = c
		}
		c.rows++
		for _, rule := range []TieRule{TiesNative, TiesLibstdcxx} {
			plan, err := s.Plan(t.Context(), table, Options{Align: p.align, Ties: Ties{Rule: rule}})
			if err != nil {
				t.Fatalf("%s by %s: %v", p.table, p.algorithm, err)
			}
			same := plan.Arena == p.arena && hash(plan.Offsets) == p.hash
			switch {
			case rule == TiesNative && same:
				c.native++
			case rule == TiesNative:
				t.Errorf("%s by %s, alignment %d: %d bytes, peer %d, or offsets differ", p.table, p.algorithm, p.align, plan.Arena, p.arena)
			case same:
				c.gnu++
			}
		}
	}
	for name := range gpuPeers {
		c := counts[name]
		if c == nil || c.rows == 0 {
			t.Errorf("no row of %s", name)
			continue
		}
		t.Logf("%s: %d rows, %d of equal size and offsets; with ties as libstdc++ leaves them %d", name, c.rows, c.native, c.gnu)
	}
}
