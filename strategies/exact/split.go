package exact

import (
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

// parts is a table taken apart: what is left to search, and the offsets of the
// buffers that are not.
type parts struct {
	list    []*problem
	offsets []int64 // of all buffers; those in list are not set
	arena   int64   // bytes that the buffers outside list need
	highest []int   // the buffers that stand on each other as high as that
}

// split takes the table apart where no life crosses, and takes out the buffers
// whose place does not matter.
func split(t *lifetime.Table) (*parts, error) {
	ps := &parts{offsets: make([]int64, len(t.Buffers))}
	order := make([]int, 0, len(t.Buffers))
	for i := range t.Buffers {
		b := &t.Buffers[i]
		if occupies(b) {
			order = append(order, i)
			continue
		}
		ps.offsets[i] = max(0, offset(b))
		ps.note(ps.offsets[i]+b.Size, []int{i})
	}
	slices.SortFunc(order, func(i, j int) int { return canonical(t, i, j) })
	if err := ps.add(t, order, 0, nil); err != nil {
		return nil, err
	}
	return ps, nil
}

// occupies reports whether the buffer ever takes a byte from others.
func occupies(b *lifetime.Buffer) bool {
	at := b.Lower
	for _, g := range b.Gaps {
		if g.Keep != nil || at < g.Lower {
			return b.Size > 0
		}
		at = g.Upper
	}
	return b.Size > 0 && at < b.Upper
}

// note records the end of a stack of buffers.
func (ps *parts) note(end int64, stack []int) {
	if end > ps.arena {
		ps.arena, ps.highest = end, stack
	}
}

// add splits the ordered buffers, which lie above base bytes, the sum of those
// below.
func (ps *parts) add(t *lifetime.Table, order []int, base int64, below []int) error {
	for _, group := range regroup(t, order) {
		if i := peelable(t, group); i >= 0 {
			b := group[i]
			end, stack := base+t.Buffers[b].Size, append(slices.Clone(below), b)
			ps.offsets[b] = base
			ps.note(end, stack)
			if err := ps.add(t, slices.Delete(slices.Clone(group), i, i+1), end, stack); err != nil {
				return err
			}
			continue
		}
		p, err := compile(t, group)
		if err != nil {
			return err
		}
		p.base, p.below = base, below
		ps.list = append(ps.list, p)
	}
	return nil
}

// regroup splits the ordered buffers where no life crosses.
func regroup(t *lifetime.Table, order []int) (groups [][]int) {
	start, end := 0, int64(0)
	for k, i := range order {
		b := &t.Buffers[i]
		if k > start && b.Lower >= end {
			groups = append(groups, order[start:k:k])
			start = k
		}
		if k == start {
			end = b.Upper
		}
		end = max(end, b.Upper)
	}
	if start < len(order) {
		groups = append(groups, order[start:])
	}
	return groups
}

// peelable returns the place in the group of a buffer that may lie at the
// bottom, or -1. It is live together with each other buffer, so what lies below
// it can move up by its size and it down: everything stays aligned if the size
// is a multiple of all alignments, and nothing ends higher. Where offsets are
// fixed or lives have gaps there is none.
func peelable(t *lifetime.Table, group []int) int {
	align := int64(1)
	late, early := t.Buffers[group[0]].Lower, t.Buffers[group[0]].Upper // the last birth, the first death
	for _, i := range group {
		b := &t.Buffers[i]
		if b.Fixed != nil || len(b.Gaps) > 0 {
			return -1
		}
		align = max(align, b.Alignment())
		late, early = max(late, b.Lower), min(early, b.Upper)
	}
	for k, i := range group {
		if b := &t.Buffers[i]; b.Lower < early && b.Upper > late && b.Size%align == 0 {
			return k
		}
	}
	return -1
}
