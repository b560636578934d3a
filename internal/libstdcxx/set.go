package libstdcxx

// IntSet is std::unordered_set<int> as far as the order of iteration goes: a
// list of all elements in which those of a bucket follow each other. The zero
// value is an empty set. Negative elements are not supported.
type IntSet struct {
	next    []int32 // by element: the next in the list, -1 at the end
	items   []int   // in the order of insertion
	first   int32
	before  []int32 // by bucket: the element before its first; head or none
	buckets int
	seen    map[int]bool
}

const (
	none = -2 // an empty bucket
	head = -1 // the list begins with this bucket
	end  = -1
)

// growth are the numbers of buckets that a set goes through as elements are
// added one by one: from one to thirteen, then the next prime of a fixed list
// that is at least twice as large.
var growth = [...]int{
	1, 13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10273, 20753, 42043, 85229, 172933, 351061, 712697,
	1447153, 2938679, 5967347, 12117689, 24607243, 49969847, 101473717, 206062531, 418456639, 849777823,
}

// Add inserts x, unless it is there already.
func (s *IntSet) Add(x int) {
	if s.seen[x] {
		return
	}
	if s.seen == nil {
		s.seen = map[int]bool{}
		s.buckets, s.before, s.first = 1, []int32{none}, end
	}
	s.seen[x] = true
	if len(s.items)+1 > s.buckets {
		s.grow()
	}
	s.items = append(s.items, x)
	s.next = append(s.next, end)
	s.link(int32(len(s.items) - 1))
}

// link puts element i in front of its bucket; a new bucket goes to the front
// of the list.
func (s *IntSet) link(i int32) {
	b := s.items[i] % s.buckets
	switch at := s.before[b]; at {
	case none:
		if s.next[i] = s.first; s.first != end {
			s.before[s.items[s.first]%s.buckets] = i
		}
		s.first, s.before[b] = i, head
	case head:
		s.next[i], s.first = s.first, i
	default:
		s.next[i], s.next[at] = s.next[at], i
	}
}

// grow moves all elements, in the order of iteration, to more buckets. Unlike
// an insertion, that puts an element behind the first of its bucket.
func (s *IntSet) grow() {
	for _, n := range growth {
		if n > s.buckets {
			s.buckets = n
			break
		}
	}
	s.before = make([]int32, s.buckets)
	for b := range s.before {
		s.before[b] = none
	}
	at := s.first
	s.first = end
	for at != end {
		following := s.next[at]
		s.link(at)
		at = following
	}
}

// Items returns the elements in the order of iteration.
func (s *IntSet) Items() []int {
	out := make([]int, 0, len(s.items))
	if len(s.items) == 0 {
		return out
	}
	for at := s.first; at != end; at = s.next[at] {
		out = append(out, s.items[at])
	}
	return out
}
