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
)

// Bound is a proven lower bound on the arena of every plan of a table,
// together with its witness.
type Bound struct {
	Value   int64 // bytes
	Kind    BoundKind
	Step    int64 // the instant at which the witness is live
	Align   int64 // for BoundAlignment: the common alignment, a power of two
	Buffers []int // positions in the table, ascending
}

var errBound = errors.New("bound not proven")

// CheckBound verifies that the witness proves the value of the bound for the
// table. It shares no code with the strategies that find bounds. O(witness).
func CheckBound(t *Table, b *Bound) error {
	proven, err := provenValue(t, b)
	if err != nil {
		return fmt.Errorf("%w: %w", errBound, err)
	}
	if b.Value > proven {
		return fmt.Errorf("%w: witness gives %d bytes, %d claimed", errBound, proven, b.Value)
	}
	return nil
}

func provenValue(t *Table, b *Bound) (int64, error) {
	switch b.Kind {
	case BoundLoad, BoundAlignment, BoundFixed:
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
