package bound

// settle sends what can be sent from nodes that can give to nodes that can
// take, until the bytes at the operator are above most. Dinic's algorithm.
func (g *network) settle(most int64) int64 {
	for g.bytes <= most && g.levels(-1, true) {
		for _, s := range g.queue {
			if g.level[s] != 0 {
				break
			}
			if sent := g.send(s, min(g.excess[s], most-g.bytes+1)); sent > 0 {
				g.excess[s] -= sent
				if g.bytes += sent; g.bytes > most {
					break
				}
			}
		}
	}
	return g.bytes
}

// withIn returns the bytes if the operator of a node must have run as well,
// after settle. Only what leaves that node can be sent then: what other nodes
// give does not reach any that can take. undo takes it back.
func (g *network) withIn(node int32, most int64) int64 {
	for g.bytes <= most && g.levels(node, true) {
		g.bytes += g.send(node, most-g.bytes+1)
	}
	return g.bytes
}

// withOut returns the bytes if the operator of a node must not have run, as withIn.
func (g *network) withOut(node int32, most int64) int64 {
	for g.bytes <= most && g.levels(node, false) {
		g.bytes += g.fetch(node, most-g.bytes+1)
	}
	return g.bytes
}

// record starts to log changes, and undo takes them back.
func (g *network) record() { g.logging, g.log = true, g.log[:0] }

func (g *network) undo(bytes int64) {
	for k := len(g.log) - 1; k >= 0; k-- {
		c := g.log[k]
		if c.arc < 0 {
			g.excess[^c.arc] -= c.bytes
			continue
		}
		g.arcs[c.arc].free += c.bytes
		g.arcs[c.arc^1].free -= c.bytes
	}
	g.logging, g.log = false, g.log[:0]
	g.bytes = bytes
}

// levels gives nodes their distance from the root, or, if that is negative,
// from all that can give, as far as the nearest that can take; backward, it is
// the distance to the root, as far as the nearest that can give. It reports
// whether there is one.
func (g *network) levels(root int32, forward bool) bool {
	g.start(root, forward)
	end := int32(-1)
	for k := 0; k < len(g.queue); k++ {
		u := g.queue[k]
		if end >= 0 && g.level[u] >= end {
			break
		}
		if g.ends(u, forward) { // the root itself
			end = g.level[u]
			continue
		}
		for e := g.first[u]; e >= 0; e = g.arcs[e].next {
			g.work++
			w := g.arcs[e].to
			if g.level[w] >= 0 || !g.open(e, forward) {
				continue
			}
			g.level[w] = g.level[u] + 1
			g.queue = append(g.queue, w)
			if end < 0 && g.ends(w, forward) {
				end = g.level[w]
			}
		}
	}
	if end < 0 {
		return false
	}
	g.at = append(g.at[:0], g.first...)
	return true
}

// start begins a search.
func (g *network) start(root int32, forward bool) {
	g.work += int64(len(g.first)) / 4
	g.level = g.level[:0]
	for range g.first {
		g.level = append(g.level, -1)
	}
	g.queue = g.queue[:0]
	if root >= 0 {
		g.queue = append(g.queue, root)
		g.level[root] = 0
		return
	}
	for u, e := range g.excess {
		if forward && e > 0 || !forward && e < 0 {
			g.queue = append(g.queue, int32(u))
			g.level[u] = 0
		}
	}
}

func (g *network) ends(u int32, forward bool) bool {
	return forward && g.excess[u] < 0 || !forward && g.excess[u] > 0
}

func (g *network) open(e int32, forward bool) bool {
	if !forward {
		e ^= 1
	}
	return g.arcs[e].free > 0
}

// send sends up to want bytes from a node along rising levels.
func (g *network) send(u int32, want int64) (sent int64) {
	if e := g.excess[u]; e < 0 {
		sent = min(want, -e)
		g.settleNode(u, sent)
	}
	for sent < want && g.at[u] >= 0 {
		k := g.at[u]
		if a := &g.arcs[k]; a.free > 0 && g.level[a.to] == g.level[u]+1 {
			if d := g.send(a.to, min(want-sent, a.free)); d > 0 {
				g.along(k, d)
				sent += d
				continue
			}
		}
		g.work++
		g.at[u] = g.arcs[k].next
	}
	return sent
}

// fetch brings up to want bytes to a node along falling levels.
func (g *network) fetch(u int32, want int64) (brought int64) {
	if e := g.excess[u]; e > 0 {
		brought = min(want, e)
		g.settleNode(u, -brought)
	}
	for brought < want && g.at[u] >= 0 {
		k := g.at[u]
		if a := &g.arcs[k]; g.arcs[k^1].free > 0 && g.level[a.to] == g.level[u]+1 {
			if d := g.fetch(a.to, min(want-brought, g.arcs[k^1].free)); d > 0 {
				g.along(k^1, d)
				brought += d
				continue
			}
		}
		g.work++
		g.at[u] = g.arcs[k].next
	}
	return brought
}

func (g *network) along(k int32, bytes int64) {
	g.arcs[k].free -= bytes
	g.arcs[k^1].free += bytes
	if g.logging {
		g.log = append(g.log, change{k, bytes})
	}
}

func (g *network) settleNode(u int32, bytes int64) {
	g.excess[u] += bytes
	if g.logging {
		g.log = append(g.log, change{^u, bytes})
	}
}

// smallest returns the least set of operators that have run at a least cut, the
// root among them if it is one that must have; largest the greatest, without the
// root if it is one that must not.
func (g *network) smallest(root int32) set {
	s := append(set(nil), g.in...)
	g.spread(root, true)
	for _, u := range g.queue {
		if int(u) < len(g.ops) {
			s.add(g.ops[u])
		}
	}
	return s
}

func (g *network) largest(root int32) set {
	s := append(set(nil), g.in...)
	g.spread(root, false)
	for u, op := range g.ops {
		if g.level[u] < 0 {
			s.add(op)
		}
	}
	return s
}

// spread finds all nodes that can be reached from those that can give and the
// root; backward, those from which such that can take and the root are reached.
func (g *network) spread(root int32, forward bool) {
	g.start(-1, forward)
	if root >= 0 && g.level[root] < 0 {
		g.level[root] = 0
		g.queue = append(g.queue, root)
	}
	for k := 0; k < len(g.queue); k++ {
		for e := g.first[g.queue[k]]; e >= 0; e = g.arcs[e].next {
			g.work++
			if w := g.arcs[e].to; g.level[w] < 0 && g.open(e, forward) {
				g.level[w] = 0
				g.queue = append(g.queue, w)
			}
		}
	}
}
