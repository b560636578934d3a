package strategies

import (
	"context"
	"math"

	"github.com/arenalab/arenalab/lifetime"
)

// skyFill fills an arena from below. Time is parted into segments, each with
// the height up to which it is filled; neighbours differ in height. Always the
// lowest segment is filled: with the best-ranked item whose life lies within
// it, or, if there is none, with nothing, up to its lower neighbour.
//
// The items' lowest possible offsets are the heights of the highest segments
// they cross, so the one placed is, of all that are left, one of those with the
// lowest such offset, and the best-ranked of them.
type skyFill struct {
	table    *skyTable
	tree     skyTree
	segments []skySegment // by first section
	heap     []lowSegment // the lowest on top; some are out of date
	rest     []int32      // segments to be filled next, all as low as the lowest
	offsets  []int64      // by item
	placed   int
}

// skySegment is a run of sections [start, end) of one height, -1 if no segment
// starts there.
type skySegment struct {
	height int64
	end    int32
	before int32 // where the segment before starts
}

// lowSegment is an entry of the heap; out of date unless a segment of that
// height starts there.
type lowSegment struct {
	height int64
	start  int32
}

func newSkyFill(t *skyTable) *skyFill {
	return &skyFill{
		table:    t,
		segments: make([]skySegment, t.sections+1),
		offsets:  make([]int64, len(t.items)),
	}
}

// skyCheck is how many items are placed between looks at the context.
const skyCheck = 1 << 12

// run places all items, by rank, which is by item. It returns false as soon as
// something would end above the limit, and the error of the context if that
// ends.
func (s *skyFill) run(ctx context.Context, rank []int32, limit int64) (bool, error) {
	s.tree.reset(s.table.items, rank)
	for i := range s.segments {
		s.segments[i].height = -1
	}
	s.heap, s.rest, s.placed = s.heap[:0], s.rest[:0], 0
	end := int32(s.table.sections)
	s.segments[0] = skySegment{end: end}
	s.segments[end].height = math.MaxInt64
	s.push(0)
	next := 0
	for s.placed < len(s.table.items) {
		low := s.pop()
		if s.segments[low.start].height != low.height {
			continue
		}
		s.rest = append(s.rest, low.start)
		for len(s.rest) > 0 {
			start := s.rest[len(s.rest)-1]
			s.rest = s.rest[:len(s.rest)-1]
			if !s.fill(start, limit) {
				return false, nil
			}
		}
		if s.placed >= next {
			if err := ctx.Err(); err != nil {
				return false, err
			}
			next += skyCheck
		}
	}
	return true, nil
}

// fill places one item on the lowest segment, or raises it.
func (s *skyFill) fill(start int32, limit int64) bool {
	seg := s.segments[start]
	t := s.table
	i := s.tree.find(t.from[start], t.from[seg.end], seg.end)
	if i < 0 {
		s.raise(start)
		return true
	}
	s.tree.remove(i)
	s.placed++
	it := &t.items[i]
	offset := seg.height
	if t.mixed {
		offset = lifetime.AlignUp(offset, it.align)
	}
	s.offsets[i] = offset
	top := offset + it.size
	if top > limit {
		return false
	}
	s.cover(start, it.lo, it.hi, top)
	return true
}

// cover raises the part [lo, hi) of the segment to the height. What is left of
// the segment on both sides comes next.
func (s *skyFill) cover(start, lo, hi int32, height int64) {
	seg := s.segments[start]
	before, last := seg.before, lo
	if lo > start {
		s.segments[start].end = lo
		s.rest = append(s.rest, start)
		before = start
	}
	if hi < seg.end {
		s.segments[hi] = skySegment{seg.height, seg.end, lo}
		s.rest = append(s.rest, hi)
		last = hi
	}
	s.segments[seg.end].before = last // of the one beyond the table too, which nobody reads
	s.segments[lo] = skySegment{height, hi, before}
	s.push(s.fuse(lo))
}

// raise lifts the segment to the lower of its neighbours.
func (s *skyFill) raise(start int32) {
	seg := &s.segments[start]
	height := s.segments[seg.end].height
	if start > 0 {
		height = min(height, s.segments[seg.before].height)
	}
	seg.height = height
	s.push(s.fuse(start))
}

// fuse joins the segment with those beside it that are as high, and returns
// where it starts now.
func (s *skyFill) fuse(start int32) int32 {
	seg := &s.segments[start]
	if next := &s.segments[seg.end]; next.height == seg.height {
		seg.end, next.height = next.end, -1
		s.segments[seg.end].before = start
	}
	if start == 0 {
		return start
	}
	before := &s.segments[seg.before]
	if before.height != seg.height {
		return start
	}
	start = seg.before
	seg.height = -1
	before.end = seg.end
	s.segments[seg.end].before = start
	return start
}

// push adds the segment to the heap.
func (s *skyFill) push(start int32) {
	x := lowSegment{s.segments[start].height, start}
	i := len(s.heap)
	s.heap = append(s.heap, x)
	for i > 0 {
		up := (i - 1) / heapFan
		if s.heap[up].height <= x.height {
			break
		}
		s.heap[i] = s.heap[up]
		i = up
	}
	s.heap[i] = x
}

// heapFan is how many children an entry of the heap has.
const heapFan = 4

// pop takes the lowest off the heap. Which of those equally low comes first
// does not matter: they are not side by side.
func (s *skyFill) pop() lowSegment {
	h := s.heap
	top, x := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	s.heap = h
	if len(h) == 0 {
		return top
	}
	i := 0
	for {
		first := heapFan*i + 1
		if first >= len(h) {
			break
		}
		low := first
		for c := first + 1; c < min(first+heapFan, len(h)); c++ {
			if h[c].height < h[low].height {
				low = c
			}
		}
		if h[low].height >= x.height {
			break
		}
		h[i] = h[low]
		i = low
	}
	h[i] = x
	return top
}
