package executor

import (
	"fmt"

	"github.com/arenalab/arenalab/graph"
)

// run adds the steps of the program. Tables without a step for the caller have
// him write at the first time before the first operator, and read at the last
// time after the last one.
func (b *graphBuilder) run() error {
	entry, exit := true, true
	for _, st := range b.lt.Steps {
		if st.Subgraph == b.s.Index {
			entry = entry && st.Op != graph.Entry
			exit = exit && st.Op != graph.Exit
		}
	}
	for t := range b.last + 1 {
		if t == 0 && entry {
			b.entry(t)
		}
		if t < len(b.lt.Steps) {
			if err := b.step(t, b.lt.Steps[t]); err != nil {
				return err
			}
		}
		if t == b.over && exit {
			if err := b.exit(t); err != nil {
				return err
			}
		}
		b.probes(t)
	}
	return nil
}

func (b *graphBuilder) step(t int, st graph.Step) error {
	switch {
	case st.Subgraph != b.s.Index:
		b.p.begin(int64(t), st.Subgraph, st.Op)
		b.finish(b.birthsAt(t, nil))
		return nil
	case st.Op == graph.Entry:
		b.entry(t)
		return nil
	case st.Op == graph.Exit:
		return b.exit(t)
	}
	return b.operator(t, st)
}

// entry has the caller write the inputs and leave the variables of an earlier
// invocation.
func (b *graphBuilder) entry(t int) {
	b.p.begin(int64(t), b.s.Index, graph.Entry)
	var fresh []int32
	give := func(x int) {
		if b.bytes(x) > 0 && b.now[x] < 0 {
			fresh = append(fresh, b.assign(x, mix(tagEntry, uint64(x))))
		}
	}
	for _, x := range b.s.Inputs {
		give(x)
	}
	for x := range b.s.Tensors {
		if b.s.Tensors[x].Variable {
			give(x)
		}
	}
	if len(b.lt.Steps) == 0 || b.lt.Steps[t].Op < 0 {
		fresh = b.birthsAt(t, fresh)
	}
	b.finish(fresh)
}

// exit has the caller read what a run has to leave.
func (b *graphBuilder) exit(t int) error {
	b.p.begin(int64(t), b.s.Index, graph.Exit)
	for _, x := range b.s.Outputs {
		if err := b.need(x, nil); err != nil {
			return err
		}
	}
	for x := range b.s.Tensors {
		if b.s.Tensors[x].Variable {
			if err := b.need(x, nil); err != nil {
				return err
			}
		}
	}
	for _, x := range b.s.Inputs {
		buf := b.home[x]
		if buf < 0 || b.lt.Table.Buffers[buf].Upper <= int64(b.over) || len(b.lt.Refs[buf].Tensors) > 1 {
			continue
		}
		if err := b.need(x, nil); err != nil {
			return err
		}
	}
	b.finish(b.birthsAt(t, nil))
	return nil
}

func (b *graphBuilder) operator(t int, st graph.Step) error {
	op := &b.s.Ops[st.Op]
	b.p.begin(int64(t), st.Subgraph, st.Op)
	b.p.operators++
	now := int32(len(b.p.steps) - 1)
	key := mix(tagOperator, uint64(st.Op))
	for _, x := range op.Inputs {
		if x < 0 {
			continue
		}
		if err := b.need(x, &key); err != nil {
			return err
		}
	}
	fresh := b.birthsAt(t, nil)
	for i, y := range op.Outputs {
		k := mix(key, uint64(i))
		switch {
		case b.bytes(y) == 0:
			b.outer[y] = k
		case i == 0 && b.view(op):
			x := op.Inputs[0]
			b.now[y] = b.now[x]
		default:
			fresh = append(fresh, b.assign(y, k))
		}
	}
	for i, x := range op.Inputs {
		if x < 0 || !b.s.Tensors[x].Variable {
			continue
		}
		k := mix(mix(key, tagState), uint64(i))
		switch {
		case b.bytes(x) == 0:
			b.outer[x] = k
		case b.p.values[b.now[x]].step < now: // once, if it is listed twice
			fresh = append(fresh, b.assign(x, k))
		}
	}
	b.finish(fresh)
	return nil
}

// view reports whether the operator has nothing to do, because its output has
// the bytes of its input and lies in the same buffer.
func (b *graphBuilder) view(op *graph.Op) bool {
	switch graph.OpName(op.Code) {
	case "RESHAPE", "SQUEEZE", "EXPAND_DIMS", "BITCAST":
	default:
		return false
	}
	if len(op.Inputs) == 0 || op.Inputs[0] < 0 {
		return false
	}
	x, y := op.Inputs[0], op.Outputs[0]
	return b.home[x] == b.home[y] && b.bytes(x) == b.bytes(y) && b.now[x] >= 0
}

// need reads a tensor in the current step and folds its content into the key,
// if there is one.
func (b *graphBuilder) need(x int, key *uint64) error {
	now := int32(len(b.p.steps) - 1)
	if b.bytes(x) == 0 {
		if key != nil {
			*key = mix(*key, b.outer[x])
		}
		return nil
	}
	v := b.now[x]
	if v < 0 {
		st := &b.p.steps[now]
		s := b.p.site(st, int(b.home[x]), x)
		return fmt.Errorf("%s reads %s at step %d before anything writes it", s.actor(), s.object(), st.time)
	}
	if key != nil {
		*key = mix(*key, b.p.values[v].key)
	}
	if b.read[x] == now {
		return nil
	}
	b.read[x] = now
	b.inLife(int(b.home[x]), x, b.bytes(x))
	b.p.read(b.p.whole(v, x, Input))
	return nil
}

// assign gives a tensor a new value in the current step.
func (b *graphBuilder) assign(x int, key uint64) int32 {
	b.inLife(int(b.home[x]), x, b.bytes(x))
	v := b.store(int(b.home[x]), x, b.bytes(x), key)
	b.now[x] = v
	return v
}

func (b *graphBuilder) store(buf, tensor int, bytes int64, key uint64) int32 {
	v := b.p.newValue(value{key: key, buffer: int32(buf), tensor: int32(tensor), high: bytes})
	b.p.write(b.p.whole(v, tensor, Input))
	now := len(b.p.steps) - 1
	b.held[buf], b.born[buf], b.writing[buf] = v, b.p.steps[now].time, int32(now)
	b.verified = append(b.verified, 0)
	return v
}

// birthsAt writes the buffers that the graph does not write at their birth.
func (b *graphBuilder) birthsAt(t int, fresh []int32) []int32 {
	for len(b.births) > 0 && b.lt.Table.Buffers[b.births[0]].Lower <= int64(t) {
		i := b.births[0]
		b.births = b.births[1:]
		fresh = append(fresh, b.store(i, -1, b.lt.Table.Buffers[i].Size, mix(tagScratch, uint64(i))))
	}
	return fresh
}

// finish ends a step in which the given values were written, in that order:
// all but the last may have suffered from later ones, and so may the inputs,
// except those that the table lets share a buffer with something written.
func (b *graphBuilder) finish(fresh []int32) {
	st := &b.p.steps[len(b.p.steps)-1]
	now, wrote := int32(len(b.p.steps)-1), len(fresh) > 0
	for i := st.pre; i < st.write; i++ {
		a := b.p.accesses[i]
		if b.writing[b.p.values[a.value].buffer] == now {
			continue
		}
		b.verified[a.value] = len(b.p.values)
		if wrote {
			b.p.accesses[i].again = true
			b.p.bytes -= a.high - a.low
			b.p.verify(a)
		}
	}
	for i, v := range fresh {
		b.verified[v] = len(b.p.values)
		if i < len(fresh)-1 {
			b.p.verify(b.p.whole(v, int(b.p.values[v].tensor), Own))
		}
	}
}

// probes reads what the table promises to keep until the given time, unless
// that has just been seen.
func (b *graphBuilder) probes(t int) {
	for len(b.deaths) > 0 && b.death(b.deaths[0]) <= int64(t) {
		i := b.deaths[0]
		b.deaths = b.deaths[1:]
		v := b.held[i]
		if v < 0 || b.verified[v] == len(b.p.values) {
			continue
		}
		gaps := b.lt.Table.Buffers[i].Gaps
		if len(gaps) > 0 && b.born[i] < gaps[len(gaps)-1].Upper {
			continue // given up meanwhile
		}
		b.p.verify(b.p.whole(v, int(b.p.values[v].tensor), Promise))
	}
}

// inLife notes an access of the first bytes of a buffer in the current step
// that the table does not allow. What an operator that calls subgraphs reads and
// writes has to last as long as they run.
func (b *graphBuilder) inLife(i, tensor int, bytes int64) {
	buf, st := &b.lt.Table.Buffers[i], &b.p.steps[len(b.p.steps)-1]
	time := st.time
	ok := time >= buf.Lower && time < buf.Upper
	for _, g := range buf.Gaps {
		if time >= g.Lower && time < g.Upper {
			ok = ok && g.Keep != nil && g.Keep.Lower == 0 && bytes <= g.Keep.Upper
		}
	}
	if end := b.end(int(time), st); ok && end >= buf.Upper {
		time, ok = end, false
	}
	if !ok && len(b.late) < maxLate {
		s := b.p.site(st, i, tensor)
		s.Step = time
		b.late = append(b.late, &LifetimeError{s, buf.Lower, buf.Upper})
	}
}

// end returns the last step of an operator, which is that of the subgraphs it
// calls if they are in the table.
func (b *graphBuilder) end(t int, st *step) int64 {
	if st.op >= 0 && st.subgraph == b.s.Index && len(b.s.Ops[st.op].Callees) > 0 {
		for t+1 < len(b.lt.Steps) && b.lt.Steps[t+1].Subgraph != b.s.Index && b.lt.Steps[t+1].Subgraph != graph.Nowhere {
			t++
		}
	}
	return int64(t)
}
