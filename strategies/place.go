package strategies

import (
	"context"
	"errors"
	"fmt"

	"github.com/arenalab/arenalab/lifetime"
)

// A method describes a strategy that takes the buffers one by one, in an order
// fixed beforehand, and never moves one again.
type method struct {
	rule  rule
	order sorting

	births bool // the key is Lower, ascending
	whole  bool // gaps are not used: a buffer takes all its bytes all its life
	rounds bool // sizes are rounded up to the alignment before anything else
	fitted bool // a gap must hold the size rounded up to the alignment
	blocks bool // the arena is a stack of blocks, each opened by a buffer that found room in none
}

// item is a buffer that is to be placed, with the options applied.
type item struct {
	size, align  int64
	lower, upper int64
	index        int // position in the table
}

// space is the arena as far as it is filled.
type space interface {
	// add takes the bytes [o.low, o.high) in the steps [o.lower, o.upper).
	add(o obstacle)
	// find returns the offset that the fit prefers for the item. The pieces are
	// those the buffer occupies; without any it takes all its bytes all its life.
	find(it *item, pieces []lifetime.Piece, f *fit) int64
}

// tuning decides between structures that give the same offsets.
type tuning struct {
	// listLimit is the number of buffers up to which the plain list is used:
	// the structures that scale cost more to set up.
	listLimit int
	// perBucket is the number of buffers born in a bucket of the grid: enough
	// to keep the tree small, few enough to filter them one by one.
	perBucket int
	// crowd is the share, one in so many, of the buffers that must be alive at
	// once on average for the list to be used up to crowdLimit buffers: where
	// most buffers meet, there is little to skip. 0: never.
	crowd int
}

const (
	listLimit  = 400
	perBucket  = 48
	crowd      = 8
	crowdLimit = 4000
)

// checkEvery is how many buffers are placed between looks at the context.
const checkEvery = 64

// place runs the method. Fixed offsets are obstacles from the start, buffers
// of size zero are at 0.
func (m *method) place(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	ctx, cancel := limit(ctx, o)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := prepare(m, t, o)
	if err != nil {
		return nil, err
	}
	if m.births && p.plain && len(p.items) > listLimit {
		err = p.simulate(ctx)
	} else {
		err = p.fill(ctx, tuning{listLimit, perBucket, crowd})
	}
	if err != nil {
		return nil, err
	}
	return lifetime.NewPlan(t, p.offsets), nil
}

// limit puts the time limit, if there is one, on the context.
func limit(ctx context.Context, o Options) (context.Context, context.CancelFunc) {
	if o.TimeLimit <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, o.TimeLimit)
}

// placement is one run of a method.
type placement struct {
	*method
	table   *lifetime.Table
	align   int64  // of every offset at least
	items   []item // to be placed, in order
	pinned  []int  // positions of the buffers with fixed offsets
	offsets []int64
	gaps    bool // some buffer has gaps, and the method uses them
	plain   bool // no gaps, no fixed offsets, one alignment for all

	pieces []lifetime.Piece // of all buffers, if gaps are used
	from   []int            // by buffer: its first piece
}

// prepare applies the options, parts the fixed buffers from those to be placed
// and puts these in order.
func prepare(m *method, t *lifetime.Table, o Options) (*placement, error) {
	if err := checkAlign(o.Align); err != nil {
		return nil, err
	}
	p := &placement{
		method: m, table: t, align: o.Align, plain: true,
		items:   make([]item, 0, len(t.Buffers)),
		offsets: make([]int64, len(t.Buffers)),
	}
	for i := range t.Buffers {
		b := &t.Buffers[i]
		align := max(b.Alignment(), p.align)
		if b.Size < 0 || b.Lower >= b.Upper {
			return nil, fmt.Errorf("buffer %d %q: size %d, life [%d, %d): not a valid table", i, b.Name, b.Size, b.Lower, b.Upper)
		}
		if b.Fixed != nil {
			if *b.Fixed%align != 0 {
				return nil, fmt.Errorf("buffer %d %q: fixed offset %d is not a multiple of the alignment %d", i, b.Name, *b.Fixed, align)
			}
			p.offsets[i] = *b.Fixed
			p.pinned = append(p.pinned, i)
			p.plain = false
			continue
		}
		if b.Size == 0 {
			continue
		}
		p.gaps = p.gaps || len(b.Gaps) > 0 && !p.whole
		p.plain = p.plain && (len(p.items) == 0 || p.items[0].align == align)
		p.items = append(p.items, p.item(i))
	}
	for _, i := range p.pinned {
		p.gaps = p.gaps || len(t.Buffers[i].Gaps) > 0 && !p.whole
	}
	p.plain = p.plain && !p.gaps
	if err := checkPins(t, p.pinned); err != nil {
		return nil, err
	}
	sortItems(t, p.items, p.order, o.Ties)
	return p, nil
}

func (p *placement) item(i int) item {
	b := &p.table.Buffers[i]
	it := item{b.Size, max(b.Alignment(), p.align), b.Lower, b.Upper, i}
	if p.rounds {
		it.size = lifetime.AlignUp(it.size, it.align)
	}
	return it
}

func checkAlign(align int64) error {
	if align < 0 || align&(align-1) != 0 || align > 1<<40 {
		return fmt.Errorf("alignment %d is not a power of two up to 2^40", align)
	}
	return nil
}

// checkPins refuses fixed offsets that no plan can keep.
func checkPins(t *lifetime.Table, pinned []int) error {
	if len(pinned) < 2 {
		return nil
	}
	pins := &lifetime.Table{Buffers: make([]lifetime.Buffer, len(pinned))}
	offsets := make([]int64, len(pinned))
	for k, i := range pinned {
		pins.Buffers[k] = t.Buffers[i]
		offsets[k] = *t.Buffers[i].Fixed
	}
	err := lifetime.Check(pins, lifetime.NewPlan(pins, offsets))
	if clash, ok := errors.AsType[*lifetime.OverlapError](err); ok {
		clash.A, clash.B = pinned[clash.A], pinned[clash.B]
		return fmt.Errorf("fixed offsets clash: %w", clash)
	}
	return err
}

// fill places the items in the given order into a list or a grid. It changes
// the lives of the items, so that it can only be run once.
func (p *placement) fill(ctx context.Context, tune tuning) error {
	if p.gaps {
		p.pieces, p.from = indexPieces(p.table)
	}
	pins := make([]item, 0, len(p.pinned))
	for _, i := range p.pinned {
		if it := p.item(i); it.size > 0 {
			pins = append(pins, it)
		}
	}
	var s space
	var l *list
	if len(p.items)+len(pins) > tune.listLimit {
		if g := newGrid(p, pins, tune); g != nil {
			s = g
		}
	}
	if s == nil {
		l = newList(len(p.items) + len(pins))
		s = l
	}
	for k := range pins {
		p.occupy(s, &pins[k], p.offsets[pins[k].index])
	}
	var f fit // outside the loop, so that it is allocated once
	last := int64(0)
	var blocks []span
	for k := range p.items {
		it := &p.items[k]
		if k%checkEvery == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if p.births && l != nil {
				l.forget(it.lower)
			}
		}
		mine := p.of(it.index)
		if mine != nil && len(mine) == 0 {
			continue // idle all its life: anywhere will do
		}
		f = newFit(p.rule, it.size, it.align)
		f.last, f.inBlocks, f.blocks = last, p.blocks, blocks
		if p.fitted {
			f.size = lifetime.AlignUp(it.size, it.align)
		}
		offset := s.find(it, mine, &f)
		last = offset + it.size
		if n := len(blocks); p.blocks && (n == 0 || offset >= blocks[n-1].high) {
			blocks = append(blocks, span{offset, last})
		}
		p.offsets[it.index] = offset
		p.occupy(s, it, offset)
	}
	return nil
}

// of returns the pieces of a buffer; nil if it takes all its bytes all its life.
func (p *placement) of(i int) []lifetime.Piece {
	if p.from == nil || len(p.table.Buffers[i].Gaps) == 0 {
		return nil
	}
	return p.pieces[p.from[i]:p.from[i+1]]
}

// occupy adds what the item takes at the offset.
func (p *placement) occupy(s space, it *item, offset int64) {
	pieces := p.of(it.index)
	if pieces == nil {
		s.add(obstacle{offset, offset + it.size, it.lower, it.upper})
	}
	for _, q := range pieces {
		s.add(obstacle{offset + q.Low, offset + q.High, q.Lower, q.Upper})
	}
}

// indexPieces returns the pieces of the table and, by buffer, where its own
// begin; the entry after the last buffer ends the list.
func indexPieces(t *lifetime.Table) ([]lifetime.Piece, []int) {
	pieces := t.Pieces()
	from := make([]int, len(t.Buffers)+1)
	k := 0
	for i := range t.Buffers {
		from[i] = k
		for k < len(pieces) && pieces[k].Buffer == i {
			k++
		}
	}
	from[len(t.Buffers)] = k
	return pieces, from
}
