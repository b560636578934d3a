package reorder

import (
	"math"
	"slices"
)

// primeSets is how many sets of operators of a part that cannot be taken apart
// are gone through.
const primeSets = 32_768

// prime is a part that is not taken apart, with all its states: sets of
// operators that may have run, by size.
//
// Of all its orders one can take the place of all others, whatever runs between
// its segments, because live bytes are submodular: what an operator adds can
// only be less the more others have run. It goes through the state of the least
// live bytes. From there on it climbs the lowest hill there is to the end, and
// stops, once over it, in the state of the least live bytes from which the rest
// is lower; up to there it is the same backwards.
type prime struct {
	*part
	ropes  []*rope // by operator
	states *states
	edges  []edge // by the state they leave, ascending
	first  []int  // by state: its first edge; one more
	back   [][]int32
	ahead  []int64 // by state: the lowest hill to the end
	behind []int64 // by state: the lowest hill from the start
	seen   []int32 // scratch, by state: the edge by which it was reached, + 1
	queue  []int32
}

type edge struct {
	from, to int32
	op       int32
	hill     int64
}

// dominant returns the order of the part that can take the place of all others,
// and false if it has too many states.
func dominant(p *part, ropes []*rope, b *budget) (chain, bool) {
	d := prime{part: p, ropes: ropes, states: newStates(p.words)}
	if !d.explore(b) {
		return nil, false
	}
	d.hills()
	low := 0
	for s := range d.states.len() {
		if d.states.live[s] < d.states.live[low] {
			low = s
		}
	}
	var down []segment
	for at := low; at != 0; {
		var s segment
		at, s = d.descend(at)
		down = append(down, s)
	}
	var all chain
	for _, s := range slices.Backward(down) {
		all = all.push(s)
	}
	for at := low; at != d.states.len()-1; {
		var s segment
		at, s = d.climb(at)
		all = all.push(s)
	}
	return all, true
}

// explore finds all states.
func (d *prime) explore(b *budget) bool {
	d.states.find(make(opset, d.words))
	now := make(opset, d.words)
	for s := 0; s < d.states.len(); s++ {
		d.first = append(d.first, len(d.edges))
		copy(now, d.states.set(s))
		for k := range d.ops {
			if now.has(k) || !now.hasAll(d.pred[k]) {
				continue
			}
			during, after := d.part.run(now, k)
			now.add(k)
			to, _ := d.states.find(now)
			now.drop(k)
			if !b.step() || d.states.len() > primeSets {
				return false
			}
			live := d.states.live[s]
			d.states.live[to] = live + after
			d.edges = append(d.edges, edge{int32(s), int32(to), int32(k), live + max(during, after, 0)})
		}
	}
	d.first = append(d.first, len(d.edges))
	return true
}

// hills finds the lowest hills to and from every state. States are by size.
func (d *prime) hills() {
	n := d.states.len()
	d.ahead, d.behind = make([]int64, n), make([]int64, n)
	d.back, d.seen = make([][]int32, n), make([]int32, n)
	for s := range n {
		d.ahead[s], d.behind[s] = math.MaxInt64, math.MaxInt64
	}
	d.behind[0], d.ahead[n-1] = math.MinInt64, math.MinInt64
	for i, e := range d.edges {
		d.back[e.to] = append(d.back[e.to], int32(i))
		d.behind[e.to] = min(d.behind[e.to], max(d.behind[e.from], e.hill))
	}
	for _, e := range slices.Backward(d.edges) {
		d.ahead[e.from] = min(d.ahead[e.from], max(d.ahead[e.to], e.hill))
	}
}

// walk visits the states that are reached over hills of at most that height,
// forwards or backwards, and leaves them in the queue.
func (d *prime) walk(at int, most int64, forwards bool) {
	clear(d.seen)
	d.queue = append(d.queue[:0], int32(at))
	visit := func(e int, s int32) {
		if d.edges[e].hill <= most && d.seen[s] == 0 && int(s) != at {
			d.seen[s] = int32(e + 1)
			d.queue = append(d.queue, s)
		}
	}
	for k := 0; k < len(d.queue); k++ {
		s := d.queue[k]
		if forwards {
			for e := d.first[s]; e < d.first[s+1]; e++ {
				visit(e, d.edges[e].to)
			}
			continue
		}
		for _, e := range d.back[s] {
			visit(int(e), d.edges[e].from)
		}
	}
}

// lowest returns the visited state of the least live bytes of those whose
// remaining hills are lower than that.
func (d *prime) lowest(hills []int64, most int64) int {
	best := -1
	for _, s := range d.queue {
		if hills[s] < most && (best < 0 || d.states.live[s] < d.states.live[best]) {
			best = int(s)
		}
	}
	return best
}

// climb returns the state after the lowest hill there is on the way to the end,
// and the way there.
func (d *prime) climb(at int) (int, segment) {
	most := d.ahead[at]
	d.walk(at, most, true)
	to := d.lowest(d.ahead, most)
	var way []int32
	for k := int32(to); int(k) != at; k = d.edges[d.seen[k]-1].from {
		way = append(way, d.seen[k]-1)
	}
	slices.Reverse(way)
	return to, d.segment(way, most)
}

// descend returns the state before the lowest hill there is on the way from the
// start, and the way from there.
func (d *prime) descend(at int) (int, segment) {
	most := d.behind[at]
	d.walk(at, most, false)
	from := d.lowest(d.behind, most)
	var way []int32
	for k := int32(from); int(k) != at; k = d.edges[d.seen[k]-1].to {
		way = append(way, d.seen[k]-1)
	}
	return from, d.segment(way, most)
}

// segment returns the edges, over a hill of that height, as one.
func (d *prime) segment(way []int32, hill int64) segment {
	from, to := d.edges[way[0]].from, d.edges[way[len(way)-1]].to
	var ops *rope
	for _, e := range way {
		ops = joinRopes(ops, d.ropes[d.edges[e].op])
	}
	return segment{hill - d.states.live[from], d.states.live[to] - d.states.live[from], ops}
}
