package strategies

import (
	"cmp"
	"slices"
	"sort"

	"github.com/arenalab/arenalab/lifetime"
)

// list is the space of small tables: all obstacles, ascending by address.
// Adding and finding are O(n).
type list struct {
	taken []obstacle
	spans []span // scratch of findPieces
}

func newList(n int) *list { return &list{taken: make([]obstacle, 0, n)} }

func (l *list) add(o obstacle) {
	k := sort.Search(len(l.taken), func(i int) bool { return l.taken[i].low > o.low })
	l.taken = slices.Insert(l.taken, k, o)
}

func (l *list) find(it *item, pieces []lifetime.Piece, f *fit) int64 {
	if pieces == nil {
		return f.scan(l.taken, it)
	}
	l.spans = l.spans[:0]
	for _, q := range pieces {
		for i := range l.taken {
			if o := &l.taken[i]; o.lower < q.Upper && q.Lower < o.upper {
				l.spans = append(l.spans, span{o.low, o.high}.shift(f.size, q.Low, q.High))
			}
		}
	}
	slices.SortFunc(l.spans, func(a, b span) int { return cmp.Compare(a.low, b.low) })
	top := int64(0)
	for _, s := range l.spans {
		if s.low-top >= f.size && f.offer(top, s.low) {
			break
		}
		top = max(top, s.high)
	}
	return f.finish(top)
}

// scan offers the gaps between those obstacles, ascending by address, that
// meet the life of the item.
func (f *fit) scan(taken []obstacle, it *item) int64 {
	top := int64(0)
	for i := range taken {
		o := &taken[i]
		if o.lower >= it.upper || o.upper <= it.lower {
			continue
		}
		if o.low-top >= f.size && f.offer(top, o.low) {
			break
		}
		top = max(top, o.high)
	}
	return f.finish(top)
}

// forget drops the obstacles that end at or before the step. Only for orders
// that ascend in Lower, where they can meet nothing more.
func (l *list) forget(step int64) {
	l.taken = slices.DeleteFunc(l.taken, func(o obstacle) bool { return o.upper <= step })
}
