package lifetime

import "math"

// narrow draws conclusions from the orders decided until there are no more. It
// returns false if an item is left without an offset, or the work is done.
func (o *orders) narrow() bool {
	for again := true; again; {
		again = false
		if !o.w.spend(len(o.pairs)) {
			return false
		}
		for _, p := range o.pairs {
			changed, ok := o.pair(p[0], p[1])
			if !ok {
				return false
			}
			again = again || changed
		}
		for s, members := range o.sections {
			if !o.w.spend(len(members) * len(members) * len(members)) {
				return false
			}
			if !o.fits(members) {
				return false
			}
			again = o.ends(members, o.sum[s]) || again
			again = o.stacks(members) || again
		}
		for i := range o.head {
			if o.head[i] > o.tail[i] {
				return false
			}
		}
	}
	return true
}

// pair applies the order of two items, or finds it if only one is possible.
func (o *orders) pair(i, j int) (changed, ok bool) {
	up, down := o.below[i*o.n+j], o.below[j*o.n+i]
	if !up && !down {
		canUp := o.head[i]+o.e.items[i].size <= o.tail[j]
		canDown := o.head[j]+o.e.items[j].size <= o.tail[i]
		switch {
		case canUp && canDown:
			return false, true
		case !canUp && !canDown:
			return false, false
		case canUp:
			changed, ok = true, o.decide(i, j)
		default:
			changed, ok = true, o.decide(j, i)
		}
		if !ok {
			return changed, false
		}
		up = canUp
	}
	if !up {
		i, j = j, i
	}
	size := o.e.items[i].size
	changed = o.raise(j, o.head[i]+size) || changed
	changed = o.lower(i, o.tail[j]-size) || changed
	return changed, true
}

// fits reports whether, for every range of offsets, the members that have to be
// within it are not too large for it.
func (o *orders) fits(members []int) bool {
	for _, a := range members {
		for _, z := range members {
			low, high := o.head[a], o.tail[z]+o.e.items[z].size
			var sum int64
			for _, k := range members {
				if size := o.e.items[k].size; o.head[k] >= low && o.tail[k]+size <= high {
					sum += size
				}
			}
			if sum > 0 && sum > high-low {
				return false
			}
		}
	}
	return true
}

// ends finds members that cannot be the lowest or the highest: with all others
// on one side of them there is not enough room.
func (o *orders) ends(members []int, sum int64) (changed bool) {
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for _, i := range members {
		first = min(first, o.head[i])
		last = max(last, o.tail[i]+o.e.items[i].size)
	}
	for _, i := range members {
		size := o.e.items[i].size
		if o.head[i]+sum > last {
			least := int64(math.MaxInt64)
			for _, k := range members {
				if k != i {
					least = min(least, o.head[k]+o.e.items[k].size)
				}
			}
			if least < math.MaxInt64 {
				changed = o.raise(i, least) || changed
			}
		}
		if first+sum > o.tail[i]+size {
			most := int64(math.MinInt64)
			for _, k := range members {
				if k != i {
					most = max(most, o.tail[k])
				}
			}
			if most > math.MinInt64 {
				changed = o.lower(i, most-size) || changed
			}
		}
	}
	return changed
}

// stacks raises each member above the pile of those below it, and lowers it
// below the pile of those above.
func (o *orders) stacks(members []int) (changed bool) {
	for _, i := range members {
		head, tail := o.head[i], o.tail[i]
		for _, a := range members {
			var under, over int64
			for _, k := range members {
				size := o.e.items[k].size
				if o.below[k*o.n+i] && o.head[k] >= o.head[a] {
					under += size
				}
				if o.below[i*o.n+k] && o.tail[k]+size <= o.tail[a]+o.e.items[a].size {
					over += size
				}
			}
			if under > 0 {
				head = max(head, o.head[a]+under)
			}
			if over > 0 {
				tail = min(tail, o.tail[a]+o.e.items[a].size-over-o.e.items[i].size)
			}
		}
		changed = o.raise(i, head) || changed
		changed = o.lower(i, tail) || changed
	}
	return changed
}
