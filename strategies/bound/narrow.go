package bound

import "slices"

// orders are decisions which of two buffers is below, and what follows.
type orders struct {
	m        *model
	n        int
	head     []int64 // lowest possible offset
	tail     []int64 // highest possible offset
	below    []bool  // i * n + j, transitively closed
	pairs    [][2]int
	machines []machine
	trail    []change
	in       [][]int // by buffer: the machines it is a job of
	stale    []bool  // by machine: something changed since it was looked at
	work     int     // elementary operations left; a count, not a limit
}

// machine is a section: buffers that are there with all their bytes.
type machine struct {
	jobs []int
	sum  int64
}

// change is a value of head, tail or below before it was changed.
type change struct {
	list  *[]int64 // nil for below
	at    int
	value int64
}

func newOrders(m *model) *orders {
	o := &orders{m: m, n: m.n, below: make([]bool, m.n*m.n)}
	for i := range m.n {
		head, tail := int64(0), m.top(i)
		if m.pin[i] >= 0 {
			head, tail = m.pin[i], m.pin[i]
		}
		o.head, o.tail = append(o.head, head), append(o.tail, tail)
	}
	met := make([]bool, m.n*m.n)
	for _, section := range m.sections {
		var mc machine
		for _, p := range section {
			if p.low != 0 || p.high != m.size[p.b] {
				continue
			}
			for _, j := range mc.jobs {
				a, b := min(p.b, j), max(p.b, j)
				if !met[a*m.n+b] {
					met[a*m.n+b] = true
					o.pairs = append(o.pairs, [2]int{a, b})
				}
			}
			mc.jobs = append(mc.jobs, p.b)
			mc.sum += p.high
		}
		slices.Sort(mc.jobs)
		o.machines = append(o.machines, mc)
	}
	o.in, o.stale = make([][]int, m.n), make([]bool, len(o.machines))
	for k, mc := range o.machines {
		o.stale[k] = true
		for _, i := range mc.jobs {
			o.in[i] = append(o.in[i], k)
		}
	}
	return o
}

// touch marks the machines of a buffer of which something changed.
func (o *orders) touch(i int) {
	for _, k := range o.in[i] {
		o.stale[k] = true
	}
}

// back undoes the changes after the mark, a time at which narrow had nothing
// left to conclude, or after which it is not called any more.
func (o *orders) back(mark int) {
	for k := len(o.trail) - 1; k >= mark; k-- {
		if c := &o.trail[k]; c.list == nil {
			o.below[c.at] = false
		} else {
			(*c.list)[c.at] = c.value
		}
	}
	o.trail = o.trail[:mark]
	clear(o.stale)
}

// decide adds an order and those that follow; false if they are a circle.
func (o *orders) decide(i, j int) bool {
	for a := range o.n {
		if a != i && !o.below[a*o.n+i] {
			continue
		}
		for b := range o.n {
			if b != j && !o.below[j*o.n+b] || o.below[a*o.n+b] {
				continue
			}
			if a == b || o.below[b*o.n+a] {
				return false
			}
			o.below[a*o.n+b] = true
			o.touch(a)
			o.touch(b)
			o.trail = append(o.trail, change{nil, a*o.n + b, 0})
		}
	}
	return true
}

// above says that the offset of i is v or more; it reports whether that is new.
func (o *orders) above(i int, v int64) bool {
	v = ceilDiv(v, o.m.step[i]) * o.m.step[i]
	if v <= o.head[i] {
		return false
	}
	o.trail = append(o.trail, change{&o.head, i, o.head[i]})
	o.head[i] = v
	o.touch(i)
	return true
}

// under says that the offset of i is v or less.
func (o *orders) under(i int, v int64) bool {
	v = floorDiv(v, o.m.step[i]) * o.m.step[i]
	if v >= o.tail[i] {
		return false
	}
	o.trail = append(o.trail, change{&o.tail, i, o.tail[i]})
	o.tail[i] = v
	o.touch(i)
	return true
}

// narrow draws conclusions until there are no more; false if there is no plan.
func (o *orders) narrow() bool {
	for again := true; again; {
		again = false
		o.work -= len(o.pairs)
		for _, p := range o.pairs {
			news, ok := o.pair(p[0], p[1])
			if !ok {
				return false
			}
			again = again || news
		}
		for k := range o.machines {
			if !o.stale[k] {
				continue
			}
			mc := &o.machines[k]
			o.stale[k] = false
			o.work -= len(mc.jobs) * len(mc.jobs) * len(mc.jobs)
			if o.overfull(mc.jobs) {
				return false
			}
			again = o.outer(mc) || again
			again = o.piles(mc.jobs) || again
		}
		for i := range o.n {
			if o.head[i] > o.tail[i] {
				return false
			}
		}
	}
	return true
}

// pair finds the order of two buffers if there is but one, and applies it.
func (o *orders) pair(i, j int) (news, ok bool) {
	size := o.m.size
	switch {
	case o.below[i*o.n+j]:
	case o.below[j*o.n+i]:
		i, j = j, i
	default:
		up, down := o.head[i]+size[i] <= o.tail[j], o.head[j]+size[j] <= o.tail[i]
		if up && down {
			return false, true
		}
		if !up {
			i, j = j, i
		}
		if !up && !down || !o.decide(i, j) {
			return false, false
		}
		news = true
	}
	news = o.above(j, o.head[i]+size[i]) || news
	news = o.under(i, o.tail[j]-size[i]) || news
	return news, true
}

// overfull reports whether jobs that have to be within some range of offsets
// are too large for it.
func (o *orders) overfull(jobs []int) bool {
	size := o.m.size
	for _, a := range jobs {
		from := o.head[a]
		for _, z := range jobs {
			to := o.tail[z] + size[z]
			var sum int64
			for _, k := range jobs {
				if o.head[k] >= from && o.tail[k]+size[k] <= to {
					sum += size[k]
				}
			}
			if sum > max(0, to-from) {
				return true
			}
		}
	}
	return false
}

// outer moves jobs that cannot be the lowest of a section, or the highest, as
// the others would not fit on the one side.
func (o *orders) outer(mc *machine) (news bool) {
	if len(mc.jobs) < 2 {
		return false
	}
	size := o.m.size
	const far = int64(1) << 62
	bottom, ceiling := far, -far
	for _, i := range mc.jobs {
		bottom, ceiling = min(bottom, o.head[i]), max(ceiling, o.tail[i]+size[i])
	}
	for _, i := range mc.jobs {
		if o.head[i]+mc.sum > ceiling {
			v := far
			for _, k := range mc.jobs {
				if k != i {
					v = min(v, o.head[k]+size[k])
				}
			}
			news = o.above(i, v) || news
		}
		if bottom+mc.sum > o.tail[i]+size[i] {
			v := -far
			for _, k := range mc.jobs {
				if k != i {
					v = max(v, o.tail[k])
				}
			}
			news = o.under(i, v-size[i]) || news
		}
	}
	return news
}

// piles moves each job above all that is decided to be below it, and the other
// way round.
func (o *orders) piles(jobs []int) (news bool) {
	size := o.m.size
	for _, i := range jobs {
		head, tail := o.head[i], o.tail[i]
		for _, a := range jobs {
			up, down := o.below[a*o.n+i], o.below[i*o.n+a]
			if !up && !down {
				continue
			}
			var sum int64
			for _, k := range jobs {
				if up && o.below[k*o.n+i] && o.head[k] >= o.head[a] ||
					down && o.below[i*o.n+k] && o.tail[k]+size[k] <= o.tail[a]+size[a] {
					sum += size[k]
				}
			}
			if up {
				head = max(head, o.head[a]+sum)
			} else {
				tail = min(tail, o.tail[a]+size[a]-sum-size[i])
			}
		}
		news = o.above(i, head) || news
		news = o.under(i, tail) || news
	}
	return news
}
