package strategies

import "sort"

// stabber finds the items that are live at a step, each once.
type stabber struct {
	items []item
	last  []int64 // tree over the items, ascending by lower: the largest upper
	leafs int
}

// newStabber takes items that ascend in lower.
func newStabber(items []item) *stabber {
	s := &stabber{items: items, leafs: 1}
	for s.leafs < len(items) {
		s.leafs *= 2
	}
	s.last = make([]int64, 2*s.leafs)
	for i := range s.last {
		s.last[i] = -1
	}
	for k := range items {
		s.last[s.leafs+k] = items[k].upper
	}
	for i := s.leafs - 1; i > 0; i-- {
		s.last[i] = max(s.last[2*i], s.last[2*i+1])
	}
	return s
}

// take calls found for the items live at the step and forgets them.
func (s *stabber) take(step int64, found func(k int)) {
	born := sort.Search(len(s.items), func(k int) bool { return s.items[k].lower > step })
	s.visit(1, s.leafs, 0, born, step, found)
}

func (s *stabber) visit(node, width, first, born int, step int64, found func(k int)) {
	if first >= born || s.last[node] <= step {
		return
	}
	if width == 1 {
		s.last[node] = -1
		found(first)
		return
	}
	width /= 2
	s.visit(2*node, width, first, born, step, found)
	s.visit(2*node+1, width, first+width, born, step, found)
	s.last[node] = max(s.last[2*node], s.last[2*node+1])
}
