package lifetime

// sorter orders positions by an int64 key with a stable radix sort. Its
// scratch memory is kept from one call to the next. The zero value is ready.
type sorter struct{ from, to []keyed }

type keyed struct {
	key uint64 // above the smallest
	pos int32  // more would not fit in memory
}

// A digit of 11 bits needs two passes for the times and four for the
// addresses of the largest tables, and its counters stay in the first cache.
const digitBits = 11

// order returns the positions 0..n-1 in ascending order of their keys, equal
// keys in ascending order of position, and the keys in that order. O(n) for
// each digit in which the keys differ.
func (s *sorter) order(n int, key func(int) int64) (positions []int32, keys []int64) {
	if len(s.from) < n {
		s.from, s.to = make([]keyed, n), make([]keyed, n)
	}
	from, to := s.from[:n], s.to[:n]
	sorted, low, top := fill(from, key)
	for shift := 0; !sorted && shift < 64 && top>>shift > 0; shift += digitBits {
		if scatter(to, from, shift) {
			from, to = to, from
		}
	}
	positions, keys = make([]int32, n), make([]int64, n)
	for i, e := range from {
		positions[i], keys[i] = e.pos, int64(e.key)+low
	}
	return positions, keys
}

// fill writes the keys less the smallest of them, and returns whether they are
// in order already, the smallest key, and how far the largest is above it.
func fill(dst []keyed, key func(int) int64) (sorted bool, low int64, top uint64) {
	sorted = true
	var high int64
	for i := range dst {
		k := key(i)
		if i == 0 {
			low, high = k, k
		} else if k < int64(dst[i-1].key) {
			sorted = false
		}
		low, high = min(low, k), max(high, k)
		dst[i] = keyed{uint64(k), int32(i)}
	}
	for i := range dst {
		dst[i].key -= uint64(low) // wraps to the right distance for any two int64
	}
	return sorted, low, uint64(high) - uint64(low)
}

// scatter is one pass: it orders by the digit at shift. It reports false, and
// leaves dst alone, if all keys have the same digit.
func scatter(dst, src []keyed, shift int) bool {
	const mask = 1<<digitBits - 1
	var at [1 << digitBits]int32
	for i := range src {
		at[src[i].key>>shift&mask]++
	}
	if at[src[0].key>>shift&mask] == int32(len(src)) {
		return false
	}
	sum := int32(0)
	for d := range at {
		at[d], sum = sum, sum+at[d]
	}
	for _, e := range src {
		d := e.key >> shift & mask
		dst[at[d]] = e
		at[d]++
	}
	return true
}
