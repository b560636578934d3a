package exact

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// beam is a breadth-first search over the states of the engine that keeps only
// the most promising of each depth. It proves nothing, and finds plans at
// capacities at which a depth-first search goes wrong too early to notice.
//
// Which of its parameters suit a table is not known before, and luck matters
// more than width; so it is run again and again with others, drawn at random.
type beam struct {
	e      *engine
	random *rand.Rand
	area   []float64  // by buffer: share of the whole area
	root   float64    // danger at the root
	elite  []settings // the best so far, falling

	now, then, spare []*snapshot
	kids             []kid
	hashes           map[uint64]struct{}
	list             [maxProbes]int32
}

// beamMemory bounds the bytes of all snapshots.
const beamMemory = 48 << 20

// settings are the parameters of one run.
type settings struct {
	width, kids int
	slack       float64 // weight of a section's slack against its height
	power       float64 // of the placed area, by which danger is divided
	eps         float64
	rule        rule // of the deep searches at the end
	key         string
	factors     []float64 // of the values of the key's first letter, by buffer; nil: 1
	reached     float64   // the largest share of the area that a state had placed
}

// kid is a state to be made: buffer placed in state parent.
type kid struct {
	parent int
	buffer int32
	score  float64
}

func newBeam(p *problem, seed uint64, halt func() bool) *beam {
	b := &beam{e: newEngine(p), random: rand.New(rand.NewPCG(seed, 0x6265616d)), area: make([]float64, p.n)}
	b.e.halt = halt
	b.hashes = map[uint64]struct{}{}
	total := 0.0
	for i := range b.area {
		b.area[i] = float64(p.size[i])
		length := 0
		for _, sp := range p.spansOf(int32(i)) {
			length += int(sp.hi - sp.lo)
		}
		b.area[i] *= float64(length)
		total += b.area[i]
	}
	for i := range b.area {
		b.area[i] /= total
	}
	return b
}

// run tries beams at the capacity until one finds a plan or the nodes are used
// up. The last beam is not cut short: half a beam is worth nothing.
func (b *beam) run(capacity, nodes int64) (outcome, *engine, int64) {
	e := b.e
	var used int64
	for used < nodes {
		s := b.draw()
		if s.width = min(s.width, b.room()); s.width < 8 {
			break
		}
		e.nodes, e.limit = 0, math.MaxInt64
		out := b.search(capacity, &s)
		used += e.nodes
		if out != open || e.halted {
			return out, e, used
		}
		b.keep(s)
	}
	return open, e, used
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// beamKeys are the orders that suit beams: what lives where most is live goes
// first.
var beamKeys = [...]string{"ZWT", "TAW", "TWA", "TZ", "OZ", "Z", "WAT"}

// draw returns new settings, or, half of the time, a variation of some that
// came far.
func (b *beam) draw() settings {
	r := b.random
	if len(b.elite) > 0 && r.IntN(2) == 0 {
		return b.vary(b.elite[r.IntN(len(b.elite))])
	}
	s := settings{
		width: pick(r, 40, 60, 80, 100, 120),
		kids:  5 + r.IntN(5),
		slack: pick(r, 0.35, 0.4, 0.45, 0.45, 0.5),
		power: pick(r, 0, 0.5, 1, 1),
		eps:   pick(r, 1.0, 4, 16, 64),
		rule:  pick(r, ruleLookValley, ruleValley, ruleLookSlack),
		key:   pick(r, beamKeys[:]...),
	}
	if noise := pick(r, 0, 0.05, 0.1, 0.2, 0.4); noise > 0 {
		s.factors = b.jitter(nil, noise)
	}
	return s
}

// jitter returns factors, each changed by up to the given share.
func (b *beam) jitter(from []float64, noise float64) []float64 {
	out := make([]float64, b.e.p.n)
	for i := range out {
		out[i] = 1 + noise*(2*b.random.Float64()-1)
		if from != nil {
			out[i] *= from[i]
		}
	}
	return out
}

// vary changes two of the settings, which may be the same.
func (b *beam) vary(s settings) settings {
	r := b.random
	s.reached = 0
	for range 2 {
		switch r.IntN(6) {
		case 0:
			s.width = pick(r, 40, 60, 80, 100, 120)
		case 1:
			s.kids = 5 + r.IntN(5)
		case 2:
			s.slack += 0.1 * (r.Float64() - 0.5)
		case 3:
			s.power = pick(r, 0, 0.5, 1)
		case 4:
			s.eps *= pick(r, 0.5, 2)
		case 5:
			s.factors = b.jitter(s.factors, 0.05)
		}
	}
	return s
}

// keep adds settings to the elite if they came farther than the worst of it.
func (b *beam) keep(s settings) {
	at, _ := slices.BinarySearchFunc(b.elite, s, func(x, y settings) int { return cmp.Compare(y.reached, x.reached) })
	b.elite = slices.Insert(b.elite, at, s)
	b.elite = b.elite[:min(len(b.elite), maxElite)]
}

const maxElite = 6

// room returns how wide a beam the memory allows.
func (b *beam) room() int {
	p := b.e.p
	return beamMemory / 3 / (30*p.n + 24*p.m + 1)
}

// A beam that placed more than farReached of the area is worth farNodes a
// buffer for each deep search from its end.
const (
	farReached = 0.7
	farNodes   = 2
)

// search runs one beam. When all states of a depth fail, it searches deep from
// those of the depth before, for a short while each.
func (b *beam) search(capacity int64, s *settings) outcome {
	e := b.e
	e.eps, e.rule, e.probes = s.eps, s.rule, 4
	e.setOrder(s.key, s.factors)
	e.forget()
	defer b.release()
	if !e.start(capacity) {
		return unfit
	}
	b.root = e.danger(0, int32(e.p.m))
	b.then = append(b.then, b.save(0))
	for {
		b.now, b.then = b.then, b.now
		if out := b.expand(s); out != open || e.halted {
			return out
		}
		if len(b.kids) == 0 {
			break
		}
		b.drop(&b.then)
		b.breed()
	}
	depth := int64(e.p.n/s.width + 100)
	if s.reached > farReached {
		depth = max(depth, farNodes*int64(e.p.n))
	}
	for _, list := range [2][]*snapshot{b.then, b.now} {
		for _, x := range list {
			b.load(x)
			e.limit = e.nodes + depth
			if out := e.branch(0, int32(e.p.m), 0, int32(e.p.m)); out == fits || e.halted {
				return out
			}
		}
	}
	return open
}

// expand lists the best children of all states.
func (b *beam) expand(s *settings) outcome {
	e := b.e
	b.kids = b.kids[:0]
	clear(b.hashes)
	for i, x := range b.now {
		b.load(x)
		s.reached = max(s.reached, x.area)
		if e.left == 0 {
			return fits
		}
		if e.halt != nil && e.halt() {
			e.halted = true
			return open
		}
		at := b.section(s.slack)
		list := e.candidates(at, b.list[:0], s.kids)
		if len(list) == 0 {
			list = append(list, e.below(at, 0, int32(e.p.m)))
		}
		for _, c := range list {
			c = e.descend(c)
			mark := len(e.trail)
			e.nodes++
			if e.place(c) {
				if h := e.hashAll(); !b.known(h) {
					score := (e.danger(0, int32(e.p.m)) - b.root) / math.Pow(x.area+b.area[c], s.power)
					b.kids = append(b.kids, kid{i, c, score})
				}
			}
			e.undo(mark)
		}
	}
	slices.SortStableFunc(b.kids, func(x, y kid) int { return cmp.Compare(x.score, y.score) })
	b.kids = b.kids[:min(len(b.kids), s.width)]
	slices.SortStableFunc(b.kids, func(x, y kid) int { return cmp.Compare(x.parent, y.parent) })
	return open
}

func (b *beam) known(hash uint64) bool {
	if _, ok := b.hashes[hash]; ok {
		return true
	}
	b.hashes[hash] = struct{}{}
	return false
}

// section returns the one to work on.
func (b *beam) section(weight float64) int32 {
	e := b.e
	best, least := int32(-1), math.Inf(1)
	for s := range int32(e.p.m) {
		if e.count[s] == 0 {
			continue
		}
		if v := float64(e.low[s]) + weight*float64(e.ceil-e.rest[s]-e.low[s]); v < least {
			best, least = s, v
		}
	}
	return best
}

// breed makes the states of the listed children.
func (b *beam) breed() {
	e := b.e
	last := -1
	for _, k := range b.kids {
		x := b.now[k.parent]
		if k.parent != last {
			b.load(x)
			last = k.parent
		}
		mark := len(e.trail)
		if e.place(k.buffer) { // as it did when it was listed
			b.then = append(b.then, b.save(x.area+b.area[k.buffer]))
		}
		e.undo(mark)
	}
}

// drop gives the snapshots of a list back.
func (b *beam) drop(list *[]*snapshot) {
	b.spare = append(b.spare, *list...)
	*list = (*list)[:0]
}

func (b *beam) release() {
	b.drop(&b.now)
	b.drop(&b.then)
}

// hashAll is hash for all sections, in time linear in the buffers.
func (e *engine) hashAll() uint64 {
	var sum uint64
	for b, placed := range e.placed {
		if !placed {
			v := uint64(e.r[b])<<1 | uint64(rank(e.waitAt[b] >= 0))
			if len(e.p.clashesOf(int32(b))) > 0 {
				v += e.stand(int32(b))
			}
			sum += mix(v ^ mix(uint64(b)+0x9e3779b97f4a7c15))
		}
	}
	return sum
}

// snapshot is what an engine's state cannot be derived from otherwise.
type snapshot struct {
	r, base, low, next             []int64
	lowArg, nextArg, waiting, wait []int32
	placed                         []bool
	area                           float64 // share that is placed
}

func (b *beam) save(area float64) *snapshot {
	x := &snapshot{}
	if n := len(b.spare); n > 0 {
		x, b.spare = b.spare[n-1], b.spare[:n-1]
	}
	e := b.e
	x.r, x.base = append(x.r[:0], e.r...), append(x.base[:0], e.base...)
	x.low, x.next = append(x.low[:0], e.low...), append(x.next[:0], e.next...)
	x.lowArg, x.nextArg = append(x.lowArg[:0], e.lowArg...), append(x.nextArg[:0], e.nextArg...)
	x.waiting, x.wait = append(x.waiting[:0], e.waiting...), append(x.wait[:0], e.waitAt...)
	x.placed = append(x.placed[:0], e.placed...)
	x.area = area
	return x
}

// load brings the engine into the state of the snapshot. Sections are changed
// only where what is placed differs: states of one beam have much in common.
func (b *beam) load(x *snapshot) {
	e := b.e
	for i, placed := range x.placed {
		if placed != e.placed[i] {
			e.placed[i] = placed
			if placed {
				e.left--
				e.drop(int32(i))
			} else {
				e.left++
				e.readmit(int32(i))
			}
		}
	}
	copy(e.r, x.r)
	copy(e.base, x.base)
	copy(e.low, x.low)
	copy(e.next, x.next)
	copy(e.lowArg, x.lowArg)
	copy(e.nextArg, x.nextArg)
	copy(e.waitAt, x.wait)
	e.waiting = append(e.waiting[:0], x.waiting...)
	e.findHung()
	e.trail = e.trail[:0]
	e.stale.clear()
	e.tight.clear()
	e.wake = false
}
