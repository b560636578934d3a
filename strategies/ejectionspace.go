package strategies

import "slices"

// ejectPiece is a piece of a buffer, in sections of the clock. The bytes are
// relative to the buffer's offset.
type ejectPiece struct {
	low, high   int64
	from, to    int32 // sections, half-open
	first, last int32 // buckets, both included
	owner       int32
}

// ejectEntry is a placed piece in a bucket.
type ejectEntry struct {
	low, high int64 // addresses
	from, to  int32
	piece     int32
	first     int32 // the first bucket that the piece is in
}

// ejectBuckets holds the placed pieces by stretches of time, within each by
// address. A piece is in every bucket that it is live in. All memory is there
// from the start, for a bucket never holds more than the pieces live in it.
type ejectBuckets [][]ejectEntry

// newEjectBuckets divides time so that a bucket sees about as many births as
// there are pieces live at once: then half of what a query reads is what it is
// after, and few pieces are in many buckets. It sets first and last of the
// pieces.
func newEjectBuckets(pieces []ejectPiece, sections int32) ejectBuckets {
	const least = 24 // births in a bucket
	var lives int64
	births := make([]int32, sections)
	for i := range pieces {
		lives += int64(pieces[i].to - pieces[i].from)
		births[pieces[i].from]++
	}
	per := int32(least)
	if sections > 0 {
		per = max(per, int32(lives/int64(sections)))
	}
	bucketOf := make([]int32, sections)
	last, seen := int32(0), int32(0)
	for s, b := range births {
		if seen >= per {
			last, seen = last+1, 0
		}
		seen += b
		bucketOf[s] = last
	}
	room := make([]int, last+1)
	for i := range pieces {
		p := &pieces[i]
		p.first, p.last = bucketOf[p.from], bucketOf[p.to-1]
		for b := p.first; b <= p.last; b++ {
			room[b]++
		}
	}
	buckets := make(ejectBuckets, last+1)
	for b := range buckets {
		buckets[b] = make([]ejectEntry, 0, room[b])
	}
	return buckets
}

// add enters the piece, for a buffer at the offset.
func (b ejectBuckets) add(p *ejectPiece, number int32, offset int64) {
	e := ejectEntry{offset + p.low, offset + p.high, p.from, p.to, number, p.first}
	for k := p.first; k <= p.last; k++ {
		b[k] = slices.Insert(b[k], ejectFind(b[k], e.low), e)
	}
}

// remove takes the piece of a buffer at the offset out.
func (b ejectBuckets) remove(p *ejectPiece, number int32, offset int64) {
	low := offset + p.low
	for k := p.first; k <= p.last; k++ {
		list := b[k]
		i := ejectFind(list, low)
		for list[i].piece != number {
			i++
		}
		b[k] = slices.Delete(list, i, i+1)
	}
}

// ejectFind returns the position of the first entry at or above the address.
func ejectFind(list []ejectEntry, low int64) int {
	i, j := 0, len(list)
	for i < j {
		if m := int(uint(i+j) >> 1); list[m].low < low {
			i = m + 1
		} else {
			j = m
		}
	}
	return i
}

// forbidden is a range of offsets, ends not included, at which a buffer would
// overlap a piece of the owner.
type forbidden struct {
	lo, hi int64
	weight int64 // filled in when needed
	owner  int32
}

// ranges collects what is forbidden to a buffer, ascending by lo.
type ranges struct {
	list, spare []forbidden
	runs        []int // where the sorted runs of the list begin
}

// collect takes what the placed pieces forbid to a buffer with the given ones,
// none of which may be placed.
func (r *ranges) collect(b ejectBuckets, pieces, all []ejectPiece) {
	list, runs := r.list[:0], r.runs[:0]
	for i := range pieces {
		p := &pieces[i]
		for k := p.first; k <= p.last; k++ {
			runs = append(runs, len(list))
			for j := range b[k] {
				e := &b[k][j]
				if e.from < p.to && p.from < e.to && (e.first == k || k == p.first) {
					list = append(list, forbidden{lo: e.low - p.high, hi: e.high - p.low, owner: all[e.piece].owner})
				}
			}
			if runs[len(runs)-1] == len(list) {
				runs = runs[:len(runs)-1]
			}
		}
	}
	r.list, r.runs = list, runs
	for len(r.runs) > 1 {
		r.merge()
	}
}

// merge merges neighbouring runs two by two.
func (r *ranges) merge() {
	from, to := r.list, r.spare[:0]
	kept := 0
	for i := 0; i < len(r.runs); i += 2 {
		start := r.runs[i]
		middle, end := len(from), len(from)
		if i+1 < len(r.runs) {
			middle = r.runs[i+1]
		}
		if i+2 < len(r.runs) {
			end = r.runs[i+2]
		}
		r.runs[kept] = start
		kept++
		to = mergeForbidden(to, from[start:middle], from[middle:end])
	}
	r.runs = r.runs[:kept]
	r.list, r.spare = to, from
}

func mergeForbidden(to, a, b []forbidden) []forbidden {
	for len(a) > 0 && len(b) > 0 {
		if b[0].lo < a[0].lo {
			to = append(to, b[0])
			b = b[1:]
		} else {
			to = append(to, a[0])
			a = a[1:]
		}
	}
	to = append(to, a...)
	return append(to, b...)
}

// ender is the end of a forbidden range.
type ender struct{ hi, weight int64 }

// sortEnders sorts by hi: a merge sort with spare memory of the same length.
func sortEnders(list, spare []ender) {
	const short = 24
	if len(list) <= short {
		for i := 1; i < len(list); i++ {
			x, j := list[i], i
			for ; j > 0 && list[j-1].hi > x.hi; j-- {
				list[j] = list[j-1]
			}
			list[j] = x
		}
		return
	}
	m := len(list) / 2
	sortEnders(list[:m], spare[:m])
	sortEnders(list[m:], spare[m:])
	if list[m-1].hi <= list[m].hi {
		return
	}
	a, b := spare[:copy(spare, list[:m])], list[m:]
	k := 0
	for len(a) > 0 && len(b) > 0 {
		if b[0].hi < a[0].hi {
			list[k] = b[0]
			b = b[1:]
		} else {
			list[k] = a[0]
			a = a[1:]
		}
		k++
	}
	copy(list[k:], a)
}
