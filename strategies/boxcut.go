package strategies

import (
	"math"
	"slices"
)

// boxAll packs all parcels, none higher than the share of it, into boxes of the
// given height: parcels of about one height, by powers of 1+share, together
// (Corollary 15).
func (x *boxer) boxAll(set []int32, height, share float64) []int32 {
	set = slices.Clone(set)
	slices.Sort(set)
	x.sortHeights(set)
	var out []int32
	for len(set) > 0 {
		unit := roundUp(x.parcels[set[0]].height, share)
		n := len(set)
		for i, k := range set {
			if x.parcels[k].height > unit {
				n = i
				break
			}
		}
		c := cutting{boxer: x, height: height, unit: unit, rows: max(1, int(math.Floor(height/unit))), share: share}
		c.cut(set[:n:n])
		out = append(out, c.boxes...)
		set = set[n:]
	}
	return out
}

// sortHeights orders the set by height and keeps the order of equals.
func (x *boxer) sortHeights(set []int32) {
	if len(set) == 0 {
		return
	}
	refs := make([]ref, len(set))
	low, high := x.extremes(set)
	base := math.Float64bits(low)
	for i, k := range set {
		refs[i] = ref{math.Float64bits(x.parcels[k].height) - base, k} // heights are above 0
	}
	radixSort(refs, make([]ref, len(set)), math.Float64bits(high)-base)
	for i, r := range refs {
		set[i] = r.pos
	}
}

// roundUp returns the least power of 1+share, rounded down to a whole number,
// that is not below h.
func roundUp(h, share float64) float64 {
	i := max(0, math.Floor(math.Log(h)/math.Log1p(share))-1)
	for math.Floor(math.Pow(1+share, i)) < h {
		i++
	}
	return math.Floor(math.Pow(1+share, i))
}

// cutting packs parcels of one height, the unit, into boxes that hold as many
// rows of it (Theorem 2).
type cutting struct {
	*boxer
	height, unit float64
	rows         int
	share        float64
	boxes        []int32
	todo         []stretch
}

func (c *cutting) add(set []int32) {
	c.boxes = append(c.boxes, c.box(set, c.height, c.unit))
}

// stretch is what is still to be packed between two steps.
type stretch struct {
	set          []int32
	lower, upper int64
	points       []int64 // instants at which it is cut, ascending
}

// cut packs the set: those live at the critical instants now, the rest, between
// one instant and the next, later.
func (c *cutting) cut(set []int32) {
	first := stretch{set: set, lower: math.MaxInt64, upper: math.MinInt64}
	for _, k := range set {
		first.lower, first.upper = min(first.lower, c.parcels[k].lower), max(first.upper, c.parcels[k].upper)
	}
	first.points = []int64{c.instant(set)}
	c.todo = append(c.todo, first)
	for len(c.todo) > 0 {
		s := c.todo[len(c.todo)-1]
		c.todo = c.todo[:len(c.todo)-1]
		c.split(s)
	}
}

// instant draws a step at which one of the parcels is live.
func (c *cutting) instant(set []int32) int64 {
	i := c.random.IntN(2 * len(set))
	b := &c.parcels[set[i/2]]
	if i%2 == 0 {
		return b.lower + 1
	}
	return b.upper - 1
}

// split packs those of the stretch that are live at one of its points, and leaves
// the rest to be done as spans between the points.
func (c *cutting) split(s stretch) {
	parted, ends := c.part(&s)
	from := ends[len(s.points)-1]
	gaps := c.cross(s, parted[:from])
	for i, to := range ends[len(s.points):] {
		if from == to {
			continue
		}
		sub := stretch{set: parted[from:to:to], lower: s.lower, upper: s.upper}
		from = to
		if i > 0 {
			sub.lower = s.points[i-1]
		}
		if i < len(s.points) {
			sub.upper = s.points[i]
		}
		sub.points = c.choose(sub, gaps)
		c.todo = append(c.todo, sub)
	}
}

// part returns the set in parts, in order within each, and where they end: for
// each point those live at it and at none before, then those before the first
// point, between two and after the last.
func (c *cutting) part(s *stretch) (parted []int32, ends []int) {
	n := len(s.points)
	ends = slices.Grow(c.sizes[:0], 2*n+2)[:2*n+2]
	clear(ends)
	slots := slices.Grow(c.slots[:0], len(s.set))[:len(s.set)]
	c.sizes, c.slots = ends, slots
	for j, k := range s.set {
		b := &c.parcels[k]
		i, found := slices.BinarySearch(s.points, b.lower)
		if found {
			i++ // a point is not in a life that begins at it
		}
		if i == n || s.points[i] >= b.upper {
			i += n
		}
		slots[j] = int32(i)
		ends[i+1]++
	}
	for i := range ends[1:] {
		ends[i+1] += ends[i]
	}
	parted = make([]int32, len(s.set))
	for j, k := range s.set {
		parted[ends[slots[j]]] = k
		ends[slots[j]]++
	}
	return parted, ends[:2*n+1]
}

// choose returns the gaps within the stretch, and one instant more if nothing is
// live at any of them.
func (c *cutting) choose(s stretch, gaps []int64) []int64 {
	from, found := slices.BinarySearch(gaps, s.lower)
	if found {
		from++
	}
	to, _ := slices.BinarySearch(gaps, s.upper)
	points := gaps[from:max(from, to)]
	for _, k := range s.set {
		i, found := slices.BinarySearch(points, c.parcels[k].lower)
		if found {
			i++
		}
		if i < len(points) && points[i] < c.parcels[k].upper {
			return points
		}
	}
	point := c.instant(s.set)
	i, found := slices.BinarySearch(points, point)
	if found {
		return points
	}
	return slices.Concat(points[:i], []int64{point}, points[i:])
}

// cross packs what is live at the points of a stretch: around the middle point
// first, then to the left and to the right of it. What that leaves over is put
// into rows, and the steps at which gaps in these rows begin and end are
// returned, ascending.
func (c *cutting) cross(s stretch, set []int32) []int64 {
	if len(set) == 0 {
		return nil
	}
	if len(set) < 2*c.outer() {
		return c.level(s, set) // too few for strips, at whatever point
	}
	var rest []int32
	var halve func(low, high int, set []int32)
	halve = func(low, high int, set []int32) {
		if len(set) == 0 {
			return
		}
		mid := (low + high) / 2
		t := s.points[mid]
		var live, before, after []int32
		for _, k := range set {
			switch b := &c.parcels[k]; {
			case b.upper <= t:
				before = append(before, k)
			case b.lower >= t:
				after = append(after, k)
			default:
				live = append(live, k)
			}
		}
		rest = append(rest, c.strips(live)...)
		halve(low, mid, before)
		halve(mid+1, high, after)
	}
	halve(0, len(s.points), set)
	return c.level(s, rest)
}

// level packs the rest by rows, and returns where their gaps begin and end.
func (c *cutting) level(s stretch, rest []int32) []int64 {
	rows := slices.Grow(c.boxer.rows[:0], len(rest))[:len(rest)]
	c.boxer.rows = rows
	count := c.color(rest, rows)
	var gaps []int64
	filled := slices.Grow(c.filled[:0], count)[:count] // by row: up to which step
	c.filled = filled
	for r := range filled {
		filled[r] = s.lower
	}
	boxes := make([][]int32, (count+c.rows-1)/c.rows)
	for i, k := range rest {
		r := rows[i]
		if b := &c.parcels[k]; filled[r] < b.lower {
			gaps = append(gaps, filled[r], b.lower)
		}
		filled[r] = c.parcels[k].upper
		if len(boxes) > 1 {
			boxes[int(r)/c.rows] = append(boxes[int(r)/c.rows], k)
		}
	}
	if len(boxes) == 1 {
		boxes[0] = slices.Clone(rest)
	}
	for _, end := range filled {
		if end < s.upper {
			gaps = append(gaps, end)
		}
	}
	for _, set := range boxes {
		c.add(set)
	}
	slices.Sort(gaps)
	return slices.Compact(gaps)
}

// outer is how many parcels strips leave on either side.
func (c *cutting) outer() int { return c.times(math.Ceil(1 / square(c.share))) }

// strips packs parcels that are all live at one instant (Lemma 1): the outer
// ones, those born first and those that die last, are returned; of the inner
// ones strips are cut from either side in turn, and each makes boxes.
func (c *cutting) strips(live []int32) []int32 {
	outer := c.outer()
	if len(live)/2 < outer || len(live) == 2*outer {
		return live
	}
	inner := c.times(math.Ceil(1 / c.share))
	births, ends := slices.Clone(live), slices.Clone(live)
	c.sort(births, func(b *parcel) int64 { return b.lower })
	c.sort(ends, func(b *parcel) int64 { return -b.upper })
	taken := make(map[int32]bool, len(live))
	take := func(from *[]int32, n int) []int32 {
		var out []int32
		for ; len(*from) > 0 && len(out) < n; *from = (*from)[1:] {
			if k := (*from)[0]; !taken[k] {
				taken[k] = true
				out = append(out, k)
			}
		}
		return out
	}
	rest := append(take(&births, outer), take(&ends, outer)...)
	for len(taken) < len(live) {
		early := take(&births, inner)
		c.sort(early, func(b *parcel) int64 { return -b.upper })
		c.addAll(early)
		late := take(&ends, inner)
		c.sort(late, func(b *parcel) int64 { return b.lower })
		c.addAll(late)
	}
	return rest
}

// times returns so many times the rows of a box, within the range of numbers
// of parcels.
func (c *cutting) times(n float64) int {
	return int(min(n*float64(c.rows), math.MaxInt32))
}

// addAll makes boxes of as many parcels as a box has rows.
func (c *cutting) addAll(set []int32) {
	for len(set) > 0 {
		n := min(c.rows, len(set))
		c.add(set[:n:n])
		set = set[n:]
	}
}
