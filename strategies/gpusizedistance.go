package strategies

// GPU size-distance, the paper's "greedy by size improved", takes buffers by
// classes of size and joins each to the object whose use is nearest in time, so
// that objects are reused soon. The classes are those of the positional maxima:
// how many buffers of at least this size are ever live at once.
//
// Complexity: O(n^2) of simple steps in the worst case, but an object concerns
// only the buffers that fit between two of its uses; plus O(m log n) for each
// buffer that loses its object, a word for 64 of the m objects. The original is
// O(n^2 m).
//
// Reference: GreedyBySizeDistPriorityAssignment, tensorflow/lite/delegates/gpu/
// common/memory_management/greedy_by_size_assignment.cc, tensorflow/tensorflow
// at commit 25227c94fd82; Y. Pisarchyk, J. Lee, "Efficient memory management
// for deep neural net inference", MLSys 2020 workshop, arXiv:2001.03288.
//
// Rule, to the byte: the class with the fewest first; in it the buffer nearest
// to an object that it can join, then the larger, then the older record. An
// object that came nearest first is kept until a strictly nearer one comes, or
// until it is taken by something live with the buffer; then the nearest is
// looked up anew, of equals the oldest. Objects are laid end to end in the
// order of their creation. Records come in birth order.
//
// Departures: steps at which no life begins or ends are not counted as
// distance. Objects are aligned and step over buffers with fixed offsets. A
// buffer with gaps is taken to be live all its life.

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/arenalab/arenalab/lifetime"
)

type gpuSizeDistance struct{}

func (gpuSizeDistance) Info() Info {
	return Info{
		Name:       "gpu-size-distance",
		Title:      "TFLite GPU: greedy by size improved",
		Summary:    "objects of TFLite's GPU delegate: by size class, nearest use first",
		Reference:  gpuPaper + "; " + gpuFolder + "greedy_by_size_assignment.cc, tensorflow/tensorflow at 25227c94fd82",
		Complexity: "O(n^2) worst case",
		Key:        "size class; distance in time to the nearest object; size descending; ties by first use, then by row",
		RowOrder:   true,
	}
}

func (gpuSizeDistance) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	order, o := traced(o)
	return share(ctx, t, o, order, func(ctx context.Context, p *placement) (*objects, error) {
		s := newSizeDistance(p.items)
		if s == nil {
			return nil, fmt.Errorf("size distance: %d buffers, many of them live at once: %w", len(p.items), ErrTooLarge)
		}
		return s.objs, s.assign(ctx)
	})
}

// distanceLimit is what the buffers times those live at once may be, so that
// the sets of objects in use fit in a gigabyte.
const distanceLimit = 1 << 33

// unreached is the distance to an object that cannot be joined.
const unreached = math.MaxInt64

type sizeDistance struct {
	items []item
	objs  *objects
	class []int32 // by item

	rivals []rival // those not assigned yet and some that are, ascending by lower
	spot   []int32 // by item: where it is in rivals
	open   int     // rivals that are not assigned

	busy  *busy
	queue classQueue
}

// rival is an item and the object that it would join.
type rival struct {
	lower, upper int64 // upper is unreached once the item is assigned
	dist         int64
	item         int32
	object       int32
}

// newSizeDistance returns nil if the items are beyond the limit.
func newSizeDistance(items []item) *sizeDistance {
	steps := rank(items)
	class := sizePositions(items, steps)
	if len(items) > 0 && int64(len(items))*int64(slices.Max(class)+1) > distanceLimit {
		return nil
	}
	s := &sizeDistance{
		items:  items,
		objs:   newObjects(len(items)),
		class:  class,
		rivals: make([]rival, len(items)),
		spot:   make([]int32, len(items)),
		open:   len(items),
		busy:   newBusy(items, steps),
	}
	for k := range items { // they come in birth order
		s.rivals[k] = rival{items[k].lower, items[k].upper, unreached, int32(k), -1}
		s.spot[k] = int32(k)
	}
	return s
}

func (s *sizeDistance) assign(ctx context.Context) error {
	byClass := make([]int32, len(s.items))
	for k := range byClass {
		byClass[k] = int32(k)
	}
	slices.SortFunc(byClass, func(a, b int32) int { return cmp.Or(cmp.Compare(s.class[a], s.class[b]), cmp.Compare(a, b)) })
	for len(byClass) > 0 {
		n := 1
		for n < len(byClass) && s.class[byClass[n]] == s.class[byClass[0]] {
			n++
		}
		s.queue.fill(s, byClass[:n])
		for range n {
			if err := ctx.Err(); err != nil {
				return err
			}
			s.put(s.queue.pop(s))
		}
		byClass = byClass[n:]
	}
	return nil
}

// put assigns the item to its object, or to a new one, and tells the others.
func (s *sizeDistance) put(k int32) {
	mine := s.rivals[s.spot[k]]
	s.close(k)
	object := mine.object
	if object < 0 {
		object = s.objs.create(int(k), s.items[k].size)
		s.busy.grow(len(s.objs.sizes))
	} else {
		s.objs.join(int(k), object, s.items[k].size)
	}
	from, to := s.busy.gap(object, mine.lower)
	s.busy.take(object, mine.lower, mine.upper)
	s.tell(object, from, to, mine.lower, mine.upper)
}

// close takes the item from the rivals; the list is cleared of such items when
// they are half of it.
func (s *sizeDistance) close(k int32) {
	s.rivals[s.spot[k]].upper = unreached
	s.open--
	if 2*s.open > len(s.rivals) {
		return
	}
	s.rivals = slices.DeleteFunc(s.rivals, func(r rival) bool { return r.upper == unreached })
	for i := range s.rivals {
		s.spot[s.rivals[i].item] = int32(i)
	}
}

// tell updates the open items after [lower, upper) of the object was taken,
// which was free in [from, to). An item that reaches out of that cannot join
// the object, or has another use of it that is nearer.
func (s *sizeDistance) tell(object int32, from, to, lower, upper int64) {
	i := sort.Search(len(s.rivals), func(i int) bool { return s.rivals[i].lower >= from })
	for ; i < len(s.rivals) && s.rivals[i].lower < to; i++ {
		r := &s.rivals[i]
		if r.upper > to || r.upper == unreached {
			continue
		}
		var dist int64
		switch {
		case r.upper <= lower:
			dist = lower - r.upper + 1
		case upper <= r.lower:
			dist = r.lower - upper + 1
		default:
			if r.object == object {
				r.dist, r.object = s.busy.nearest(r.lower, r.upper)
				s.queue.update(s, r.item)
			}
			continue
		}
		if dist < r.dist {
			r.dist, r.object = dist, object
			s.queue.update(s, r.item)
		}
	}
}
