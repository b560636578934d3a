package exact

import (
	"context"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

// Clip returns a table of what the buffers of t are in the steps [lower, upper),
// without those that take nothing then, and the positions in t of the others.
func Clip(t *lifetime.Table, lower, upper int64) (*lifetime.Table, []int) {
	out := &lifetime.Table{Name: t.Name}
	var kept []int
	for i := range t.Buffers {
		b := t.Buffers[i]
		b.Lower, b.Upper = max(b.Lower, lower), min(b.Upper, upper)
		if b.Lower >= b.Upper {
			continue
		}
		b.Gaps = nil
		for _, g := range t.Buffers[i].Gaps {
			if g.Lower, g.Upper = max(g.Lower, lower), min(g.Upper, upper); g.Lower < g.Upper {
				b.Gaps = append(b.Gaps, g)
			}
		}
		if occupies(&b) {
			out.Buffers, kept = append(out.Buffers, b), append(kept, i)
		}
	}
	return out, kept
}

// FindWindow returns a short run of steps [lower, upper) in which the table, of
// which it is known, does not fit into the capacity: what refutes a capacity is
// mostly near in time. It leaves out steps from both ends as long as the rest is
// proven not to fit, within the decisions of the options for each proof and
// windowProofs times as many in all. It obeys ctx by leaving out no more.
func FindWindow(ctx context.Context, t *lifetime.Table, capacity int64, o Options) (lower, upper int64) {
	steps := births(t)
	_, end := t.Span()
	steps = append(steps, end)
	from, to := 0, len(steps)-1
	var used int64
	blocks := func(from, to int) bool {
		if ctx.Err() != nil || o.Decisions > 0 && used >= windowProofs*o.Decisions {
			return false
		}
		part, _ := Clip(t, steps[from], steps[to])
		got, status, err := Feasible(ctx, part, capacity, Options{Seed: o.Seed, Decisions: o.Decisions})
		used += got.Stats.Decisions
		return err == nil && status == lifetime.Infeasible
	}
	for step := (to - from) / 2; step > 0; step /= 2 {
		for from+step < to && blocks(from+step, to) {
			from += step
		}
		for to-step > from && blocks(from, to-step) {
			to -= step
		}
	}
	return steps[from], steps[to]
}

const windowProofs = 8

// births returns the steps at which something is born or comes back from a gap,
// ascending.
func births(t *lifetime.Table) []int64 {
	var out []int64
	for _, p := range t.Pieces() {
		out = append(out, p.Lower)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
