package strategies

// GPU size-distance, the paper's "greedy by size improved", takes buffers by
// classes of size and joins each to the object whose use is nearest in time, so
// that objects are reused soon. The classes are those of the positional maxima:
// how many buffers of at least this size are ever live at once.
//
// Complexity: O(n^2) of simple steps, plus a walk to the nearest object for
// each buffer that loses its own; the original is O(n^2 m) with m objects.
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
		Complexity: "O(n^2)",
		Key:        "size class; distance in time to the nearest object; size descending; ties by first use, then by row",
		RowOrder:   true,
	}
}

func (gpuSizeDistance) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	order, o := traced(o)
	return share(ctx, t, o, order, func(ctx context.Context, p *placement) (*objects, error) {
		if len(p.items) > distanceLimit {
			return nil, fmt.Errorf("size distance: %d buffers, at most %d: %w", len(p.items), distanceLimit, ErrTooLarge)
		}
		s := newSizeDistance(p.items)
		return s.objs, s.assign(ctx)
	})
}

// distanceLimit is the number of buffers that are planned in seconds.
const distanceLimit = 30_000

// unreached is the distance to an object that cannot be joined.
const unreached = math.MaxInt64

type sizeDistance struct {
	items []item
	objs  *objects
	class []int32 // by item

	// The items that are not assigned yet, in any order.
	open []rival
	spot []int32 // by item: where it is in open

	uses   [][]lives // by object: ascending
	starts sideList  // assigned items ascending by first use
	ends   sideList  // and by last use
	queue  classQueue
}

// rival is an unassigned item and the object it would join.
type rival struct {
	lower, upper int64
	dist         int64
	item         int32
	object       int32
}

func newSizeDistance(items []item) *sizeDistance {
	steps := rank(items)
	s := &sizeDistance{
		items: items,
		objs:  newObjects(len(items)),
		class: sizePositions(items, steps),
		open:  make([]rival, len(items)),
		spot:  make([]int32, len(items)),
	}
	for k := range items {
		s.open[k] = rival{items[k].lower, items[k].upper, unreached, int32(k), -1}
		s.spot[k] = int32(k)
	}
	s.starts = newSideList(items, func(it *item) int64 { return it.lower })
	s.ends = newSideList(items, func(it *item) int64 { return it.upper })
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
	mine := s.open[s.spot[k]]
	last := s.open[len(s.open)-1]
	s.open[s.spot[k]], s.spot[last.item] = last, s.spot[k]
	s.open = s.open[:len(s.open)-1]

	object := mine.object
	fresh := object < 0
	if fresh {
		object = s.objs.create(int(k), s.items[k].size)
		s.uses = append(s.uses, nil)
	} else {
		s.objs.join(int(k), object, s.items[k].size)
	}
	u := s.uses[object]
	i := sort.Search(len(u), func(i int) bool { return u[i].lower >= mine.upper })
	s.uses[object] = slices.Insert(u, i, lives{mine.lower, mine.upper})
	s.starts.add(k)
	s.ends.add(k)
	s.tell(object, fresh, mine.lower, mine.upper)
}

// tell updates the items that are still open after [lower, upper) of the object
// was taken.
func (s *sizeDistance) tell(object int32, fresh bool, lower, upper int64) {
	for i := range s.open {
		r := &s.open[i]
		var dist int64
		switch {
		case r.upper <= lower:
			dist = lower - r.upper + 1
		case upper <= r.lower:
			dist = r.lower - upper + 1
		default:
			if r.object == object {
				s.lookUp(r)
				s.queue.update(s, r.item)
			}
			continue
		}
		if dist < r.dist && (fresh || s.fits(object, r)) {
			r.dist, r.object = dist, object
			s.queue.update(s, r.item)
		}
	}
}

// fits reports whether nothing in the object is live with the item.
func (s *sizeDistance) fits(object int32, r *rival) bool {
	u := s.uses[object]
	i := sort.Search(len(u), func(i int) bool { return u[i].upper > r.lower })
	return i == len(u) || u[i].lower >= r.upper
}

// lookUp finds the nearest object for the item, the oldest of equals: outwards
// from its life to both sides, over what is assigned.
func (s *sizeDistance) lookUp(r *rival) {
	r.dist, r.object = unreached, -1
	after := s.starts.next(s.starts.seek(r.upper))
	before := s.ends.prev(s.ends.seek(r.lower + 1))
	for {
		forth, back := int64(unreached), int64(unreached)
		if after < len(s.items) {
			forth = s.starts.steps[after] - r.upper + 1
		}
		if before >= 0 {
			back = r.lower - s.ends.steps[before] + 1
		}
		dist := min(forth, back)
		if dist == unreached || dist > r.dist {
			return
		}
		var k int32
		if forth <= back {
			k, after = s.starts.items[after], s.starts.next(after+1)
		} else {
			k, before = s.ends.items[before], s.ends.prev(before)
		}
		object := s.objs.of[k]
		if (r.object < 0 || object < r.object) && s.fits(object, r) {
			r.dist, r.object = dist, object
		}
	}
}
