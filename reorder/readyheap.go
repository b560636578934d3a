package reorder

// entry is a ready operator with its keys, the more important first.
type entry struct {
	net       int64 // bytes allocated less bytes freed
	allocates int64
	op        int
}

func (a entry) before(b entry) bool {
	switch {
	case a.net != b.net:
		return a.net < b.net
	case a.allocates != b.allocates:
		return a.allocates < b.allocates
	}
	return a.op < b.op
}

type readyHeap = binaryHeap[entry]

// ranked values know which of two comes first.
type ranked[E any] interface{ before(E) bool }

// binaryHeap is a binary heap, the first entry first.
type binaryHeap[E ranked[E]] []E

func (h *binaryHeap[E]) push(e E) {
	s := append(*h, e)
	i := len(s) - 1
	for ; i > 0 && e.before(s[(i-1)/2]); i = (i - 1) / 2 {
		s[i] = s[(i-1)/2]
	}
	s[i] = e
	*h = s
}

func (h *binaryHeap[E]) pop() E {
	s := *h
	first, e := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	if len(s) == 0 {
		return first
	}
	i := 0
	for {
		child := 2*i + 1
		if child+1 < len(s) && s[child+1].before(s[child]) {
			child++
		}
		if child >= len(s) || !s[child].before(e) {
			break
		}
		s[i], i = s[child], child
	}
	s[i] = e
	return first
}
