package strategies

import "slices"

// column is a number that an order compares, ascending.
type column func(it *item) uint64

// Below this many items a comparison sort takes less time than a radix sort.
const radixLeast = 256

// arrange orders the items by less, which tells any two apart. The columns, if
// there are any, must be a prefix of that order: items are first sorted by
// them, one after the other, with a radix sort, and compared only where all
// are equal.
func arrange(items []item, columns []column, order func(a, b *item) int) {
	s := arranger{items: items, order: order, refs: make([]ref, len(items))}
	for i := range s.refs {
		s.refs[i].pos = int32(i)
	}
	if len(columns) > 0 && len(items) > radixLeast {
		s.spare = make([]ref, len(items))
	} else {
		columns = nil
	}
	if s.sorted(s.refs) {
		return
	}
	s.sort(s.refs, s.spare, columns)
	out := make([]item, len(items))
	for i, r := range s.refs {
		out[i] = items[r.pos]
	}
	copy(items, out)
}

type arranger struct {
	items       []item
	order       func(a, b *item) int
	refs, spare []ref
}

// ref stands for an item, with its value in one column.
type ref struct {
	key uint64
	pos int32
}

func (s *arranger) compare(a, b ref) int { return s.order(&s.items[a.pos], &s.items[b.pos]) }

func (s *arranger) sorted(refs []ref) bool {
	for i := 1; i < len(refs); i++ {
		if s.compare(refs[i-1], refs[i]) > 0 {
			return false
		}
	}
	return true
}

// sort orders the references, with spare memory of the same length.
func (s *arranger) sort(refs, spare []ref, columns []column) {
	if len(columns) == 0 || len(refs) <= radixLeast {
		slices.SortFunc(refs, s.compare)
		return
	}
	low, high := uint64(1<<64-1), uint64(0)
	for i := range refs {
		k := columns[0](&s.items[refs[i].pos])
		refs[i].key = k
		low, high = min(low, k), max(high, k)
	}
	if low == high {
		s.sort(refs, spare, columns[1:])
		return
	}
	for i := range refs {
		refs[i].key -= low
	}
	radixSort(refs, spare, high-low)
	for from := 0; from < len(refs); {
		to := from + 1
		for to < len(refs) && refs[to].key == refs[from].key {
			to++
		}
		if run := refs[from:to]; len(run) > 1 && !s.sorted(run) {
			s.sort(run, spare[from:to], columns[1:])
		}
		from = to
	}
}

// radixSort orders by key, none of which is above top, and keeps the order of
// equal keys. O(n) for each 11 bits of top.
func radixSort(refs, spare []ref, top uint64) {
	const bits = 11
	from, to := refs, spare
	for shift := 0; shift < 64 && top>>shift > 0; shift += bits {
		var at [1 << bits]int32
		for i := range from {
			at[from[i].key>>shift&(1<<bits-1)]++
		}
		sum := int32(0)
		for d := range at {
			at[d], sum = sum, sum+at[d]
		}
		for _, r := range from {
			d := r.key >> shift & (1<<bits - 1)
			to[at[d]] = r
			at[d]++
		}
		from, to = to, from
	}
	if &from[0] != &refs[0] {
		copy(refs, from)
	}
}
