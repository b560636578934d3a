package strategies

import (
	"cmp"
	"slices"
	"sort"
)

// free is an object that no live buffer uses.
type free struct {
	size   int64
	rank   int64 // tells free objects of equal size apart
	object int32
}

func (a free) compare(b free) int {
	return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.rank, b.rank))
}

// freePool holds free objects ascending by size, then rank, in chunks, so that
// insertion moves few of them.
type freePool struct{ chunks [][]free }

const poolChunk = 256

// chunk returns the last chunk that may hold f: the one before the first that
// begins above it.
func (p *freePool) chunk(f free) int {
	i := sort.Search(len(p.chunks), func(i int) bool { return p.chunks[i][0].compare(f) > 0 })
	return max(i-1, 0)
}

func (p *freePool) insert(f free) {
	if len(p.chunks) == 0 {
		p.chunks = append(p.chunks, make([]free, 0, 2*poolChunk))
	}
	i := 0
	if len(p.chunks[0]) > 0 {
		i = p.chunk(f)
	}
	c := p.chunks[i]
	k, _ := slices.BinarySearchFunc(c, f, free.compare)
	c = slices.Insert(c, k, f)
	p.chunks[i] = c
	if len(c) == 2*poolChunk {
		upper := append(make([]free, 0, 2*poolChunk), c[poolChunk:]...)
		p.chunks[i] = c[:poolChunk]
		p.chunks = slices.Insert(p.chunks, i+1, upper)
	}
}

// spot is a position in the pool: of an object, or one past the last.
type spot struct{ chunk, index int }

// atLeast returns the spot of the first object of at least the size.
func (p *freePool) atLeast(size int64) spot {
	if len(p.chunks) == 0 || len(p.chunks[0]) == 0 {
		return spot{}
	}
	f := free{size: size, rank: -1}
	i := p.chunk(f)
	k, _ := slices.BinarySearchFunc(p.chunks[i], f, free.compare)
	if k == len(p.chunks[i]) && i+1 < len(p.chunks) {
		return spot{i + 1, 0}
	}
	return spot{i, k}
}

// at returns the object at the spot, if there is one.
func (p *freePool) at(s spot) (free, bool) {
	if s.chunk >= len(p.chunks) || s.index >= len(p.chunks[s.chunk]) {
		return free{}, false
	}
	return p.chunks[s.chunk][s.index], true
}

// before returns the spot before s, if there is one.
func (p *freePool) before(s spot) (spot, bool) {
	switch {
	case s.index > 0:
		return spot{s.chunk, s.index - 1}, true
	case s.chunk > 0:
		return spot{s.chunk - 1, len(p.chunks[s.chunk-1]) - 1}, true
	}
	return spot{}, false
}

func (p *freePool) remove(s spot) {
	p.chunks[s.chunk] = slices.Delete(p.chunks[s.chunk], s.index, s.index+1)
	if len(p.chunks[s.chunk]) == 0 && len(p.chunks) > 1 {
		p.chunks = slices.Delete(p.chunks, s.chunk, s.chunk+1)
	}
}
