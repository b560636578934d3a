package strategies

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// parcel is a buffer or a box of others. Steps are doubled, so that an odd one
// lies within the life of everything born at the even one below it and not dead
// at the even one above.
type parcel struct {
	lower, upper int64
	height       float64
	unit         float64 // of a box: the height of the rows that its contents fill
	inside       []int32 // of a box: numbers of parcels
	item         int32   // its position, -1 for a box or the filler
}

// boxer packs the items of a placement into boxes.
type boxer struct {
	parcels []parcel // the items, perhaps the filler, then boxes
	source  []int32  // what is to be packed
	items   []item   // as settle orders them
	fixed   int      // how many parcels are not boxes
	random  *rand.Rand
	failure float64 // the error of Theorem 16
	uniform bool    // all sizes are equal: one round is optimal

	keys   []uint64 // memory of sorts
	steps  []stepOf
	ends   []int32 // memory of color
	free   lowest
	rows   []int32 // memory of cuttings
	slots  []int32
	sizes  []int
	filled []int64
}

// goldenLimit is the largest error for which boxes hold what they must.
const goldenLimit = 0.6180339887498949

// fillerRatio is the ratio of sizes above which the theory has room.
const fillerRatio = 2216.54

// newBoxer prepares the rounds. Once ctx is done it only looks done: the rounds
// then end at once.
func newBoxer(ctx context.Context, p *placement, seed uint64) *boxer {
	x := &boxer{random: rand.New(rand.NewPCG(seed, 0)), items: slices.Clone(p.items)}
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	low, high := math.Inf(1), 0.0
	order := settle(p.table)
	slices.SortFunc(x.items, func(a, b item) int { return cmp.Or(order(&a, &b), cmp.Compare(a.index, b.index)) })
	for k, it := range x.items {
		h := float64(it.size)
		x.parcels = append(x.parcels, parcel{lower: 2 * it.lower, upper: 2 * it.upper, height: h, item: int32(k)})
		first, last = min(first, 2*it.lower), max(last, 2*it.upper)
		low, high = min(low, h), max(high, h)
	}
	x.uniform = low == high
	if from, to := errorRange(high / low); !x.uniform && from >= to {
		high = math.Ceil(fillerRatio * low)
		x.parcels = append(x.parcels, parcel{lower: first, upper: last, height: high, item: -1})
	}
	for k := range x.parcels {
		x.source = append(x.source, int32(k))
	}
	x.fixed = len(x.parcels)
	from, to := errorRange(high / low)
	x.failure = x.choose(ctx, from, to)
	return x
}

// errorRange returns the errors that Theorem 16 allows for a ratio of sizes.
func errorRange(ratio float64) (from, to float64) {
	lg2 := square(math.Log2(ratio))
	return math.Pow(math.Pow(lg2, 7)/ratio, 1.0/6), goldenLimit * lg2
}

func square(v float64) float64 { return v * v }

// choose tries errors, ascending, until three in a row do not lower the ratio
// of sizes that is left.
func (x *boxer) choose(ctx context.Context, e, to float64) float64 {
	if x.uniform {
		return to
	}
	best, least := e, math.Inf(1)
	for left := 3; left > 0 && ctx.Err() == nil; {
		ratio := x.ratio(x.shrink(x.source, e))
		x.parcels = x.parcels[:x.fixed]
		if left--; ratio < least {
			best, least, left = e, ratio, 3
		}
		e += (to - e) * 0.01
	}
	return best
}

// pack packs everything anew, and returns the offsets in the open boxes by
// item. Boxes may be so much higher than buffers that only a floating-point
// number holds them; it is the order that counts.
func (x *boxer) pack() []float64 {
	x.parcels = x.parcels[:x.fixed]
	loose := make([]float64, len(x.items))
	if x.uniform {
		x.open(x.source, 0, x.parcels[0].height, loose)
		return loose
	}
	rest := x.shrink(x.source, x.failure)
	_, highest := x.extremes(x.source)
	share := x.failure / square(math.Log2(x.ratio(rest)))
	if !(share <= goldenLimit) {
		share = 0.99 * goldenLimit
	}
	height := highest / share
	x.open(x.boxAll(rest, height, share), 0, height, loose)
	return loose
}

// shrink boxes the smallest parcels as long as the theory allows, and returns
// what is left.
func (x *boxer) shrink(set []int32, e float64) []int32 {
	for {
		low, high := x.extremes(set)
		lg2 := square(math.Log2(high / low))
		share := e / lg2
		height := math.Ceil(math.Pow(share, 5) * high / lg2)
		limit := math.Floor(share * height)
		if !(share < goldenLimit && limit >= low) {
			return set
		}
		var small, large []int32
		for _, k := range set {
			if x.parcels[k].height <= limit {
				small = append(small, k)
			} else {
				large = append(large, k)
			}
		}
		set = append(large, x.boxAll(small, height, share)...)
	}
}

// ratio returns the largest height over the smallest.
func (x *boxer) ratio(set []int32) float64 {
	low, high := x.extremes(set)
	return high / low
}

func (x *boxer) extremes(set []int32) (low, high float64) {
	low = math.Inf(1)
	for _, k := range set {
		low, high = min(low, x.parcels[k].height), max(high, x.parcels[k].height)
	}
	return low, high
}

// open puts the parcels into rows of the given height from the offset up, and
// what is in them likewise.
func (x *boxer) open(set []int32, at, unit float64, loose []float64) {
	rows := make([]int32, len(set))
	x.color(set, rows)
	for i, k := range set {
		offset := at + float64(float64(rows[i])*unit)
		if b := &x.parcels[k]; b.inside != nil {
			x.open(b.inside, offset, b.unit, loose)
		} else if b.item >= 0 {
			loose[b.item] = offset
		}
	}
}

// fall puts the items of the placement in ascending order of the loose offsets:
// each then falls to the lowest offset at which it is clear of those before it.
func (x *boxer) fall(p *placement, loose []float64) {
	turns := make([]ref, len(loose))
	top := uint64(0)
	for k, offset := range loose {
		turns[k].pos = int32(k)
		if !math.IsNaN(offset) { // too high to tell: first
			turns[k].key = math.Float64bits(offset) + 1
		}
		top = max(top, turns[k].key)
	}
	radixSort(turns, make([]ref, len(turns)), top)
	for i, r := range turns {
		p.items[i] = x.items[r.pos]
	}
}

// box makes a box of the parcels.
func (x *boxer) box(set []int32, height, unit float64) int32 {
	b := parcel{lower: math.MaxInt64, upper: math.MinInt64, height: height, unit: unit, inside: set, item: -1}
	for _, k := range set {
		b.lower, b.upper = min(b.lower, x.parcels[k].lower), max(b.upper, x.parcels[k].upper)
	}
	x.parcels = append(x.parcels, b)
	return int32(len(x.parcels) - 1)
}

// color gives each parcel of the set the lowest row that is free, and returns
// how many rows there are. The set is put in order of birth.
func (x *boxer) color(set, rows []int32) (count int) {
	if len(set) < 2 {
		clear(rows)
		return len(set)
	}
	x.sort(set, func(b *parcel) int64 { return b.lower })
	ends := slices.Grow(x.ends[:0], len(set))[:len(set)]
	x.ends = ends
	for i, k := range set {
		x.steps[i] = stepOf{x.parcels[k].upper, int32(i)}
	}
	x.sortSteps(ends)
	free := x.free[:0]
	for i, k := range set {
		for ; x.parcels[set[ends[0]]].upper <= x.parcels[k].lower; ends = ends[1:] {
			free.push(rows[ends[0]])
		}
		if len(free) > 0 {
			rows[i] = free.pop()
		} else {
			rows[i] = int32(count)
			count++
		}
	}
	x.free = free
	return count
}

// stepOf is a step of a parcel, or of what else has the number.
type stepOf struct {
	step int64
	of   int32
}

// sort orders the set by a step of its parcels; ties by number.
func (x *boxer) sort(set []int32, step func(*parcel) int64) {
	x.steps = slices.Grow(x.steps[:0], len(set))[:len(set)]
	for i, k := range set {
		x.steps[i] = stepOf{step(&x.parcels[k]), k}
	}
	x.sortSteps(set)
}

// sortSteps orders the steps, ties by number, and writes these to out. Where the
// steps are no more than 2^32 apart, as they are but in small tables, whole
// numbers are sorted instead of pairs.
func (x *boxer) sortSteps(out []int32) {
	if len(x.steps) == 0 {
		return
	}
	low, high := x.steps[0].step, x.steps[0].step
	for _, s := range x.steps {
		low, high = min(low, s.step), max(high, s.step)
	}
	if uint64(high)-uint64(low) >= 1<<32 {
		slices.SortFunc(x.steps, func(a, b stepOf) int {
			return cmp.Or(cmp.Compare(a.step, b.step), cmp.Compare(a.of, b.of))
		})
		for i, s := range x.steps {
			out[i] = s.of
		}
		return
	}
	x.keys = slices.Grow(x.keys[:0], len(x.steps))[:len(x.steps)]
	for i, s := range x.steps {
		x.keys[i] = (uint64(s.step)-uint64(low))<<32 | uint64(s.of)
	}
	slices.Sort(x.keys)
	for i, key := range x.keys {
		out[i] = int32(key)
	}
}
