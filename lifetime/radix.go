package lifetime

// sorter orders positions by an int64 key, equal keys by position: it counts
// where the keys are dense, and else sorts by digits. Its scratch memory is kept
// from one call to the next. The zero value is ready.
type sorter struct {
	from, to []keyed
	counts   []int32
}

type keyed struct {
	key uint64 // above the smallest
	pos int32  // more would not fit in memory
}

// A digit of 11 bits needs two passes for the times and four for the
// addresses of the largest tables, and its counters stay in the first cache.
const digitBits = 11

// order returns the positions 0..n-1 in ascending order of their keys, equal
// keys in ascending order of position, and the keys in that order. O(n) if the
// keys are dense, else O(n) for each digit in which they differ.
func (s *sorter) order(n int, key func(int) int64) (positions []int32, keys []int64) {
	keys = make([]int64, n)
	return s.sort(n, key, keys), keys
}

// positions is order without the keys.
func (s *sorter) positions(n int, key func(int) int64) []int32 { return s.sort(n, key, nil) }

// sort writes the keys if there is room for them.
func (s *sorter) sort(n int, key func(int) int64, keys []int64) []int32 {
	positions := make([]int32, n)
	sorted, low, top := measure(n, key)
	switch {
	case sorted:
		for i := range positions {
			positions[i] = int32(i)
		}
		for i := range keys {
			keys[i] = key(i)
		}
	case top < denseKeys*uint64(n):
		s.count(positions, keys, key, low, int(top)+1)
	default:
		s.digits(positions, keys, key, low, top)
	}
	return positions
}

// denseKeys: keys within so many times their number are counted.
const denseKeys = 2

// measure returns whether the keys are in order already, the smallest, and how
// far the largest is above it.
func measure(n int, key func(int) int64) (sorted bool, low int64, top uint64) {
	if n == 0 {
		return true, 0, 0
	}
	sorted = true
	low = key(0)
	high, last := low, low
	for i := 1; i < n; i++ {
		k := key(i)
		sorted = sorted && k >= last
		low, high, last = min(low, k), max(high, k), k
	}
	return sorted, low, uint64(high) - uint64(low) // right for any two int64
}

// count sorts keys of which there are few different ones.
func (s *sorter) count(positions []int32, keys []int64, key func(int) int64, low int64, different int) {
	if len(s.counts) <= different {
		s.counts = make([]int32, different+1)
	}
	at := s.counts[:different+1]
	clear(at)
	for i := range positions {
		at[key(i)-low+1]++
	}
	for k := 1; k < len(at); k++ {
		for i := at[k-1]; len(keys) > 0 && i < at[k-1]+at[k]; i++ {
			keys[i] = low + int64(k-1)
		}
		at[k] += at[k-1]
	}
	for i := range positions {
		k := key(i) - low
		positions[at[k]] = int32(i)
		at[k]++
	}
}

// digits sorts by one digit after the other.
func (s *sorter) digits(positions []int32, keys []int64, key func(int) int64, low int64, top uint64) {
	n := len(positions)
	if len(s.from) < n {
		s.from, s.to = make([]keyed, n), make([]keyed, n)
	}
	from, to := s.from[:n], s.to[:n]
	for i := range from {
		from[i] = keyed{uint64(key(i)) - uint64(low), int32(i)}
	}
	for shift := 0; shift < 64 && top>>shift > 0; shift += digitBits {
		if scatter(to, from, shift) {
			from, to = to, from
		}
	}
	for i, e := range from {
		positions[i] = e.pos
	}
	for i := range keys {
		keys[i] = int64(from[i].key) + low
	}
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
