package bound_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies/bound"
)

// aboveLoad returns a small table whose smallest arena may be above its load:
// the seven buffers, some of them changed, with a few others, pins, gaps and
// alignments mixed in.
func aboveLoad(r *rand.Rand) *lifetime.Table {
	seed := [][3]int64{{1, 3, 3}, {2, 5, 1}, {3, 4, 2}, {3, 6, 2}, {4, 8, 1}, {5, 6, 2}, {6, 7, 3}}
	t := &lifetime.Table{}
	scale := 1 + r.Int64N(2)
	for _, s := range seed {
		t.Buffers = append(t.Buffers, lifetime.Buffer{Lower: s[0], Upper: s[1], Size: s[2] * scale})
	}
	for range r.IntN(3) {
		lower := r.Int64N(8)
		t.Buffers = append(t.Buffers, lifetime.Buffer{Lower: lower, Upper: lower + 1 + r.Int64N(3), Size: 1 + r.Int64N(2)})
	}
	for range r.IntN(4) {
		b := &t.Buffers[r.IntN(len(t.Buffers))]
		switch r.IntN(5) {
		case 0:
			b.Size = max(1, b.Size+r.Int64N(3)-1)
		case 1:
			b.Align = 1 << r.IntN(3)
		case 2:
			b.Fixed = at(r.Int64N(4) * b.Alignment())
		case 3:
			b.Upper += r.Int64N(2)
		case 4:
			if b.Upper-b.Lower > 2 && b.Gaps == nil {
				g := lifetime.Gap{Lower: b.Lower + 1, Upper: b.Lower + 2}
				if b.Size > 1 && r.IntN(2) == 0 {
					g.Keep = &lifetime.Window{Lower: r.Int64N(b.Size - 1), Upper: b.Size}
				}
				b.Gaps = []lifetime.Gap{g}
			}
		}
		if b.Fixed != nil {
			*b.Fixed = lifetime.AlignUp(*b.Fixed, b.Alignment())
		}
	}
	return t
}

// mutated returns the bound with one or two things changed.
func mutated(r *rand.Rand, b *lifetime.Bound, t *lifetime.Table) *lifetime.Bound {
	m := *b
	m.Buffers, m.Removals, m.Tree = slices.Clone(b.Buffers), slices.Clone(b.Removals), slices.Clone(b.Tree)
	for range 1 + r.IntN(2) {
		switch r.IntN(9) {
		case 0:
			m.Value += 1 + r.Int64N(3)
		case 1:
			m.Kind = []lifetime.BoundKind{lifetime.BoundLoad, lifetime.BoundSingleton, lifetime.BoundOrderTree, lifetime.BoundSweep, ""}[r.IntN(5)]
		case 2:
			m.Capacity += 1 + r.Int64N(2)
			if r.IntN(2) == 0 {
				m.Value = m.Capacity + 1
			}
		case 3:
			m.Lower += r.Int64N(5) - 2
		case 4:
			m.Upper += r.Int64N(5) - 2
		case 5:
			if m.Kind != lifetime.BoundSweep {
				continue
			}
			m.Backward = !m.Backward
		case 6:
			if k := r.IntN(len(m.Buffers)); r.IntN(2) == 0 && len(m.Buffers) > 1 {
				m.Buffers = slices.Delete(m.Buffers, k, k+1)
			} else {
				m.Buffers[k] = r.IntN(len(t.Buffers)+2) - 1
			}
		case 7, 8:
			mutateRemovals(r, &m, t)
			mutateTree(r, &m, t)
		}
	}
	return &m
}

func mutateRemovals(r *rand.Rand, m *lifetime.Bound, t *lifetime.Table) {
	if len(m.Removals) == 0 {
		return
	}
	switch k := r.IntN(len(m.Removals)); r.IntN(5) {
	case 0:
		m.Removals = slices.Delete(m.Removals, k, k+1)
	case 1:
		m.Removals[k].Buffer = r.IntN(len(t.Buffers))
	case 2:
		m.Removals[k].Offset += r.Int64N(5) - 2
	case 3:
		m.Removals = slices.Insert(m.Removals, k, lifetime.Removal{Buffer: r.IntN(len(t.Buffers)), Offset: r.Int64N(6)})
	case 4:
		j := r.IntN(len(m.Removals))
		m.Removals[j], m.Removals[k] = m.Removals[k], m.Removals[j]
	}
}

func mutateTree(r *rand.Rand, m *lifetime.Bound, t *lifetime.Table) {
	if len(m.Tree) == 0 {
		return
	}
	leaf := lifetime.Branch{Below: -1, Above: -1}
	pair := lifetime.Branch{Below: r.IntN(len(t.Buffers)), Above: r.IntN(len(t.Buffers))}
	switch k := r.IntN(len(m.Tree)); r.IntN(6) {
	case 0:
		m.Tree = slices.Delete(m.Tree, k, k+1)
	case 1:
		m.Tree[k] = leaf
	case 2:
		m.Tree[k] = pair
	case 3:
		m.Tree = slices.Insert(m.Tree, k, pair)
	case 4: // a shorter tree: all of a subtree is said to be a contradiction
		m.Tree = append(m.Tree[:k:k], leaf)
	case 5:
		m.Tree[k].Below, m.Tree[k].Above = m.Tree[k].Above, m.Tree[k].Below
	}
}

// room is what fits reports, with the bytes of a step as the bits of a word, for arenas of up
// to 64 bytes.
func room(t *lifetime.Table, capacity int64) bool {
	lower, upper := t.Span()
	taken := make([]uint64, upper-lower)
	var place func(i int) bool
	place = func(i int) bool {
		if i == len(t.Buffers) {
			return true
		}
		b := &t.Buffers[i]
		shape := make([]uint64, len(taken))
		for step := b.Lower; step < b.Upper; step++ {
			bits := uint64(1)<<b.Size - 1
			for _, g := range b.Gaps {
				if g.Lower <= step && step < g.Upper {
					bits = 0
					if g.Keep != nil {
						bits = 1<<g.Keep.Upper - 1<<g.Keep.Lower
					}
				}
			}
			shape[step-lower] = bits
		}
		for off := int64(0); off+b.Size <= capacity; off += b.Alignment() {
			free := b.Fixed == nil || *b.Fixed == off
			for k, bits := range shape {
				free = free && taken[k]&(bits<<off) == 0
			}
			if !free {
				continue
			}
			for k, bits := range shape {
				taken[k] |= bits << off
			}
			if place(i + 1) {
				return true
			}
			for k, bits := range shape {
				taken[k] &^= bits << off
			}
		}
		return false
	}
	return place(0)
}

// clippedTable returns the buffers of a witness as far as they live in its
// steps.
func clippedTable(t *lifetime.Table, b *lifetime.Bound) *lifetime.Table {
	out := &lifetime.Table{}
	for _, i := range b.Buffers {
		buf := t.Buffers[i]
		buf.Lower, buf.Upper = max(buf.Lower, b.Lower), min(buf.Upper, b.Upper)
		out.Buffers = append(out.Buffers, buf) // gaps outside do no harm to room
	}
	return out
}

// TestMutatedCertificates changes certificates in all their fields. What is
// accepted nevertheless has to be true, as trying all plans of what the
// certificate speaks of shows.
func TestMutatedCertificates(t *testing.T) {
	trials := 10_000
	if os.Getenv("ARENALAB_SLOW") != "" {
		trials = 200_000
	}
	r := rand.New(rand.NewPCG(7, 7))
	certificates, kinds := 0, map[lifetime.BoundKind]int{}
	accepted, rejected := map[lifetime.BoundKind]int{}, map[lifetime.BoundKind]int{}
	for done := 0; done < trials; {
		table := aboveLoad(r)
		load := bound.Lower(table, 0).Value
		if load > 14 || room(table, load) {
			continue
		}
		for _, b := range bound.Certificates(t.Context(), table, load) {
			certificates++
			kinds[b.Kind]++
			if err := lifetime.CheckBound(table, b); err != nil || room(table, b.Value-1) {
				t.Fatalf("%+v of %+v: %v", *b, table.Buffers, err)
			}
			for range 20 {
				m := mutated(r, b, table)
				done++
				if lifetime.CheckBound(table, m) != nil {
					rejected[b.Kind]++
					continue
				}
				accepted[b.Kind]++
				if m.Kind != lifetime.BoundLoad && room(clippedTable(table, m), m.Value-1) || room(table, m.Value-1) {
					t.Fatalf("accepted %+v, which is not true\nmade of %+v\nof %+v", *m, *b, table.Buffers)
				}
			}
		}
	}
	t.Logf("%d certificates %v; mutated: rejected %v, accepted and true %v", certificates, kinds, rejected, accepted)
	for _, k := range []lifetime.BoundKind{lifetime.BoundSingleton, lifetime.BoundOrderTree, lifetime.BoundSweep} {
		if kinds[k] < 50 || rejected[k] < 500 || accepted[k] < 50 {
			t.Errorf("%s: %d certificates, %d rejected, %d accepted: the test does not tell", k, kinds[k], rejected[k], accepted[k])
		}
	}
}
