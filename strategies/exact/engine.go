package exact

import "math"

const never = math.MaxInt64 / 4 // later than any offset

// engine is the state of a search at one capacity. It allocates only when it
// is made: every change is on the trail, and undone from there.
//
// An offset is either fixed by placing the buffer or bounded below by r. A
// buffer whose r is above base, the end of what is placed below it, waits: it
// has to rest on a buffer that is still unplaced.
type engine struct {
	p *problem

	dead   []int64 // by buffer: highest end allowed
	ceil   int64   // the largest of dead
	r      []int64 // lowest offset still possible; the offset, once placed
	base   []int64 // highest end of placed neighbours, aligned
	placed []bool
	left   int // unplaced buffers

	// By section, of its unplaced members.
	rest    []int64 // their sizes
	count   []int32
	low     []int64 // least r
	lowArg  []int32
	next    []int64 // least end r + size of those that do not wait
	nextArg []int32
	weight  []float64 // failures here, for rules that ask
	cross   []int32   // lives that go from here into the next section

	active []member // by section: unplaced members, then the others
	where  []int32  // by incidence: place in active, from the section's start

	waiting  []int32 // the waiting buffers
	waitAt   []int32 // by buffer: place in waiting, or -1
	hung     []int32 // placed though they waited, see windows.go
	trail    []change
	stale    bits // sections whose low or next is to be found anew
	tight    bits // sections to be checked
	wake     bool // the support of waiting buffers is to be checked
	nodes    int64
	limit    int64 // of nodes
	failures int64
	halt     func() bool // asked now and then: end the search?
	halted   bool

	order  []int32 // rank of each buffer
	rule   rule
	probes int     // candidates tried by rules that look ahead
	eps    float64 // softens their measure of waste
	seen   *memory // states refuted at this capacity, or nil

	heads  []head  // scratch of checkSection
	jobs   []job   // of checkParts
	least  []int64 // of supportParts, by buffer
	queue  []int32 // scratch of support
	value  []int64
	stack  []component // scratch of branch
	keys   []float64   // scratch of setOrder
	picked []int32     // scratch of the beam
}

// member is a buffer in a section, with the number of the incidence.
type member struct{ buffer, inc int32 }

// change is an old value: of what, by what. Sections and buffers are below
// 2^28.
type change struct {
	key uint32
	arg int32
	old int64
}

const (
	changeR uint32 = iota << 28
	changeBase
	changeLow
	changeNext
	changePlaced
	changeWaits
	changeWoke
	changeHung
	changeIndex = 1<<28 - 1
)

func newEngine(p *problem) *engine {
	n, m := p.n, p.m
	e := &engine{
		p: p, dead: make([]int64, n), r: make([]int64, n), base: make([]int64, n), placed: make([]bool, n),
		rest: make([]int64, m), count: make([]int32, m), low: make([]int64, m), lowArg: make([]int32, m),
		next: make([]int64, m), nextArg: make([]int32, m), weight: make([]float64, m), cross: make([]int32, m),
		active: make([]member, p.incs), where: make([]int32, p.incs),
		waiting: make([]int32, 0, n), waitAt: make([]int32, n), trail: make([]change, 0, 16*n),
		stale: newBits(m), tight: newBits(m), order: make([]int32, n), probes: 5, eps: 4,
		heads: make([]head, n), queue: make([]int32, n), value: make([]int64, n), limit: math.MaxInt64,
	}
	if p.parts != nil {
		e.jobs, e.least, e.hung = make([]job, n), make([]int64, n), make([]int32, 0, n)
	}
	e.forget()
	return e
}

// forget resets the weights of failures.
func (e *engine) forget() {
	for s := range e.weight {
		e.weight[s] = 1
	}
}

// start sets the engine to the root of a search at the capacity in bytes, and
// propagates. False: nothing fits.
func (e *engine) start(capacity int64) bool {
	p := e.p
	e.ceil = 0
	for b := range e.dead {
		e.dead[b] = p.top(b, capacity)
		e.ceil = max(e.ceil, e.dead[b])
	}
	clear(e.base)
	clear(e.placed)
	clear(e.cross)
	e.left, e.halted = p.n, false
	e.waiting, e.trail, e.hung = e.waiting[:0], e.trail[:0], e.hung[:0]
	for b := range int32(p.n) {
		e.waitAt[b] = -1
		e.r[b] = max(0, p.pin[b])
		if e.r[b]+p.size[b] > e.dead[b] {
			return false
		}
		own := p.spansOf(b)
		for s := own[0].lo; s+1 < own[len(own)-1].hi; s++ {
			e.cross[s]++
		}
	}
	copy(e.rest, p.load)
	clear(e.count)
	for s := range int32(p.m) {
		e.low[s], e.next[s], e.lowArg[s], e.nextArg[s] = never, never, -1, -1
		e.stale.set(s)
		e.tight.set(s)
	}
	e.fillSections()
	e.wake = true
	return e.settle()
}

// raise sets the least offset of b. False: b cannot be so high.
func (e *engine) raise(b int32, v int64) bool {
	p := e.p
	if p.inner {
		v = alignUp(v, p.align[b])
	}
	if v <= e.r[b] {
		return true
	}
	odd := len(p.clashesOf(b)) > 0
	if odd {
		v = e.free(b, v)
	}
	if p.pin[b] >= 0 || v+p.size[b] > e.dead[b] {
		return false
	}
	e.trail = append(e.trail, change{changeR | uint32(b), 0, e.r[b]})
	e.r[b] = v
	limit := e.ceil - v
	waits := v > e.base[b]
	if odd {
		if waits = !e.rests(b, v); !waits && e.waitAt[b] >= 0 {
			e.rouse(b)
		}
	}
	fresh := waits && e.waitAt[b] < 0
	for _, sp := range p.spansOf(b) {
		low, next, rest := e.lowArg[sp.lo:sp.hi], e.nextArg[sp.lo:sp.hi], e.rest[sp.lo:sp.hi]
		for k := range low {
			if low[k] == b || next[k] == b {
				e.stale.set(sp.lo + int32(k))
			}
			// That the least end rises, which matters to those that cannot be the
			// lowest, is left to the next check: it is not worth one of its own.
			if rest[k] > limit || p.parts != nil {
				e.tight.set(sp.lo + int32(k))
			}
		}
	}
	if fresh {
		e.wait(b)
		e.trail = append(e.trail, change{key: changeWaits | uint32(b)})
	}
	e.wake = e.wake || waits || odd
	return true
}

func alignUp(v, align int64) int64 { return (v + align - 1) &^ (align - 1) }

func (e *engine) wait(b int32) {
	e.waitAt[b] = int32(len(e.waiting))
	e.waiting = append(e.waiting, b)
}

func (e *engine) unwait(b int32) {
	last := e.waiting[len(e.waiting)-1]
	e.waiting[e.waitAt[b]], e.waitAt[last] = last, e.waitAt[b]
	e.waiting, e.waitAt[b] = e.waiting[:len(e.waiting)-1], -1
}

// lower returns an unplaced neighbour that fits below b, the lowest, or -1:
// then b may be placed at r, for all unplaced neighbours will lie above it.
func (e *engine) lower(b int32) int32 {
	best, bestR := int32(-1), int64(never)
	for _, c := range e.p.nbr.of(b) {
		if e.placed[c] || e.r[c]+e.p.size[c] > e.r[b] || e.p.parts != nil && e.waitAt[c] >= 0 {
			continue
		}
		if e.r[c] < bestR || e.r[c] == bestR && e.order[c] < e.order[best] {
			best, bestR = c, e.r[c]
		}
	}
	return best
}

// descend returns b if it may be placed at once, else a buffer below it that
// may: while an unplaced neighbour fits below, it goes first.
func (e *engine) descend(b int32) int32 {
	for c := e.lower(b); c >= 0; c = e.lower(b) {
		b = c
	}
	return b
}

// place puts b at r[b] and propagates. False: then nothing fits.
func (e *engine) place(b int32) bool {
	p := e.p
	end := e.r[b] + p.size[b]
	e.placed[b] = true
	e.left--
	e.trail = append(e.trail, change{key: changePlaced | uint32(b)})
	e.drop(b)
	if p.parts != nil {
		if e.waitAt[b] >= 0 {
			e.hang(b)
		}
		if !e.evade(b) {
			return e.fail()
		}
		return e.above(b, end) && e.settle()
	}
	for _, c := range p.nbr.of(b) {
		if e.placed[c] {
			continue
		}
		if floor := alignUp(end, p.align[c]); e.base[c] < floor {
			e.trail = append(e.trail, change{changeBase | uint32(c), 0, e.base[c]})
			e.base[c] = floor
			if e.r[c] <= floor && e.waitAt[c] >= 0 {
				e.rouse(c)
			}
		}
		if e.r[c] < end && !e.raise(c, end) {
			return e.fail()
		}
	}
	return e.above(b, end) && e.settle()
}

// above lifts what need not lie directly on b, which ends at end.
func (e *engine) above(b int32, end int64) bool {
	e.wake = true
	for _, c := range e.p.over.of(b) {
		if !e.placed[c] && e.r[c] == end && !e.lift(c) {
			return e.fail()
		}
	}
	return true
}

// rouse ends the waiting of c: it may rest on what is placed.
func (e *engine) rouse(c int32) {
	e.unwait(c)
	e.trail = append(e.trail, change{key: changeWoke | uint32(c)})
	for _, sp := range e.p.spansOf(c) {
		for s := sp.lo; s < sp.hi; s++ {
			e.stale.set(s)
		}
	}
}

// lift raises b to rest on an unplaced neighbour: on the lowest end that one
// of them can have. It does not propagate. False: there is none.
func (e *engine) lift(b int32) bool {
	p := e.p
	if p.pin[b] >= 0 {
		return false
	}
	if p.parts != nil {
		return e.raise(b, e.r[b]+1) // and then to where it can rest
	}
	v := int64(never)
	for _, c := range p.nbr.of(b) {
		if !e.placed[c] {
			v = min(v, e.r[c]+p.size[c])
		}
	}
	return v < never && e.raise(b, max(v, e.r[b]+1))
}

// postpone decides that b does not lie at r[b], and propagates.
func (e *engine) postpone(b int32) bool {
	if !e.lift(b) {
		return e.fail()
	}
	return e.settle()
}

// fail forgets what was still to be propagated.
func (e *engine) fail() bool {
	e.failures++
	e.stale.clear()
	e.tight.clear()
	e.wake = false
	return false
}

// undo takes back all changes after the mark.
func (e *engine) undo(mark int) {
	for i := len(e.trail) - 1; i >= mark; i-- {
		c := &e.trail[i]
		x := int32(c.key & changeIndex)
		switch c.key &^ changeIndex {
		case changeR:
			e.r[x] = c.old
		case changeBase:
			e.base[x] = c.old
		case changeLow:
			e.low[x], e.lowArg[x] = c.old, c.arg
		case changeNext:
			e.next[x], e.nextArg[x] = c.old, c.arg
		case changePlaced:
			e.placed[x] = false
			e.left++
			e.restore(x)
		case changeWaits:
			e.unwait(x)
		case changeWoke:
			e.wait(x)
		case changeHung:
			e.hung = e.hung[:len(e.hung)-1]
		}
	}
	e.trail = e.trail[:mark]
}
