package strategies

import "slices"

// banded is an item in a band of addresses.
type banded struct {
	low, high   int32 // the births in its life
	bottom, top int64
	copy        int8
}

// bands is a plan in which up to three items may share addresses. At each birth
// it is filled up to some address: the least y such that what is live there
// and begins at y or below holds y bytes. Nothing live begins at it or reaches
// across it.
type bands struct {
	births []int64 // ascending
	filled []int64 // by birth
	taken  []banded

	bottoms []int64         // of all taken, ascending
	levels  map[int64]level // by bottom
	classes []int64         // sizes taken, descending
}

// level holds the items of one bottom, by number, ascending both by the start
// and by the end of their lives: no life is within another.
type level []int32

func newBands(items []item) *bands {
	b := &bands{taken: make([]banded, 0, len(items)), levels: map[int64]level{}}
	for k := range items {
		b.births = append(b.births, items[k].lower)
	}
	slices.Sort(b.births)
	b.births = slices.Compact(b.births)
	b.filled = make([]int64, len(b.births))
	return b
}

// take puts the item, no larger than those before it and of a power of two,
// where it is filled to most in its life, in the first copy that is free.
func (b *bands) take(it *item) banded {
	low, _ := slices.BinarySearch(b.births, it.lower)
	high, _ := slices.BinarySearch(b.births, it.upper)
	size := it.class()
	n := banded{low: int32(low), high: int32(high), bottom: slices.Max(b.filled[low:high])}
	n.top = n.bottom + size
	n.copy = b.free(&n)
	b.insert(n, size)
	for i := low; i < high; {
		if b.filled[i] != n.bottom {
			i++
			continue
		}
		from := i
		for ; i < high && b.filled[i] == n.bottom; i++ {
			b.filled[i] = n.top
		}
		b.absorb(int32(from), int32(i), n.bottom, n.top)
	}
	return n
}

// insert adds the item to its level.
func (b *bands) insert(n banded, size int64) {
	if k := len(b.classes); k == 0 || b.classes[k-1] != size {
		b.classes = append(b.classes, size)
	}
	l, known := b.levels[n.bottom]
	if !known {
		i, _ := slices.BinarySearch(b.bottoms, n.bottom)
		b.bottoms = slices.Insert(b.bottoms, i, n.bottom)
	}
	i, _ := slices.BinarySearchFunc(l, n.low, func(k, low int32) int { return int(b.taken[k].low - low) })
	b.levels[n.bottom] = slices.Insert(l, i, int32(len(b.taken)))
	b.taken = append(b.taken, n)
}

// after returns where in the level those begin that live beyond the birth.
func (b *bands) after(l level, birth int32) int {
	low, high := 0, len(l)
	for low < high {
		mid := (low + high) / 2
		if b.taken[l[mid]].high > birth {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// free returns the first copy that nobody in the band has whose life the item
// shares. There are two at most, one to each side of the birth that is its own.
func (b *bands) free(n *banded) int8 {
	var used [3]bool
	last := int64(-1)
	for _, size := range b.classes {
		bottom := n.bottom &^ (size - 1)
		if bottom == last {
			continue
		}
		last = bottom
		l := b.levels[bottom]
		for _, k := range l[b.after(l, n.low):] {
			other := &b.taken[k]
			if other.low >= n.high {
				break
			}
			if other.top > n.bottom {
				used[other.copy] = true
			}
		}
	}
	return int8(slices.Index(used[:], false))
}

// absorb raises those of the births [low, high), filled up to the address to,
// where items begin at addresses above from and not above to.
func (b *bands) absorb(low, high int32, from, to int64) {
	i, _ := slices.BinarySearch(b.bottoms, from+1)
	met := false
	for ; i < len(b.bottoms) && b.bottoms[i] <= to; i++ {
		l := b.levels[b.bottoms[i]]
		for _, k := range l[b.after(l, low):] {
			n := &b.taken[k]
			if n.low >= high {
				break
			}
			met = true
			for x := max(low, n.low); x < min(high, n.high); x++ {
				b.filled[x] += n.top - n.bottom
			}
		}
	}
	if !met {
		return
	}
	for low < high {
		next := low + 1
		for next < high && b.filled[next] == b.filled[low] {
			next++
		}
		if b.filled[low] > to {
			b.absorb(low, next, to, b.filled[low])
		}
		low = next
	}
}
