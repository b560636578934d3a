package report

import (
	"fmt"
	"strings"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/report/internal/table"
)

// mostExact is how many models of a block are answered for one by one.
const mostExact = 3

// needs answers, to the byte, how large the arena of a model must be: with the
// runtime's own strategy and with the best, what is live at most, and what is
// kept outside of it.
func (b *block) needs(r *row) []note {
	own := r.safe(b.reference())
	var best *bench.Record
	for _, c := range b.columns {
		if rec := r.safe(c.strategy); rec != nil && rec.ArenaBytes == r.best {
			best = rec
		}
	}
	if best == nil {
		return nil
	}
	text := fmt.Sprintf("%s in bytes: ", r.name)
	if own != nil && own.ArenaBytes > best.ArenaBytes {
		text += fmt.Sprintf("arena %s with %s, %s with %s", exact(own.ArenaBytes), table.Clean(own.Strategy), exact(best.ArenaBytes), table.Clean(best.Strategy))
	} else {
		if own != nil {
			best = own
		}
		text += fmt.Sprintf("arena %s with %s", exact(best.ArenaBytes), table.Clean(best.Strategy))
	}
	parts := []string{text, "peak live " + exact(best.PeakLiveBytes)}
	if best.PersistentBytes > 0 {
		parts = append(parts, fmt.Sprintf("persistent, outside the arena, %s", exact(best.PersistentBytes)))
	}
	return []note{{text: strings.Join(parts, "; ")}}
}

// besides says what else must fit into the memory that a program reserves.
func (b *block) besides() []note {
	if b.profile != "tflm" {
		return nil
	}
	return []note{{text: "kTensorArenaSize: TFLite-Micro takes persistent bytes and structures of its own, " +
		"which depend on kernels and target, from the same memory; add them to the arena"}}
}
