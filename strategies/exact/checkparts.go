package exact

// job is what a buffer takes in a section in which parts count: size units
// that cannot begin below r, nor end above the ceiling less tail.
type job struct {
	r, size, tail int64
	low           int64 // from the offset of the buffer
	buffer        int32
	placed        bool
}

// checkParts is checkSection where buffers may take but parts of themselves.
// It differs in two ways. What is placed may lie above what is not, and is a
// job then. And as the rest of a buffer lies above its part, jobs have tails:
// of any of them the least r, all sizes and the least tail fit below the
// ceiling.
func (e *engine) checkParts(s int32) bool {
	top := e.ceiling(s)
	jobs := e.jobsOf(s, top)
	if len(jobs) == 0 {
		return true
	}
	var sum int64
	tail := int64(never)
	for i := range jobs {
		sum += jobs[i].size
		tail = min(tail, jobs[i].tail)
	}
	limit, first := top-sum-tail, int64(never)
	for i := range jobs {
		if j := &jobs[i]; j.r <= limit {
			first = min(first, j.r+j.size)
		}
	}
	if first == never {
		return false
	}
	for i := range jobs {
		j := &jobs[i]
		if j.r <= limit || j.r >= first {
			continue
		}
		if j.placed || !e.raise(j.buffer, first-j.low) {
			return false
		}
		j.r = e.r[j.buffer] + j.low
	}
	return packs(jobs, top)
}

// jobsOf lists what section s still has to hold.
func (e *engine) jobsOf(s int32, top int64) []job {
	p := e.p
	jobs := e.jobs[:0]
	bottom := int64(never)
	for _, m := range e.members(s) {
		x := p.parts[m.inc]
		if x.size == 0 {
			continue // rounded away
		}
		r := e.r[m.buffer] + x.low
		bottom = min(bottom, r)
		jobs = append(jobs, job{r, x.size, p.size[m.buffer] - x.low - x.size, x.low, m.buffer, false})
	}
	if len(jobs) == 0 {
		return jobs
	}
	for _, m := range e.active[p.member.at[s]+e.count[s] : p.member.at[s+1]] {
		x := p.parts[m.inc]
		r := e.r[m.buffer] + x.low
		if end := r + x.size; x.size > 0 && end > bottom {
			r = max(r, bottom)
			jobs = append(jobs, job{r, end - r, top - end, x.low, m.buffer, true})
		}
	}
	return jobs
}

// packs reports whether the least r, the sizes and the least tail of no set of
// jobs exceed the top. It sorts the jobs.
func packs(jobs []job, top int64) bool {
	for i := range jobs { // descending
		k, j := i, jobs[i]
		for ; k > 0 && jobs[k-1].r < j.r; k-- {
			jobs[k] = jobs[k-1]
		}
		jobs[k] = j
	}
	for i := range jobs {
		tail, sum := jobs[i].tail, int64(0)
		for k := range jobs {
			if j := &jobs[k]; j.tail >= tail {
				if sum += j.size; j.r+sum+tail > top {
					return false
				}
			}
		}
	}
	return true
}
