package bench

import (
	"fmt"

	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies/bound"
)

// share fills in the figures of a planner of shared objects. Its offsets were
// proven safe by then; what it says about objects is checked here, and left out
// with a warning if it is not so.
func (c *Cell) share(u *unit) {
	if c.Plan.Objects == nil {
		return
	}
	if err := checkObjects(u.table, c.Plan); err != nil {
		c.Warnings = append(c.Warnings, fmt.Sprintf("shared objects: %v; their figures are left out", err))
		return
	}
	c.ObjectCount, c.ObjectBoundBytes = len(c.Plan.Objects), u.objects()
	for i := range c.Plan.Objects {
		c.ObjectBytes += c.Plan.Objects[i].Size
	}
}

// objects returns the lower bound on the bytes of shared objects, which are
// made for the buffers without a fixed offset.
func (u *unit) objects() int64 {
	if u.objectBound == nil {
		movable := &lifetime.Table{}
		for i := range u.table.Buffers {
			if u.table.Buffers[i].Fixed == nil {
				movable.Buffers = append(movable.Buffers, u.table.Buffers[i])
			}
		}
		bytes := bound.Objects(movable)
		u.objectBound = &bytes
	}
	return *u.objectBound
}

// checkObjects reports what is wrong with the objects of a plan that is safe:
// each is at one address and as large as its largest buffer or larger, and
// together they have every buffer that takes bytes and has no fixed offset,
// once. That no two buffers of an object are live at once then follows, for
// they begin at the same address; but for those with gaps, of which objects
// know nothing.
func checkObjects(t *lifetime.Table, p *lifetime.Plan) error {
	in := make([]bool, len(t.Buffers))
	for k := range p.Objects {
		o := &p.Objects[k]
		first := -1 // of its buffers that take bytes
		for _, i := range o.Buffers {
			switch {
			case i < 0 || i >= len(t.Buffers):
				return fmt.Errorf("object %d names buffer %d of %d", k, i, len(t.Buffers))
			case in[i]:
				return fmt.Errorf("buffer %d %q is in two objects", i, t.Buffers[i].Name)
			case t.Buffers[i].Size > o.Size:
				return fmt.Errorf("buffer %d %q is larger than its object %d", i, t.Buffers[i].Name, k)
			case t.Buffers[i].Size > 0 && first < 0:
				first = i
			case t.Buffers[i].Size > 0 && p.Offsets[i] != p.Offsets[first]:
				return fmt.Errorf("buffer %d %q is not at the address of its object %d", i, t.Buffers[i].Name, k)
			}
			in[i] = true
		}
	}
	for i := range t.Buffers {
		if b := &t.Buffers[i]; !in[i] && b.Size > 0 && b.Fixed == nil {
			return fmt.Errorf("buffer %d %q is in no object", i, b.Name)
		}
	}
	return nil
}
