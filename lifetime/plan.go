package lifetime

import (
	"fmt"
	"time"
)

// Status says how a plan or a run of a strategy ended.
type Status uint8

// The statuses. Optimal is said only of a plan whose arena equals a bound that
// CheckBound accepts.
const (
	Feasible   Status = iota // a plan, not proven to be the smallest
	Optimal                  // a plan that meets a proven bound
	Timeout                  // the time limit ended the run without a plan
	Infeasible               // proven: no plan within the capacity
	Failed                   // the strategy returned an error or an unsafe plan
)

var statusNames = [...]string{"feasible", "optimal", "timeout", "infeasible", "error"}

// String returns the word used in records.
func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return fmt.Sprintf("status(%d)", uint8(s))
}

// MarshalText implements encoding.TextMarshaler.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Status) UnmarshalText(text []byte) error {
	for i, name := range statusNames {
		if name == string(text) {
			*s = Status(i)
			return nil
		}
	}
	return fmt.Errorf("unknown status %q", text)
}

// Plan places every buffer of a table.
type Plan struct {
	Offsets    []int64 // bytes, parallel to Table.Buffers
	Arena      int64   // bytes: the largest offset + size
	LowerBound int64   // bytes: the best proven bound, 0 if none was asked for
	Bound      *Bound  // the proof of LowerBound, if there is one
	Status     Status
	Objects    []Object // of planners that share whole blocks, in order of address; else nil
	Stats      Stats
	// Notes say what the runtime that the strategy follows would do otherwise,
	// or what else a reader of the plan should know.
	Notes []string
}

// Object is a block of memory that buffers use one after the other. Planners of
// shared objects lay them end to end; a runtime may also allocate each apart.
type Object struct {
	Size    int64 // bytes: that of its largest buffer
	Buffers []int // positions in the table
}

// Stats are counters that a strategy may fill in.
type Stats struct {
	Decisions int64 // placements tried
	Elapsed   time.Duration
	// Improvements are the convergence of a search: one entry each time the
	// arena shrank or the lower bound rose, in the order they were found.
	Improvements []Improvement
}

// Improvement is the state of a search after one of its bounds improved.
type Improvement struct {
	Decisions  int64         // placements tried until then
	Elapsed    time.Duration // since the start
	Arena      int64         // bytes of the best plan so far
	LowerBound int64         // bytes of the best bound so far
}

// NewPlan returns a feasible plan of the given offsets; the arena follows from
// them. The slice is kept.
func NewPlan(t *Table, offsets []int64) *Plan {
	p := &Plan{Offsets: offsets}
	for i, off := range offsets {
		p.Arena = max(p.Arena, off+t.Buffers[i].Size)
	}
	return p
}
