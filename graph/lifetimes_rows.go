package graph

import (
	"fmt"

	"github.com/arenalab/arenalab/lifetime"
)

// outside says why a tensor takes no room in the arena, or "".
func (b *builder) outside(x *sub, t *Tensor) Reason {
	fixed := b.pinned(x, t.Index) != Online
	switch {
	case t.Constant:
		return IsConstant
	case x.away[t.Index] != "":
		return x.away[t.Index]
	case x.lives[t.Index].born < 0 && !b.p.KeepUnused:
		return IsUnused
	case b.bytes(x, t) == NoSize || t.Type.Handle() && b.k.folds:
		return IsUnsized
	case b.bytes(x, t) == 0:
		return IsEmpty
	case t.Variable && !b.p.Variables && !fixed:
		return IsVariable
	}
	return ""
}

// bytes is the size of a tensor on the runtime.
func (b *builder) bytes(x *sub, t *Tensor) int64 {
	if n, ok := x.sizes[t.Index]; ok {
		return n
	}
	if b.k.bytes != nil {
		return b.k.bytes(t)
	}
	return t.Bytes
}

// pin takes over the offsets of the model's offline plan, if the profile says
// so and they are usable.
func (b *builder) pin(o Order) {
	if !b.p.Offline || b.m.Offline == nil {
		return
	}
	for at, i := range o.Ops {
		if at != i {
			b.unpinned = "the operators run in another order"
			return
		}
	}
	if err := b.m.CheckOffline(); err != nil {
		b.unpinned = "it overlaps itself"
		return
	}
	for _, list := range b.m.Offline.Offsets {
		for _, off := range list {
			if off != Online && off%max(b.p.Align, 1) != 0 {
				b.unpinned = fmt.Sprintf("offset %d is not a multiple of %d", off, b.p.Align)
				return
			}
		}
	}
	b.pins = b.m.Offline.Offsets
}

// pinned returns the offset that the offline plan gives a tensor, or Online.
func (b *builder) pinned(x *sub, t int) int64 {
	if b.pins == nil {
		return Online
	}
	return b.pins[x.s.Index][t]
}

// resident is what becomes a buffer: a tensor, or working memory if scratch is not
// negative.
type resident struct {
	x       *sub
	tensor  int
	scratch int
}

// rows turns what lies in the arena into buffers.
func (b *builder) rows() {
	b.out.Table = &lifetime.Table{Name: b.m.Name}
	rows, kept := b.list()
	if b.p.Order == OrderTFLite {
		rows, kept = b.tfliteOrder(rows, kept)
	}
	for _, r := range kept {
		at := lifetime.AlignUp(b.out.PersistentBytes, b.p.Align)
		b.out.PersistentBytes = min(at+b.p.Round(b.size(r)), MaxBytes) // no overflow
	}
	aliases := b.aliases()
	for _, r := range rows {
		if r.scratch >= 0 {
			b.addScratch(r)
		} else {
			b.addTensor(r, aliases)
		}
	}
	if b.nowhere >= 0 {
		b.out.Steps = append(b.out.Steps, Step{Nowhere, Exit})
	}
}

// list finds the rows in tensor order, working memory after all tensors; and
// what lies in persistent memory.
func (b *builder) list() (rows, kept []resident) {
	for _, x := range b.subs {
		if x == nil {
			continue
		}
		for _, t := range x.order.byNumber(len(x.s.Tensors)) {
			reason := b.outside(x, &x.s.Tensors[t])
			switch {
			case reason == "" && b.shared(x, t):
				continue
			case reason == "":
				rows = append(rows, resident{x, t, -1})
				continue
			case (reason == IsVariable || reason == IsCached) && b.bytes(x, &x.s.Tensors[t]) > 0:
				kept = append(kept, resident{x, t, -1})
			}
			b.out.Outside = append(b.out.Outside, Outside{TensorRef{x.s.Index, t}, reason})
		}
	}
	for _, x := range b.subs {
		if x == nil {
			continue
		}
		late := x.late()
		for _, i := range x.ops { // kernels ask as they are prepared
			for k := range x.requests(i) {
				r, at := &x.requests(i)[k], int(x.from[i])+k
				switch {
				case r.bytes == 0 || late[r.op]:
				case r.where == inArena:
					rows = append(rows, resident{x, -1, at})
				case r.where == persistent:
					kept = append(kept, resident{x, -1, at})
				}
			}
		}
	}
	return rows, kept
}

// late says which operators are not planned.
func (x *sub) late() []bool {
	late := make([]bool, len(x.s.Ops))
	for at, i := range x.ops {
		late[i] = at > x.stop
	}
	return late
}

func (b *builder) size(r resident) int64 {
	if r.scratch >= 0 {
		return r.x.scratch[r.scratch].bytes
	}
	return b.bytes(r.x, &r.x.s.Tensors[r.tensor])
}

// aliases returns the tensors that lie in the memory of others, by those.
func (b *builder) aliases() map[TensorRef][]TensorRef {
	if b.p.InPlace == "" {
		return nil
	}
	out := map[TensorRef][]TensorRef{}
	for _, x := range b.subs {
		if x == nil {
			continue
		}
		for t := range x.root {
			if b.shared(x, t) && b.outside(x, &x.s.Tensors[t]) == "" {
				root := TensorRef{x.s.Index, x.root[t]}
				out[root] = append(out[root], TensorRef{x.s.Index, t})
			}
		}
	}
	return out
}

func (b *builder) addTensor(r resident, aliases map[TensorRef][]TensorRef) {
	ref := TensorRef{r.x.s.Index, r.tensor}
	name := r.x.s.Tensors[r.tensor].Name
	if name == "" {
		name = fmt.Sprintf("t%d", r.tensor)
	}
	buf := lifetime.Buffer{Name: name, Kind: r.x.kinds[r.tensor]}
	if off := b.pinned(r.x, r.tensor); off != Online {
		buf.Fixed = &off
	}
	if n, ok := r.x.sizes[r.tensor]; ok {
		if b.out.Sizes == nil {
			b.out.Sizes = map[TensorRef]int64{}
		}
		b.out.Sizes[ref] = n
	}
	b.add(buf, r, r.x.lives[r.tensor], Ref{Tensors: append([]TensorRef{ref}, aliases[ref]...)})
}

func (b *builder) addScratch(r resident) {
	w := &r.x.scratch[r.scratch]
	op := &r.x.s.Ops[w.op]
	buf := lifetime.Buffer{
		Name: fmt.Sprintf("%s %d scratch %d", op.Name(), w.op, w.slot),
		Kind: lifetime.Scratch,
	}
	b.add(buf, r, w.life, Ref{Scratch: w.slot, Owner: Step{r.x.s.Index, w.op}})
}

func (b *builder) add(buf lifetime.Buffer, r resident, l life, ref Ref) {
	if l.born < 0 {
		b.nowhere = b.end
		l = life{b.end, b.end + 1}
	}
	buf.Size, buf.Align = b.p.Round(b.size(r)), max(b.p.Align, 1)
	buf.Lower, buf.Upper = l.born, l.end
	b.out.Table.Buffers = append(b.out.Table.Buffers, buf)
	b.out.Refs = append(b.out.Refs, ref)
}
