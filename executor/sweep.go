package executor

import (
	"cmp"
	"slices"
	"sort"
	"unsafe"
)

// sweeper finds the unused memory around what operators write.
type sweeper struct {
	keeps  []bool  // by buffer: it outlives invocations
	ready  bool    // the following are there
	births []int32 // buffers by birth
	live   []int32 // buffers by offset
	at     []int32 // by step: where in ArenaRun.rooms it begins
	kept   []int32 // buffers that outlive invocations, by offset
}

// room is unused memory next to a buffer that is written at a step.
type room struct {
	buffer        int32
	before, after int32 // bytes, at most margin
}

// lead returns the bytes before the first multiple of margin.
func lead(mem []byte) int {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(mem))) & (margin - 1)
	return int((margin - at) & (margin - 1))
}

// rooms finds the unused memory next to the buffers that each step may write:
// those that are alive at it and hold results of its operator. O(n log n) for
// n buffers, plus what inserting into the list of live ones moves.
func (s *sweeper) rooms(a *ArenaRun) {
	buffers, offsets := a.table.Buffers, a.plan.Offsets
	if !s.ready {
		s.ready = true
		for b := range buffers {
			if buffers[b].Size > 0 && buffers[b].Lower <= int64(a.over) {
				s.births = append(s.births, int32(b))
			}
			if s.keeps[b] {
				s.kept = append(s.kept, int32(b))
			}
		}
		slices.SortStableFunc(s.births, func(x, y int32) int { return cmp.Compare(buffers[x].Lower, buffers[y].Lower) })
		s.at = make([]int32, a.over+2)
	}
	slices.SortFunc(s.kept, func(x, y int32) int { return cmp.Compare(offsets[x], offsets[y]) })
	s.live, a.rooms = s.live[:0], a.rooms[:0]
	next := 0
	for t := range a.over + 1 {
		s.at[t] = int32(len(a.rooms))
		for next < len(s.births) && buffers[s.births[next]].Lower <= int64(t) {
			b := s.births[next]
			next++
			at := sort.Search(len(s.live), func(k int) bool { return offsets[s.live[k]] >= offsets[b] })
			s.live = slices.Insert(s.live, at, b)
		}
		if st := a.lt.Steps; t < len(st) && st[t].Subgraph >= 0 && st[t].Op >= 0 {
			for _, o := range a.m.subs[st[t].Subgraph].ops[st[t].Op].op.Outputs {
				if b := a.p.home[st[t].Subgraph][o]; b >= 0 {
					a.rooms = append(a.rooms, s.room(a, b))
				}
			}
		}
		kept := s.live[:0]
		for _, b := range s.live {
			if buffers[b].Upper > int64(t)+1 {
				kept = append(kept, b)
			}
		}
		s.live = kept
	}
	s.at[a.over+1] = int32(len(a.rooms))
}

// room returns the unused memory around a buffer.
func (s *sweeper) room(a *ArenaRun, b int32) room {
	low, high := a.plan.Offsets[b], a.plan.Offsets[b]+a.table.Buffers[b].Size
	r := room{buffer: b}
	from, to := max(low-margin, -margin), min(high+margin, a.plan.Arena+margin)
	for _, c := range s.live {
		if c == b {
			continue
		}
		off, end := a.plan.Offsets[c], a.plan.Offsets[c]+a.table.Buffers[c].Size
		switch {
		case off < high && end > low:
			return r // an unsafe plan
		case end <= low:
			from = max(from, end)
		default:
			to = min(to, off)
		}
	}
	r.before, r.after = int32(low-from), int32(to-high)
	return r
}

// guards makes sure that an operator has written nothing next to its results.
func (a *ArenaRun) guards(r *execution, i, k, time int) error {
	if !a.poisons || i != a.s.Index && !a.nested || len(a.m.subs[i].ops[k].op.Callees) > 0 {
		return nil
	}
	const base = margin // where the arena starts in memory
	for _, g := range a.rooms[a.sweep.at[time]:a.sweep.at[time+1]] {
		low := base + int(a.plan.Offsets[g.buffer])
		high := low + int(a.table.Buffers[g.buffer].Size)
		from := low - int(g.before)
		at := poisoned(a.memory[from:low])
		if at < 0 {
			from = high
			at = poisoned(a.memory[from : high+int(g.after)])
		}
		if at < 0 {
			from = high - a.padding(int(g.buffer))
			at = poisoned(a.memory[from:high])
		}
		if at >= 0 {
			return a.stray(r, i, k, int64(from+at-base))
		}
	}
	return nil
}

// padding returns the bytes of a buffer that no tensor in it uses.
func (a *ArenaRun) padding(b int) int {
	most := int64(0)
	for _, t := range a.lt.Refs[b].Tensors {
		most = max(most, a.m.subs[t.Subgraph].bytes[t.Tensor])
	}
	return int(a.table.Buffers[b].Size - most)
}

// all makes sure that, after an invocation, nothing but variables is in the
// arena and nothing at all around it.
func (s *sweeper) all(a *ArenaRun) error {
	const base = margin
	from, end := 0, len(a.memory)
	check := func(to int) error {
		if to > from {
			if at := poisoned(a.memory[from:to]); at >= 0 {
				return a.stray(a.r, a.s.Index, -2, int64(from+at-base))
			}
		}
		return nil
	}
	for _, b := range s.kept {
		low := base + int(a.plan.Offsets[b])
		if err := check(low); err != nil {
			return err
		}
		from = max(from, low+int(a.table.Buffers[b].Size))
	}
	return check(end)
}
