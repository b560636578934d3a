package exact

// fillSections lists the members of all sections as active.
func (e *engine) fillSections() {
	p := e.p
	for b := range int32(p.n) {
		for _, sp := range p.spansOf(b) {
			for s := sp.lo; s < sp.hi; s++ {
				inc := sp.inc + s - sp.lo
				e.active[p.member.at[s]+e.count[s]] = member{b, inc}
				e.where[inc] = e.count[s]
				e.count[s]++
			}
		}
	}
}

// members returns the unplaced members of a section.
func (e *engine) members(s int32) []member {
	at := e.p.member.at[s]
	return e.active[at : at+e.count[s]]
}

// drop takes b out of its sections.
func (e *engine) drop(b int32) {
	p := e.p
	tallest := p.padded && e.dead[b] == e.ceil
	own := p.spansOf(b)
	for _, sp := range own {
		size := p.share(b, sp)
		for s := sp.lo; s < sp.hi; s++ {
			e.rest[s] -= size
			last := e.count[s] - 1
			e.count[s] = last
			inc := sp.inc + s - sp.lo
			if k := e.where[inc]; k != last {
				at := p.member.at[s]
				x := e.active[at+last]
				e.active[at+k], e.active[at+last] = x, member{b, inc}
				e.where[x.inc], e.where[inc] = k, last
			}
			if e.lowArg[s] == b || e.nextArg[s] == b {
				e.stale.set(s)
			}
			if tallest || p.parts != nil {
				e.tight.set(s)
			}
		}
	}
	for s := own[0].lo; s+1 < own[len(own)-1].hi; s++ {
		e.cross[s]--
	}
}

// restore undoes drop. The order of active needs no undoing: members that left
// last stand right behind the active ones.
func (e *engine) restore(b int32) {
	p := e.p
	own := p.spansOf(b)
	for _, sp := range own {
		size := p.share(b, sp)
		for s := sp.lo; s < sp.hi; s++ {
			e.rest[s] += size
			e.count[s]++
		}
	}
	for s := own[0].lo; s+1 < own[len(own)-1].hi; s++ {
		e.cross[s]++
	}
}

// readmit is restore for a buffer that was not the last to leave.
func (e *engine) readmit(b int32) {
	p := e.p
	for _, sp := range p.spansOf(b) {
		for s := sp.lo; s < sp.hi; s++ {
			inc := sp.inc + s - sp.lo
			at, k, first := p.member.at[s], e.where[inc], e.count[s]
			x := e.active[at+first]
			e.active[at+k], e.active[at+first] = x, member{b, inc}
			e.where[x.inc], e.where[inc] = k, first
		}
	}
	e.restore(b)
}
