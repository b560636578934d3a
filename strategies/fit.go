package strategies

import (
	"math"

	"github.com/arenalab/arenalab/lifetime"
)

// rule says which of the gaps between the buffers already placed is taken.
type rule uint8

const (
	lowestGap       rule = iota // first fit
	smallestGap                 // best fit: least bytes from the aligned offset up; lowest wins ties
	litertGap                   // best fit with the runtime's two measures of a gap
	innerGap                    // best fit that does not see the gap that begins at 0
	smallestGapHigh             // best fit, the highest wins ties
	largestGap                  // worst fit: most bytes from the aligned offset up; lowest wins ties
	nextGap                     // next fit: the first that begins at or above the last placed buffer's end, else the lowest
)

// fit looks for the offset of one buffer. It is offered the gaps in ascending
// order and keeps the one the rule prefers.
type fit struct {
	rule        rule
	size, align int64
	least       int64 // measure of the kept gap
	offset      int64 // in the kept gap, -1 if there is none
	last        int64 // where the buffer placed last ends

	inBlocks bool // gaps end where blocks do, and the first block with one is taken
	blocks   []span
	block    int  // of the kept gap
	closed   bool // no later gap can be better
}

func newFit(r rule, size, align int64) fit {
	return fit{rule: r, size: size, align: align, least: math.MaxInt64, offset: -1}
}

// offer considers the free bytes [low, high) and reports whether no later gap
// can be better.
func (f *fit) offer(low, high int64) bool {
	if f.inBlocks {
		f.closed = f.offerBlocks(low, high)
		return f.closed
	}
	offset := lifetime.AlignUp(low, f.align)
	if offset+f.size > high {
		return false
	}
	switch f.rule {
	case lowestGap:
		f.offset = offset
		return true
	case smallestGap:
		if high-offset < f.least {
			f.least, f.offset = high-offset, offset
		}
	case litertGap:
		// Tested without the padding below the offset, kept with it: a later
		// gap that is smaller by less than the padding displaces this one.
		if high-offset < f.least {
			f.least, f.offset = high-low, offset
		}
	case innerGap:
		if low > 0 && high-offset < f.least {
			f.least, f.offset = high-offset, offset
		}
	case smallestGapHigh:
		if high-offset <= f.least {
			f.least, f.offset = high-offset, offset
		}
		return false // a higher one may be as small
	case largestGap: // least is less than nothing here
		if f.offset < 0 || offset-high < f.least {
			f.least, f.offset = offset-high, offset
		}
	case nextGap:
		if offset >= f.last {
			f.offset = offset
			return true
		}
		if f.offset < 0 {
			f.offset = offset
		}
	}
	return f.least == f.size
}

// finish returns the kept offset, or the first one above the occupied bytes.
func (f *fit) finish(top int64) int64 {
	if n := len(f.blocks); n > 0 && !f.closed {
		end := f.blocks[n-1].high
		f.offerBlocks(top, end)
		top = max(top, end)
	}
	if f.offset >= 0 {
		return f.offset
	}
	return lifetime.AlignUp(top, f.align)
}

// span is a range of bytes that the buffer to be placed must not touch.
type span struct{ low, high int64 }

// shift returns the span as it looks to a buffer of the given size that
// occupies only its bytes [low, high): kept clear of the result by the whole
// buffer, the window is kept clear of s.
func (s span) shift(size, low, high int64) span {
	return span{s.low + size - high, s.high - low}
}

// obstacle is a rectangle of the arena that is taken: bytes [low, high) in the
// steps [lower, upper).
type obstacle struct {
	low, high    int64
	lower, upper int64
}
