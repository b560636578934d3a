package exact

// flow is a network of arcs with capacities and the flow through it. Node 0 is
// where it comes from, node 1 where it goes.
type flow struct {
	first, level, next []int32 // by node
	arcs               []arc   // an arc and its reverse are neighbours
	queue              []int32
	work               int64 // arcs looked at
	in                 []bool
}

type arc struct {
	to, next int32
	left     int64
}

const (
	source int32 = 0
	sink   int32 = 1

	infinite = 1 << 62
)

// reset makes an empty network of the two ends and some more nodes.
func (g *flow) reset(nodes int) {
	g.first, g.arcs, g.work = g.first[:0], g.arcs[:0], 0
	for range nodes + 2 {
		g.node()
	}
}

func (g *flow) node() int32 {
	g.first = append(g.first, -1)
	return int32(len(g.first) - 1)
}

func (g *flow) arc(from, to int32, capacity int64) {
	k := int32(len(g.arcs))
	g.arcs = append(g.arcs, arc{to, g.first[from], capacity}, arc{from, g.first[to], 0})
	g.first[from], g.first[to] = k, k+1
}

// run sends as much as possible through the network: Dinic's algorithm.
func (g *flow) run() {
	for len(g.level) < len(g.first) {
		g.level, g.next = append(g.level, 0), append(g.next, 0)
	}
	for g.search() {
		g.work += int64(len(g.arcs))
		copy(g.next, g.first)
		for g.push(source, infinite) > 0 {
		}
	}
}

// search numbers nodes by their distance from the source and reports whether
// the sink can be reached.
func (g *flow) search() bool {
	level := g.level[:len(g.first)]
	for i := range level {
		level[i] = -1
	}
	level[source] = 0
	g.queue = append(g.queue[:0], source)
	for k := 0; k < len(g.queue); k++ {
		u := g.queue[k]
		for e := g.first[u]; e >= 0; e = g.arcs[e].next {
			if a := &g.arcs[e]; a.left > 0 && level[a.to] < 0 {
				level[a.to] = level[u] + 1
				if a.to == sink {
					return true
				}
				g.queue = append(g.queue, a.to)
			}
		}
	}
	return false
}

func (g *flow) push(u int32, most int64) int64 {
	if u == sink {
		return most
	}
	for ; g.next[u] >= 0; g.next[u] = g.arcs[g.next[u]].next {
		e := g.next[u]
		a := &g.arcs[e]
		if a.left == 0 || g.level[a.to] != g.level[u]+1 {
			continue
		}
		if sent := g.push(a.to, min(most, a.left)); sent > 0 {
			g.arcs[e].left -= sent
			g.arcs[e^1].left += sent
			return sent
		}
	}
	return 0
}

// side returns by node whether it is on the source's side of a least cut: of
// the one with most nodes there, or with fewest.
func (g *flow) side(most bool) []bool {
	start := source
	if most {
		start = sink
	}
	g.in = g.in[:0]
	for range g.first {
		g.in = append(g.in, most)
	}
	g.in[start] = !most
	g.queue = append(g.queue[:0], start)
	for k := 0; k < len(g.queue); k++ {
		u := g.queue[k]
		for e := g.first[u]; e >= 0; e = g.arcs[e].next {
			a := &g.arcs[e]
			open := a.left > 0
			if most {
				open = g.arcs[e^1].left > 0
			}
			if open && g.in[a.to] == most {
				g.in[a.to] = !most
				g.queue = append(g.queue, a.to)
			}
		}
	}
	return g.in
}
