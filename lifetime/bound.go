package lifetime

import (
	"errors"
	"fmt"
)

// BoundKind names the argument by which a lower bound is proven.
type BoundKind string

// The kinds of bound that CheckBound can verify.
const (
	// BoundLoad: the buffers of the witness are live at its step, so their
	// bytes add up.
	BoundLoad BoundKind = "load"
	// BoundAlignment: all buffers of the witness are live at its step and have
	// offsets that are multiples of Align, so each but the topmost takes its
	// size rounded up to Align: the sum of the rounded sizes less the largest
	// single pad.
	BoundAlignment BoundKind = "alignment"
	// BoundFixed: the one buffer of the witness has a fixed offset, and ends
	// where it ends.
	BoundFixed BoundKind = "fixed"
	// The kinds below refute a capacity: the buffers of the witness, as far as
	// they live in the steps [Lower, Upper), have no plan within Capacity
	// bytes, so no table that holds them has. The value is the next arena that
	// such buffers can need at all.
	//
	// BoundSingleton: removing offsets one by one, each because with it the
	// pairs of live buffers become inconsistent, leaves a buffer without any.
	BoundSingleton BoundKind = "singleton"
	// BoundOrderTree: whichever of two buffers is the lower, of pair after
	// pair, leads to a contradiction.
	BoundOrderTree BoundKind = "order-tree"
	// BoundSweep: going through the steps, and keeping all ways to place what
	// is live, none is left in the end. It needs no witness but the buffers.
	BoundSweep BoundKind = "sweep"
)

// Bound is a proven lower bound on the arena of every plan of a table,
// together with its witness. Its JSON form is compact, see MarshalJSON.
type Bound struct {
	Value   int64 // bytes
	Kind    BoundKind
	Step    int64 // the instant at which the witness is live
	Align   int64 // for BoundAlignment: the common alignment, a power of two
	Buffers []int // positions in the table, ascending

	// Of the kinds that refute a capacity:
	Capacity     int64     // bytes
	Lower, Upper int64     // steps: what of the buffers is looked at
	Removals     []Removal // BoundSingleton: in order
	Tree         []Branch  // BoundOrderTree: in preorder
	Backward     bool      // BoundSweep: from the last step to the first
}

// Removal says that a buffer cannot be at an offset.
type Removal struct {
	Buffer int   // position in the table
	Offset int64 // bytes
}

// Branch is a node of an order tree: two buffers, by position in the table,
// that are live together. Its first subtree refutes that Below is below Above,
// its second that it is the other way round. A leaf is a contradiction.
//
// If the buffers are free to change top and bottom (none is fixed, none aligned
// to more than the common unit, none padded, no gap keeps a window), the root
// has no second subtree: it would be the mirror image of the first.
type Branch struct{ Below, Above int }

// IsLeaf reports whether the node is a contradiction, not a pair.
func (b Branch) IsLeaf() bool { return b.Below < 0 }

var errBound = errors.New("bound not proven")

// CheckBound verifies that the witness proves the value of the bound for a
// valid table. It shares no code with the strategies that find bounds. A witness
// of a single instant takes O(witness). One that refutes a capacity takes time
// and memory that grow with the steps of its argument; beyond a few seconds the
// error is ErrCheckWork.
func CheckBound(t *Table, b *Bound) error {
	_, err := CheckBoundWithin(t, b, maxWork)
	return err
}

// ErrCheckWork is the error of a witness that takes too much work to check. It
// may be right or wrong.
var ErrCheckWork = errors.New("the witness takes too much work to check")

// CheckBoundWithin is CheckBound with a limit on the work: elementary
// operations, of which some hundred million take a second. It returns how much
// was needed, which does not depend on the machine.
func CheckBoundWithin(t *Table, b *Bound, limit int) (used int, err error) {
	w := &work{left: limit}
	proven, err := provenValue(t, b, w)
	switch {
	case err != nil:
		err = fmt.Errorf("%w: %w", errBound, err)
	case b.Value > proven:
		err = fmt.Errorf("%w: witness gives %d bytes, %d claimed", errBound, proven, b.Value)
	}
	return limit - w.left, err
}

func provenValue(t *Table, b *Bound, w *work) (int64, error) {
	switch b.Kind {
	case BoundLoad, BoundAlignment, BoundFixed:
	case BoundSingleton, BoundOrderTree, BoundSweep:
		return refutedValue(t, b, w)
	default:
		return 0, fmt.Errorf("unknown kind %q", b.Kind)
	}
	var sum, pad int64
	last := -1
	for _, i := range b.Buffers {
		if i <= last || i >= len(t.Buffers) {
			return 0, fmt.Errorf("witness position %d is out of range or not ascending", i)
		}
		last = i
		buf := &t.Buffers[i]
		switch b.Kind {
		case BoundFixed:
			if buf.Fixed == nil || len(b.Buffers) != 1 {
				return 0, fmt.Errorf("buffer %d %q is not a single buffer with a fixed offset", i, buf.Name)
			}
			return *buf.Fixed + buf.Size, nil
		case BoundLoad:
			low, high := occupied(buf, b.Step)
			if low == high {
				return 0, fmt.Errorf("buffer %d %q is not live at step %d", i, buf.Name, b.Step)
			}
			sum += high - low
		case BoundAlignment:
			if err := alignedWitness(buf, b); err != nil {
				return 0, fmt.Errorf("buffer %d %q %w", i, buf.Name, err)
			}
			rounded := AlignUp(buf.Size, b.Align)
			sum += rounded
			pad = max(pad, rounded-buf.Size)
		}
	}
	return sum - pad, nil
}

func alignedWitness(buf *Buffer, b *Bound) error {
	low, high := occupied(buf, b.Step)
	switch {
	case low != 0 || high != buf.Size || buf.Size == 0:
		return fmt.Errorf("is not wholly live at step %d", b.Step)
	case b.Align < 1 || b.Align&(b.Align-1) != 0:
		return fmt.Errorf("cannot have alignment %d", b.Align)
	case buf.Alignment()%b.Align != 0:
		return fmt.Errorf("has alignment %d, the bound rounds to %d", buf.Alignment(), b.Align)
	}
	return nil
}

// occupied returns the bytes of the buffer, relative to its offset, that are
// taken at the step; an empty range if none are.
func occupied(b *Buffer, step int64) (low, high int64) {
	if step < b.Lower || step >= b.Upper {
		return 0, 0
	}
	for _, g := range b.Gaps {
		if step >= g.Lower && step < g.Upper {
			if g.Keep == nil {
				return 0, 0
			}
			return g.Keep.Lower, g.Keep.Upper
		}
	}
	return 0, b.Size
}
