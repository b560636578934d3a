package executor

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/arenalab/arenalab/graph"
)

// clock finds the step of every operator.
func (a *ArenaRun) clock() error {
	a.times = make([]int, len(a.s.Ops))
	a.over = max(len(a.lt.Steps)-1, 0)
	for a.over > 0 && a.lt.Steps[a.over].Subgraph == graph.Nowhere {
		a.over--
	}
	for t, st := range a.lt.Steps {
		if st.Subgraph == a.s.Index && st.Op >= 0 {
			a.times[st.Op] = t
		}
		a.nested = a.nested || st.Subgraph >= 0 && st.Subgraph != a.s.Index
	}
	if !a.nested {
		return nil
	}
	for k := range a.s.Ops { // as the run will count
		t := a.times[k] + 1
		for _, c := range a.s.Ops[k].Callees {
			if c < 0 || c >= len(a.m.subs) {
				continue
			}
			if t >= len(a.lt.Steps) || a.lt.Steps[t] != (graph.Step{Subgraph: c, Op: graph.Entry}) {
				return fmt.Errorf("step %d of the table is not the entry of subgraph %d", t, c)
			}
			t += a.m.subs[c].span
		}
		if next := a.times[k] + 1; t > next && t < len(a.lt.Steps) && a.lt.Steps[t].Subgraph != a.s.Index && a.lt.Steps[t].Subgraph != graph.Nowhere {
			return fmt.Errorf("step %d of the table is that of no operator", t)
		}
	}
	return nil
}

// homes finds the buffers of tensors, by subgraph and tensor.
func (a *ArenaRun) homes() ([][]int32, error) {
	home := make([][]int32, len(a.m.subs))
	for i, x := range a.m.subs {
		home[i] = minusOnes(len(x.bytes))
	}
	for b, ref := range a.lt.Refs {
		for _, r := range ref.Tensors {
			if r.Subgraph < 0 || r.Subgraph >= len(home) || r.Tensor < 0 || r.Tensor >= len(home[r.Subgraph]) {
				return nil, fmt.Errorf("buffer %d holds tensor %d of subgraph %d", b, r.Tensor, r.Subgraph)
			}
			x := a.m.subs[r.Subgraph]
			size := x.bytes[r.Tensor]
			if n, ok := a.lt.Sizes[r]; ok && n != size || size > a.table.Buffers[b].Size {
				return nil, fmt.Errorf("%w: the runtime gives tensor %d %q another size than the file: %d bytes",
					errSizes, r.Tensor, x.s.Tensors[r.Tensor].Name, size)
			}
			if size > 0 && a.table.Buffers[b].Size > 0 {
				home[r.Subgraph][r.Tensor] = int32(b)
			}
		}
	}
	return home, nil
}

// errSizes says that kernels cannot show what a runtime does.
var errSizes = errors.New("shapes of the file are not those of the runtime")

// mortal sorts buffers by the end of their life. Variables have none.
func (a *ArenaRun) mortal() {
	keeps := make([]bool, len(a.lt.Refs))
	for b, ref := range a.lt.Refs {
		for _, r := range ref.Tensors {
			keeps[b] = keeps[b] || a.m.subs[r.Subgraph].s.Tensors[r.Tensor].Variable
		}
	}
	count := a.over + 1
	a.deadAt = make([]int32, count+1)
	for b := range a.table.Buffers {
		if t := a.death(b); !keeps[b] && t >= 0 {
			a.deadAt[t+1]++
			a.dead = append(a.dead, int32(b))
		}
	}
	for t := range count {
		a.deadAt[t+1] += a.deadAt[t]
	}
	slices.SortStableFunc(a.dead, func(x, y int32) int { return cmp.Compare(a.death(int(x)), a.death(int(y))) })
	a.sweep.keeps = keeps
	a.locals = make([][]int32, len(a.m.subs))
	for b, ref := range a.lt.Refs {
		i := ref.Owner.Subgraph
		if len(ref.Tensors) > 0 {
			i = ref.Tensors[0].Subgraph
		}
		if !keeps[b] && a.death(b) >= 0 && i >= 0 && i < len(a.locals) {
			a.locals[i] = append(a.locals[i], int32(b))
		}
	}
}

// death returns the last step of a buffer, -1 if it is not used at all.
func (a *ArenaRun) death(b int) int {
	buf := &a.table.Buffers[b]
	if buf.Size == 0 || buf.Lower > int64(a.over) {
		return -1
	}
	return int(min(buf.Upper-1, int64(a.over)))
}

// working finds the working memory of operators.
func (a *ArenaRun) working() {
	steps := map[graph.Step][]int32{}
	for t, st := range a.lt.Steps {
		steps[st] = append(steps[st], int32(t))
	}
	owners := map[graph.TensorRef]int{}
	for i, x := range a.m.subs {
		for k := range x.s.Ops {
			for _, t := range x.s.Ops[k].Workspace {
				owners[graph.TensorRef{Subgraph: i, Tensor: t}] = k
			}
		}
	}
	for b, ref := range a.lt.Refs {
		if a.table.Buffers[b].Size == 0 {
			continue
		}
		add := func(st graph.Step) {
			for _, t := range steps[st] {
				a.scratchs = append(a.scratchs, scratchUse{t, int32(b)})
			}
		}
		if len(ref.Tensors) == 0 {
			add(ref.Owner)
		}
		for _, r := range ref.Tensors {
			if k, ok := owners[r]; ok {
				add(graph.Step{Subgraph: r.Subgraph, Op: k})
			}
		}
	}
	slices.SortStableFunc(a.scratchs, func(x, y scratchUse) int { return cmp.Compare(x.step, y.step) })
}
