package strategies

// The treap of holes: a search tree in the order of before, a heap in the
// random priorities, so of depth O(log n) whatever the order of insertions.

func (h *blockHeap) before(x, y int32) bool {
	a, b := &h.blocks[x], &h.blocks[y]
	if h.bySize && a.size != b.size {
		return a.size < b.size
	}
	if h.highest {
		return a.offset > b.offset
	}
	return a.offset < b.offset
}

func (h *blockHeap) insert(x int32) {
	h.random ^= h.random << 13 // xorshift32
	h.random ^= h.random >> 17
	h.random ^= h.random << 5
	b := &h.blocks[x]
	b.hole, b.left, b.right, b.priority = true, 0, 0, h.random
	b.widest = b.size
	h.root = h.insertBelow(h.root, x)
}

func (h *blockHeap) insertBelow(root, x int32) int32 {
	if root == 0 {
		return x
	}
	r := &h.blocks[root]
	switch {
	case h.blocks[x].priority > r.priority:
		l, g := h.split(root, x)
		h.blocks[x].left, h.blocks[x].right = l, g
		h.update(x)
		return x
	case h.before(x, root):
		r.left = h.insertBelow(r.left, x)
	default:
		r.right = h.insertBelow(r.right, x)
	}
	h.update(root)
	return root
}

func (h *blockHeap) remove(x int32) {
	h.blocks[x].hole = false
	h.root = h.removeBelow(h.root, x)
}

func (h *blockHeap) removeBelow(root, x int32) int32 {
	r := &h.blocks[root]
	switch {
	case root == x:
		return h.join(r.left, r.right)
	case h.before(x, root):
		r.left = h.removeBelow(r.left, x)
	default:
		r.right = h.removeBelow(r.right, x)
	}
	h.update(root)
	return root
}

// split parts the subtree into what is before x and what is not.
func (h *blockHeap) split(root, x int32) (less, rest int32) {
	if root == 0 {
		return 0, 0
	}
	r := &h.blocks[root]
	if h.before(root, x) {
		less, rest = h.split(r.right, x)
		r.right = less
		h.update(root)
		return root, rest
	}
	less, rest = h.split(r.left, x)
	r.left = rest
	h.update(root)
	return less, root
}

// join merges two subtrees, all of l before all of r.
func (h *blockHeap) join(l, r int32) int32 {
	switch {
	case l == 0:
		return r
	case r == 0:
		return l
	}
	a, b := &h.blocks[l], &h.blocks[r]
	if a.priority > b.priority {
		a.right = h.join(a.right, r)
		h.update(l)
		return l
	}
	b.left = h.join(l, b.left)
	h.update(r)
	return r
}

func (h *blockHeap) update(x int32) {
	b := &h.blocks[x]
	b.widest = max(b.size, h.blocks[b.left].widest, h.blocks[b.right].widest)
}
