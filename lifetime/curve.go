package lifetime

import "sort"

// Curve is the live-byte profile of a table: Live[i] bytes are live in the
// steps [Times[i], Times[i+1]). The last entry is always 0.
type Curve struct {
	Times []int64
	Live  []int64
}

// LiveBytes returns the live-byte profile, gaps and their windows honoured,
// in O(n log n). Only steps at which something is born or dies appear.
func (t *Table) LiveBytes() Curve {
	type event struct{ time, delta int64 }
	pieces := t.Pieces()
	events := make([]event, 0, 2*len(pieces))
	for _, p := range pieces {
		events = append(events, event{p.Lower, p.High - p.Low}, event{p.Upper, p.Low - p.High})
	}
	sort.Slice(events, func(i, j int) bool { return events[i].time < events[j].time })
	var c Curve
	var live int64
	for i, e := range events {
		live += e.delta
		if i+1 == len(events) || events[i+1].time != e.time {
			c.Times = append(c.Times, e.time)
			c.Live = append(c.Live, live)
		}
	}
	return c
}

// Peak returns the largest value of the curve in bytes and the first step at
// which it is reached; 0, 0 for an empty curve.
func (c Curve) Peak() (step, bytes int64) {
	for i, v := range c.Live {
		if v > bytes {
			step, bytes = c.Times[i], v
		}
	}
	return step, bytes
}

// At returns the live bytes at the given step.
func (c Curve) At(step int64) int64 {
	i := sort.Search(len(c.Times), func(i int) bool { return c.Times[i] > step })
	if i == 0 {
		return 0
	}
	return c.Live[i-1]
}

// Load returns the peak live bytes.
func (t *Table) Load() int64 {
	_, bytes := t.LiveBytes().Peak()
	return bytes
}
