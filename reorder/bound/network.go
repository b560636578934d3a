package bound

// network is what the least bytes at one operator are computed in, contracted
// to what is open. An operator in the set in has run, one in out has not; the
// others are its nodes, and so are values that several of them read. A set of
// open operators that have run is a cut; bytes are live on one side of it:
//
//   - a node has the excess of the bytes that are live unless it has run, less
//     those that are live once it has,
//   - an arc from a maker to a reader, or to the node of a value and from there
//     to readers, carries what is live if the maker has run and a reader has not,
//   - an arc without limit leads from an operator to what must run before it.
//
// A flow from nodes of positive excess to those of negative excess is worth as
// much as the least cut when no more can be sent.
type network struct {
	f     *Finder
	node  []int32 // by operator: its node, or -1
	ops   []int32 // by node: the operator, for the first nodes
	first []int32 // by node: its last arc, or -1
	arcs  []arc   // 2k and 2k+1 are opposite
	// excess is what a node can still give, or take if negative.
	excess []int64
	in     set
	bytes  int64 // live at the operator: what is always, and the flow
	work   int64 // arcs looked at

	level, at []int32
	queue     []int32
	log       []change
	logging   bool
	readers   []int32
}

type arc struct {
	to, next int32
	free     int64
}

// change is what undo takes back: bytes sent along an arc, or, if that is
// negative, to or from the node ^arc.
type change struct {
	arc   int32
	bytes int64
}

// unlimited is more than all sizes, and less than overflows when some are added.
const unlimited = 1 << 61

func (g *network) init(f *Finder) {
	g.f = f
	g.node = make([]int32, len(f.m.Ops))
}

// build makes the network of operator v: in is closed under what runs before,
// out under what runs after, v is in out, and they do not meet. The pairs are
// precedences besides those of the graph.
func (g *network) build(v int32, in, out set, pairs [][2]int32) {
	g.ops, g.first, g.arcs, g.excess = g.ops[:0], g.first[:0], g.arcs[:0], g.excess[:0]
	g.log, g.logging = g.log[:0], false
	g.in = in
	g.bytes = g.f.own[v]
	n := int32(len(g.node))
	for u := range n {
		g.node[u] = -1
		if !in.has(u) && !out.has(u) {
			g.node[u] = int32(len(g.ops))
			g.ops = append(g.ops, u)
			g.first = append(g.first, -1)
			g.excess = append(g.excess, 0)
		}
	}
	for _, u := range g.ops {
		for _, p := range g.f.before[u] {
			if g.node[p] >= 0 {
				g.link(g.node[u], g.node[p], unlimited)
			}
		}
	}
	for _, p := range pairs {
		if a, b := g.node[p[0]], g.node[p[1]]; a >= 0 && b >= 0 {
			g.link(b, a, unlimited)
		}
	}
	for x := range g.f.m.Values {
		g.value(x, v, in, out)
	}
	g.work += int64(len(g.arcs)) + int64(len(g.f.m.Values))
}

// value adds what a value contributes.
func (g *network) value(x int, v int32, in, out set) {
	val := &g.f.m.Values[x]
	maker := int32(val.Maker)
	if val.Size == 0 || maker >= 0 && out.has(maker) {
		return
	}
	replaced := g.f.m.Ops[v].Replaces == x
	held := val.Kept && !replaced // whatever the open operators
	g.readers = g.readers[:0]
	for _, r := range val.Readers {
		r := int32(r)
		switch {
		case out.has(r):
			held = held || !replaced || r != v
		case !in.has(r):
			g.readers = append(g.readers, g.node[r])
		}
	}
	made := maker < 0 || in.has(maker)
	switch {
	case made && held:
		g.bytes += val.Size
	case held:
		g.charge(g.node[maker], val.Size)
	case len(g.readers) == 0:
	case len(g.readers) == 1 && made:
		g.lend(g.readers[0], val.Size)
	case len(g.readers) == 1:
		g.link(g.node[maker], g.readers[0], val.Size)
	default:
		node := int32(len(g.first))
		g.first = append(g.first, -1)
		g.excess = append(g.excess, 0)
		if made {
			g.excess[node] = val.Size
		} else {
			g.link(g.node[maker], node, val.Size)
		}
		for _, r := range g.readers {
			g.link(node, r, unlimited)
		}
	}
}

// charge adds bytes that are live once the operator of a node has run.
func (g *network) charge(node int32, bytes int64) {
	if e := g.excess[node]; e > 0 {
		g.bytes += min(e, bytes)
	}
	g.excess[node] -= bytes
}

// lend adds bytes that are live until the operator of a node has run.
func (g *network) lend(node int32, bytes int64) {
	if e := g.excess[node]; e < 0 {
		g.bytes += min(-e, bytes)
	}
	g.excess[node] += bytes
}

func (g *network) link(from, to int32, bytes int64) {
	k := int32(len(g.arcs))
	g.arcs = append(g.arcs, arc{to, g.first[from], bytes}, arc{from, g.first[to], 0})
	g.first[from] = k
	g.first[to] = k + 1
}

// forceIn makes the operator of a node one that has run, for good.
func (g *network) forceIn(node int32) {
	g.bytes += max(0, -g.excess[node])
	g.excess[node] = unlimited
}

// forceOut makes the operator of a node one that has not run, for good.
func (g *network) forceOut(node int32) {
	g.bytes += max(0, g.excess[node])
	g.excess[node] = -unlimited
}
