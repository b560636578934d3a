package strategies

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

// Evaluator tells the arena that a greedy planner makes of buffers whose sizes
// stay and whose lives change, over and over: what a search for an operator
// order needs. It is that of the strategy of the same name, for tables without
// fixed offsets and gaps, tens of thousands of times a second.
//
// Complexity: O(n + steps) to sort, which needs no comparisons, and as the
// strategy to place, with the placed buffers in buckets of time.
//
// An Evaluator must not be used by two goroutines at once. It allocates only to
// grow.
type Evaluator struct {
	rule  evaluatorRule
	size  []int64 // as placed
	bytes []int64 // as given
	align int64
	class []int32 // by buffer: its size, the largest 0

	lists   [3][]int32 // room to sort in
	classes []int32    // by class: a count
	steps   []int32    // by step: a count
	buckets [][]evaluated
	near    [2][]evaluated
	top     int
}

type evaluatorRule uint8

const (
	evaluateGreedy evaluatorRule = iota
	evaluateLitert
	evaluateTFLM
)

// evaluated is a placed buffer.
type evaluated struct {
	low, high    int64
	lower, upper int32
}

// bucketBits is the binary logarithm of the steps in a bucket.
const bucketBits = 4

// NewEvaluator returns the evaluator of the strategy of that name, one of
// greedy-size, litert and tflm.
func NewEvaluator(name string) (*Evaluator, error) {
	for _, known := range []struct {
		name string
		rule evaluatorRule
	}{
		{greedySize{}.Info().Name, evaluateGreedy},
		{litert{}.Info().Name, evaluateLitert},
		{tflm{}.Info().Name, evaluateTFLM},
	} {
		if known.name == name {
			return &Evaluator{rule: known.rule}, nil
		}
	}
	return nil, fmt.Errorf("no evaluator of strategy %q", name)
}

// Reset gives the sizes of the buffers, in bytes, and the alignment of all
// offsets, a power of two.
func (e *Evaluator) Reset(size []int64, align int64) {
	n := len(size)
	e.align, e.top = max(align, 1), -1
	e.bytes = append(e.bytes[:0], size...)
	e.size = append(e.size[:0], size...)
	if e.rule == evaluateTFLM {
		for i := range e.size {
			e.size[i] = lifetime.AlignUp(e.size[i], e.align)
		}
	}
	sizes := slices.Clone(e.size)
	slices.SortFunc(sizes, larger)
	sizes = slices.Compact(sizes)
	e.class = slices.Grow(e.class[:0], n)[:n]
	for i, s := range e.size {
		c, _ := slices.BinarySearchFunc(sizes, s, larger)
		e.class[i] = int32(c)
	}
	e.classes = slices.Grow(e.classes[:0], len(sizes)+1)[:len(sizes)+1]
	for k := range e.lists {
		e.lists[k] = slices.Grow(e.lists[k][:0], n)[:n]
	}
}

func larger(a, b int64) int { return cmp.Compare(b, a) }

// Arena returns the bytes of the arena for buffers that live in the steps
// [lower[i], upper[i]), none below 0; one whose life is empty is not there.
// rows lists all buffers in the order of the rows of the table, by which
// planners break ties. As soon as the arena is seen to be above the limit,
// something above the limit is returned.
func (e *Evaluator) Arena(lower, upper, rows []int32, limit int64) int64 {
	first, end := int32(math.MaxInt32), int32(0)
	for i := range lower {
		if lower[i] < upper[i] {
			first, end = min(first, lower[i]), max(end, upper[i])
		}
	}
	if first > end {
		e.top = -1
		return 0
	}
	buckets := int(end)>>bucketBits + 1
	for len(e.buckets) < buckets {
		e.buckets = append(e.buckets, make([]evaluated, 0, 2<<bucketBits))
	}
	for b := range e.buckets[:buckets] {
		e.buckets[b] = e.buckets[b][:0]
	}
	return e.place(lower, upper, e.sort(lower, upper, rows, first, end), limit)
}

// Top returns a buffer that ends where the arena of the last call did, or the
// one that went beyond the limit; -1 if there is none.
func (e *Evaluator) Top() int { return e.top }

// place puts the buffers into the arena in the order given.
func (e *Evaluator) place(lower, upper, order []int32, limit int64) int64 {
	arena := int64(0)
	e.top = -1
	for _, i := range order {
		if e.size[i] == 0 {
			continue
		}
		q := evaluated{lower: lower[i], upper: upper[i]}
		if e.rule == evaluateLitert {
			q.low = e.tightest(&q, e.size[i])
		} else {
			q.low = e.lowest(&q, e.size[i])
		}
		q.high = q.low + e.size[i]
		if end := q.low + e.bytes[i]; end > arena {
			arena, e.top = end, int(i)
			if arena > limit {
				return arena
			}
		}
		e.add(&q)
	}
	return arena
}

// add puts a buffer into the buckets that it meets, ascending by offset.
func (e *Evaluator) add(q *evaluated) {
	for b := int(q.lower >> bucketBits); b <= int((q.upper-1)>>bucketBits); b++ {
		list := append(e.buckets[b], *q)
		k := len(list) - 1
		for ; k > 0 && list[k-1].low > q.low; k-- {
			list[k] = list[k-1]
		}
		list[k] = *q
		e.buckets[b] = list
	}
}

// meets returns the placed buffers that are ever live with q, and perhaps
// others, ascending by offset.
func (e *Evaluator) meets(q *evaluated) []evaluated {
	from, to := q.lower>>bucketBits, (q.upper-1)>>bucketBits
	if from == to {
		return e.buckets[from]
	}
	near, spare := e.near[0][:0], e.near[1]
	for b := from; b <= to; b++ {
		near, spare = merge(near, e.buckets[b], spare[:0], q, b<<bucketBits), near
	}
	e.near[0], e.near[1] = near, spare
	return near
}

// merge adds to near what the bucket that begins at the step holds, that meets
// q and that is not in the bucket before as well. Both ascend by offset, as does
// the result.
func merge(near, bucket, out []evaluated, q *evaluated, step int32) []evaluated {
	for k := range bucket {
		o := &bucket[k]
		if o.lower >= q.upper || o.upper <= q.lower || o.lower < step && q.lower < step {
			continue
		}
		for len(near) > 0 && near[0].low <= o.low {
			out = append(out, near[0])
			near = near[1:]
		}
		out = append(out, *o)
	}
	return append(out, near...)
}

// lowest returns the lowest offset at which q is clear of all others.
func (e *Evaluator) lowest(q *evaluated, size int64) int64 {
	at := int64(0)
	for _, o := range e.meets(q) {
		if o.lower >= q.upper || o.upper <= q.lower || o.high <= at {
			continue
		}
		if o.low-at >= size {
			break
		}
		at = lifetime.AlignUp(o.high, e.align)
	}
	return at
}

// tightest returns the offset in the hole that LiteRT prefers: see litertGap.
func (e *Evaluator) tightest(q *evaluated, size int64) int64 {
	end, at := int64(0), int64(-1)
	least := int64(math.MaxInt64)
	for _, o := range e.meets(q) {
		if o.lower >= q.upper || o.upper <= q.lower {
			continue
		}
		if low := lifetime.AlignUp(end, e.align); low+size <= o.low && o.low-low < least {
			least, at = o.low-end, low
		}
		end = max(end, o.high)
	}
	if at < 0 {
		return lifetime.AlignUp(end, e.align)
	}
	return at
}
