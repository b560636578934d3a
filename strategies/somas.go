package strategies

// SOMAS, of MindSpore, takes the largest tensor first, in two ways: into one
// arena, or into a stack of blocks, each as large as the tensor that opened it,
// in which the others find holes. It tries both with the smallest and with the
// lowest hole and prefers the blocks unless the arena is much smaller.
//
// Complexity: O(n^2) in the worst case. The original is O(n^2 log n).
//
// Reference: SomasSolverPre::Solving, SomasSolverCore and FootPrint::findFirst,
// mindspore/ccsrc/backend/common/somas/somas_solver_{pre,core,alg}.cc,
// mindspore-ai/mindspore at commits 2e3e5d123b2f and 047be2dd1395.
//
// Rule, to the byte: graph outputs first, then size descending, then row. Blocks
// are asked in the order of their making; the first with a hole is taken. Tried
// are blocks with the smallest hole, blocks with the lowest, the arena with the
// smallest, the arena with the lowest; a later one must be smaller, and an arena
// by more than 100 MiB if the best so far are blocks. Variables, which live
// for good, are stacked on top at the end.
//
// Departures: the second order of the original, by a flag for what may reuse the
// peak, is the first on tables, which have no such flag. Groups that must lie
// side by side and streams that run at once are not in tables either. Sizes are
// rounded up to the alignment of the table; the runtime's own is 512. Fixed
// offsets, which the original does not know, are obstacles from the start; a
// buffer with gaps is taken to use all its bytes all its life.

import (
	"cmp"
	"context"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

const somasReference = "SomasSolverPre::Solving and FootPrint::findFirst, mindspore/ccsrc/backend/common/somas, mindspore-ai/mindspore at 2e3e5d123b2f and 047be2dd1395"

// somasSaving is by how many bytes an arena must be smaller than blocks.
const somasSaving = 100 << 20

// somas is the whole solver or, with single set, one of its members.
type somas struct {
	single bool
	blocks bool
	rule   rule
}

func (s somas) Info() Info {
	i := Info{
		Name:       "somas",
		Title:      "MindSpore SOMAS",
		Summary:    "largest first, into blocks or one arena: its choice of four plans",
		Reference:  somasReference,
		Complexity: "O(n^2) worst case, near O(n log n) on networks",
		Key:        "outputs, size descending; ties by row",
		RowOrder:   true,
	}
	if s.single {
		i.Name = "somas-blocks"
		i.Title = "MindSpore SOMAS, blocks"
		i.Summary = "largest first, into the smallest hole of the first block with one"
		if s.rule == lowestGap {
			i.Name += "-lowest"
			i.Title += ", lowest hole"
			i.Summary = "largest first, into the lowest hole of the first block with one"
		}
	}
	return i
}

func (s somas) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	ctx, cancel := limit(ctx, o)
	defer cancel()
	if s.single {
		return s.plan(ctx, t, o)
	}
	var best *lifetime.Plan
	blocks := true // the best so far are blocks
	for _, member := range []somas{
		{blocks: true, rule: smallestGap}, {blocks: true, rule: lowestGap},
		{rule: smallestGap}, {rule: lowestGap},
	} {
		plan, err := member.plan(ctx, t, o)
		if err != nil {
			if best != nil && ctx.Err() != nil {
				break
			}
			return nil, err
		}
		if best != nil && (plan.Arena >= best.Arena || blocks && !member.blocks && best.Arena-plan.Arena <= somasSaving) {
			continue
		}
		best, blocks = plan, member.blocks
	}
	return best, nil
}

// plan runs one member.
func (s somas) plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := prepare(&method{rule: s.rule, order: sorting{key: somasKey}, whole: true, rounds: true}, t, o)
	if err != nil {
		return nil, err
	}
	lasting := func(it item) bool { return t.Buffers[it.index].Kind == lifetime.Variable }
	var last []item
	for _, it := range p.items {
		if lasting(it) {
			last = append(last, it)
		}
	}
	slices.SortFunc(last, func(a, b item) int { return cmp.Compare(a.index, b.index) })
	p.items = slices.DeleteFunc(p.items, lasting)
	var top int64
	if s.blocks {
		top, err = fillBlocks(ctx, p)
	} else {
		err = p.fill(ctx, tuning{listLimit, perBucket, crowd})
	}
	if err != nil {
		return nil, err
	}
	for i := range t.Buffers {
		if t.Buffers[i].Size > 0 {
			it := p.item(i)
			top = max(top, p.offsets[i]+it.size)
		}
	}
	for _, it := range last {
		p.offsets[it.index] = lifetime.AlignUp(top, it.align)
		top = p.offsets[it.index] + it.size
	}
	return lifetime.NewPlan(t, p.offsets), nil
}

func somasKey(t *lifetime.Table) func(a, b *item) int {
	return func(a, b *item) int {
		out, other := t.Buffers[a.index].Kind == lifetime.Output, t.Buffers[b.index].Kind == lifetime.Output
		if out != other {
			if out {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.size, a.size)
	}
}

// footprint is a block of the arena: the bytes [low, high), as many as the
// buffer that opened it has.
type footprint struct {
	low, high int64
	held      []obstacle // ascending by address
}

// founder is when the buffer that opened a block lives.
type founder struct{ lower, upper, size int64 }

// fillBlocks places the items into blocks and returns where the last one ends.
func fillBlocks(ctx context.Context, p *placement) (int64, error) {
	var pins []obstacle
	for _, i := range p.pinned {
		if it := p.item(i); it.size > 0 {
			pins = append(pins, obstacle{p.offsets[i], p.offsets[i] + it.size, it.lower, it.upper})
		}
	}
	slices.SortFunc(pins, func(a, b obstacle) int { return cmp.Compare(a.low, b.low) })
	var founders []founder
	var blocks []footprint
	top := int64(0)
next:
	for k := range p.items {
		it := &p.items[k]
		if k%checkEvery == 0 {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
		}
		for b := range founders {
			if f := &founders[b]; f.size < it.size || f.lower < it.upper && it.lower < f.upper {
				continue
			}
			if at := blocks[b].find(it, p.rule); at >= 0 {
				blocks[b].add(obstacle{at, at + it.size, it.lower, it.upper})
				p.offsets[it.index] = at
				continue next
			}
		}
		low := scan(above(pins, top), it, lowestGap)
		block := footprint{low: low, high: low + it.size}
		for _, o := range pins {
			if o.low < block.high && o.high > low {
				block.held = append(block.held, o)
			}
		}
		block.add(obstacle{low, block.high, it.lower, it.upper})
		blocks = append(blocks, block)
		founders = append(founders, founder{it.lower, it.upper, it.size})
		p.offsets[it.index] = low
		top = block.high
	}
	return top, nil
}

// above returns the obstacles with everything below the address taken.
func above(pins []obstacle, top int64) []obstacle {
	return append([]obstacle{{0, top, -1 << 63, 1<<63 - 1}}, pins...)
}

// find returns an offset in the block, or -1.
func (b *footprint) find(it *item, r rule) int64 {
	f := newFit(r, it.size, it.align)
	top := b.low
	for i := range b.held {
		o := &b.held[i]
		if o.lower >= it.upper || o.upper <= it.lower {
			continue
		}
		if o.low-top >= it.size && f.offer(top, o.low) {
			return f.offset
		}
		top = max(top, o.high)
	}
	if top < b.high {
		f.offer(top, b.high)
	}
	return f.offset
}

func (b *footprint) add(o obstacle) {
	k, _ := slices.BinarySearchFunc(b.held, o.low, func(e obstacle, low int64) int { return cmp.Compare(e.low, low) })
	b.held = slices.Insert(b.held, k, o)
}
