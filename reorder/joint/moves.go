package joint

import "math/rand/v2"

// mover changes an order by one move at a time, which is then accepted or
// rejected.
type mover struct {
	before [][]int // by operator
	after  lists
	order  []int32
	at     []int32 // by operator: its position in the order last accepted
	old    []int32 // what was in the order at the positions [low, low+len(old))
	low    int
	marked []bool
	moved  []int32
	stayed []int32
}

func newMover(s *state, order []int32) *mover {
	n := len(order)
	m := &mover{
		before: s.m.Before, after: s.after, order: make([]int32, n), at: make([]int32, n),
		old: make([]int32, 0, n), marked: make([]bool, n),
		moved: make([]int32, 0, n), stayed: make([]int32, 0, n),
	}
	m.restart(order)
	return m
}

// restart begins anew with the order.
func (m *mover) restart(order []int32) {
	copy(m.order, order)
	for k, i := range m.order {
		m.at[i] = int32(k)
	}
	m.old = m.old[:0]
}

// The shares, of 10, of the moves. What carries an operator together with those
// before or after it that are near finds most; a chain alone, some.
const (
	pulls  = 3
	pushes = 3
	chains = 2
)

// mostReach is the furthest that an operator is pulled or pushed.
const mostReach = 60

// propose makes a move of the operator at the position and reports whether the
// order is another now.
func (m *mover) propose(random *rand.Rand, position int) bool {
	n := len(m.order)
	switch k := random.IntN(10); {
	case k < pulls:
		return m.pull(max(0, position-1-random.IntN(mostReach)), position)
	case k < pulls+pushes:
		return m.push(position, min(n-1, position+1+random.IntN(mostReach)))
	case k < pulls+pushes+chains:
		first, last := m.chain(position)
		return m.slide(random, first, last)
	}
	return m.slide(random, position, position)
}

// pull runs the operator at p, and those from q on that must run before it,
// ahead of all others from q on.
func (m *mover) pull(q, p int) bool {
	m.begin(q, p+1)
	m.marked[m.order[p]] = true
	m.moved, m.stayed = m.moved[:0], m.stayed[:0]
	for k := p; k >= q; k-- {
		i := m.order[k]
		if !m.marked[i] {
			m.stayed = append(m.stayed, i)
			continue
		}
		m.moved = append(m.moved, i)
		for _, j := range m.before[i] {
			if int(m.at[j]) >= q {
				m.marked[j] = true
			}
		}
	}
	k := q
	for x := len(m.moved) - 1; x >= 0; x-- {
		m.marked[m.moved[x]] = false
		m.order[k] = m.moved[x]
		k++
	}
	for x := len(m.stayed) - 1; x >= 0; x-- {
		m.order[k] = m.stayed[x]
		k++
	}
	return len(m.stayed) > 0
}

// push runs the operator at p, and those up to q that must run after it, behind
// all others up to q.
func (m *mover) push(p, q int) bool {
	m.begin(p, q+1)
	m.marked[m.order[p]] = true
	m.moved, m.stayed = m.moved[:0], m.stayed[:0]
	for k := p; k <= q; k++ {
		i := m.order[k]
		if !m.marked[i] {
			m.stayed = append(m.stayed, i)
			continue
		}
		m.moved = append(m.moved, i)
		for _, j := range m.after.of(i) {
			if int(m.at[j]) <= q {
				m.marked[j] = true
			}
		}
	}
	k := p + copy(m.order[p:], m.stayed)
	copy(m.order[k:], m.moved)
	for _, i := range m.moved {
		m.marked[i] = false
	}
	return len(m.stayed) > 0
}

// chain returns the positions of the first and the last operator of the chain
// at the position: each the only one after the one before, and the other way
// round, and run one after the other.
func (m *mover) chain(p int) (first, last int) {
	first, last = p, p
	for last+1 < len(m.order) && m.linked(last) {
		last++
	}
	for first > 0 && m.linked(first-1) {
		first--
	}
	return first, last
}

// linked reports whether the operator at k and the next are a chain.
func (m *mover) linked(k int) bool {
	after, before := m.after.of(m.order[k]), m.before[m.order[k+1]]
	return len(after) == 1 && after[0] == m.order[k+1] && len(before) == 1
}

// slide moves the operators at the positions from first to last to another place
// that suits them all.
func (m *mover) slide(random *rand.Rand, first, last int) bool {
	low, high := 0, len(m.order)-1
	for k := first; k <= last; k++ {
		for _, j := range m.before[m.order[k]] {
			if at := int(m.at[j]); at < first {
				low = max(low, at+1)
			}
		}
		for _, j := range m.after.of(m.order[k]) {
			if at := int(m.at[j]); at > last {
				high = min(high, at-1)
			}
		}
	}
	size := last - first + 1
	high -= size - 1
	m.old = m.old[:0]
	if high <= low {
		return false
	}
	to := low + random.IntN(high-low+1)
	switch random.IntN(4) {
	case 0:
		to = low
	case 1:
		to = high
	}
	if to == first {
		return false
	}
	m.begin(min(to, first), max(to, first)+size)
	if to < first {
		copy(m.order[to+size:], m.old[:first-to])
		copy(m.order[to:], m.old[first-to:])
	} else {
		copy(m.order[first:], m.old[size:])
		copy(m.order[to:], m.old[:size])
	}
	return true
}

// begin remembers what is in the order at the positions [low, high).
func (m *mover) begin(low, high int) {
	m.low = low
	m.old = append(m.old[:0], m.order[low:high]...)
}

// reject takes the last move back.
func (m *mover) reject() {
	copy(m.order[m.low:], m.old)
	m.old = m.old[:0]
}

// accept keeps the last move.
func (m *mover) accept() {
	for k := m.low; k < m.low+len(m.old); k++ {
		m.at[m.order[k]] = int32(k)
	}
	m.old = m.old[:0]
}
