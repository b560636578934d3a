package strategies

import (
	"cmp"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/lifetime"
	"pgregory.net/rapid"
)

// plainNode is a node of the tree of a pool, in plain words: a buffer, empty
// space, a list of nodes that follow each other in time, or two in space.
type plainNode struct {
	buffer      *lifetime.Buffer
	at          *int64 // where the offset of the buffer goes
	empty       int64
	list        []*plainNode
	left, right *plainNode
}

func (n *plainNode) hint(align int64) int64 {
	switch {
	case n.buffer != nil:
		return n.buffer.Size
	case n.left != nil:
		return lifetime.AlignUp(n.left.hint(align), align) + n.right.hint(align)
	}
	size := n.empty
	for _, m := range n.list {
		size = max(size, m.hint(align))
	}
	return size
}

func (n *plainNode) meets(b *lifetime.Buffer) bool {
	if n.buffer != nil {
		return n.buffer.Overlaps(b)
	}
	meets := func(m *plainNode) bool { return m.meets(b) }
	return slices.ContainsFunc(n.list, meets) || n.left != nil && (meets(n.left) || meets(n.right))
}

func (n *plainNode) put(leaf *plainNode, align int64, last bool) bool {
	if n.buffer != nil || n.empty > 0 {
		return false
	}
	if n.left != nil {
		return n.left.put(leaf, align, false) || n.right.put(leaf, align, last)
	}
	slot, size := n.hint(align), leaf.buffer.Size
	if !last && size > slot {
		return false
	}
	var met []*plainNode
	for _, m := range n.list {
		if m.meets(leaf.buffer) {
			met = append(met, m)
		}
	}
	if len(met) > 0 {
		return len(met) == 1 && met[0].put(leaf, align, last)
	}
	if len(n.list) == 1 && n.list[0].empty > 0 {
		n.list = nil
	}
	if slot > size {
		leaf = plainSplit(leaf, slot-size)
	} else if size > slot {
		for i, m := range n.list {
			n.list[i] = plainSplit(m, size-slot)
		}
	}
	n.list = append(n.list, leaf)
	return true
}

func plainSplit(left *plainNode, rest int64) *plainNode {
	return &plainNode{
		left:  &plainNode{list: []*plainNode{left}},
		right: &plainNode{list: []*plainNode{{empty: rest}}},
	}
}

// size returns the bytes the node takes, and sets the offsets in it.
func (n *plainNode) size(align, base int64) int64 {
	if n.buffer != nil {
		*n.at = base
		return n.buffer.Size
	}
	if n.left != nil {
		left := lifetime.AlignUp(n.left.size(align, base), align)
		return left + n.right.size(align, base+left)
	}
	most := int64(0)
	for _, m := range n.list {
		most = max(most, m.size(align, base))
	}
	return most
}

func plainInductor(t *lifetime.Table) []int64 {
	offsets := make([]int64, len(t.Buffers))
	var leaves []*plainNode
	align := int64(1)
	for i := range t.Buffers {
		if b := &t.Buffers[i]; b.Size > 0 {
			leaves = append(leaves, &plainNode{buffer: b, at: &offsets[i]})
			align = max(align, b.Align)
		}
	}
	slices.SortStableFunc(leaves, func(a, b *plainNode) int {
		x, y := a.buffer, b.buffer
		return cmp.Or(cmp.Compare(y.Size, x.Size), cmp.Compare(y.Upper-y.Lower, x.Upper-x.Lower))
	})
	root := &plainNode{}
	for _, leaf := range leaves {
		if !root.put(leaf, align, true) {
			top := &plainNode{list: []*plainNode{leaf}}
			root = &plainNode{list: []*plainNode{{left: root, right: top}}}
		}
	}
	root.size(align, 0)
	return offsets
}

func TestInductorEqualsPlainWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := shapeOf{
			buffers: rapid.SampledFrom([]int{8, 50, 100}).Draw(t, "buffers"),
			steps:   rapid.SampledFrom([]int64{8, 14, 60}).Draw(t, "steps"),
			align:   -1, sizes: 60,
		}
		if rapid.Bool().Draw(t, "alike") {
			shape.sizes = 5
		}
		equalPlain(t, inductor{}, randomTable(t, shape), plainInductor)
	})
	equalPlain(t, inductor{}, large(700), plainInductor)
}

// The pool begins above the given offsets that it does not fit below.
func TestInductorKeepsPins(t *testing.T) {
	table := closed(16, [3]int64{20, 0, 1}, [3]int64{4, 1, 2}, [3]int64{4, 1, 2})
	for _, test := range []struct {
		fixed int64
		want  []int64
	}{
		{16, []int64{32, 16, 64}}, // the two are split in space at 32
		{48, []int64{0, 48, 32}},
	} {
		table.Buffers[1].Fixed = pin(test.fixed)
		plan, err := inductor{}.Plan(t.Context(), table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(plan.Offsets, test.want) {
			t.Errorf("%v, want %v", plan.Offsets, test.want)
		}
	}
}
