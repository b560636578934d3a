package executor

import (
	"fmt"
	"strings"

	"github.com/arenalab/arenalab/graph"
)

// NoOp stands for the operator in programs of tables without a graph.
const NoOp = -3

// Purpose says why bytes are read.
type Purpose uint8

// The purposes.
const (
	Input   Purpose = iota // an operator or the caller needs the value
	Own                    // an operator has written several things, none may destroy another
	Promise                // the table says that the buffer lives
)

// String returns the lower-case name of the purpose.
func (w Purpose) String() string {
	switch w {
	case Input:
		return "input"
	case Own:
		return "own"
	case Promise:
		return "promise"
	}
	return fmt.Sprintf("purpose(%d)", uint8(w))
}

// Site names an access of a program.
type Site struct {
	Step     int64 // time in the table
	Subgraph int
	Op       int    // operator index, graph.Entry, graph.Exit or NoOp
	OpName   string // "" if Op is not an operator of the program's graph
	Tensor   int    // index of the tensor accessed, -1 if it is scratch or the program has no graph
	Name     string // of the tensor, or of the buffer if there is no tensor
	Buffer   int    // position in the table
}

func (s *Site) actor() string {
	switch {
	case s.Op == graph.Entry:
		return "the caller at entry"
	case s.Op == graph.Exit:
		return "the caller at exit"
	case s.Op == NoOp:
		return fmt.Sprintf("step %d", s.Step)
	}
	sub := ""
	if s.Subgraph != 0 {
		sub = fmt.Sprintf("subgraph %d ", s.Subgraph)
	}
	return strings.TrimSpace(fmt.Sprintf("%soperator %d %s", sub, s.Op, s.OpName))
}

func (s *Site) object() string {
	if s.Tensor < 0 {
		return fmt.Sprintf("buffer %d %q", s.Buffer, s.Name)
	}
	return fmt.Sprintf("tensor %d %q", s.Tensor, s.Name)
}

// Clobbered says that a run in the planned arena reads something else than a
// run in which every tensor has its own memory.
type Clobbered struct {
	Reader  Site    // who reads what
	Purpose Purpose // and why
	Offset  int64   // in the arena, of the first wrong byte
	Writer  Site    // who wrote that byte last
}

// InPlace reports whether the value was overwritten by one that the table puts
// into the same buffer, so that no plan for it is safe: the rule by which the
// runtime lets results lie on top of operands is at fault, not the plan.
func (e *Clobbered) InPlace() bool { return e.Reader.Buffer == e.Writer.Buffer }

// Error implements error.
func (e *Clobbered) Error() string {
	var b strings.Builder
	r := &e.Reader
	switch {
	case e.Purpose == Promise && r.Op == NoOp:
		fmt.Fprintf(&b, "%s lives at step %d", r.object(), r.Step)
	case e.Purpose == Promise:
		fmt.Fprintf(&b, "%s lives at step %d (%s)", r.object(), r.Step, r.actor())
	case e.Purpose == Own:
		fmt.Fprintf(&b, "%s has written %s", r.actor(), r.object())
	default:
		fmt.Fprintf(&b, "%s reads %s", r.actor(), r.object())
	}
	fmt.Fprintf(&b, ": byte %d of the arena was overwritten by ", e.Offset)
	w := &e.Writer
	if w.Op == NoOp {
		fmt.Fprintf(&b, "%s at step %d", w.object(), w.Step)
	} else {
		fmt.Fprintf(&b, "%s writing %s", w.actor(), w.object())
	}
	if e.InPlace() && r.Tensor != w.Tensor {
		fmt.Fprintf(&b, " in place: the runtime's sharing rule gives both buffer %d, so no plan is safe", r.Buffer)
	}
	return b.String()
}

// OutsideError says that a buffer does not lie within the arena.
type OutsideError struct {
	Buffer              int // position in the table
	Name                string
	Offset, Size, Arena int64
}

// Error implements error.
func (e *OutsideError) Error() string {
	return fmt.Sprintf("buffer %d %q of %d bytes at offset %d is outside the arena of %d bytes",
		e.Buffer, e.Name, e.Size, e.Offset, e.Arena)
}

// LifetimeError says that a table does not let a buffer live at a step at
// which the graph accesses it.
type LifetimeError struct {
	Site         Site
	Lower, Upper int64 // of the buffer
}

// Error implements error.
func (e *LifetimeError) Error() string {
	s := &e.Site
	return fmt.Sprintf("%s accesses %s at step %d, but buffer %d lives in [%d, %d) without it",
		s.actor(), s.object(), s.Step, s.Buffer, e.Lower, e.Upper)
}

// site names the access of a value as the given tensor at a step.
func (p *Program) site(st *step, buffer, tensor int) Site {
	s := Site{
		Step: st.time, Subgraph: st.subgraph, Op: st.op,
		Tensor: tensor, Name: p.table.Buffers[buffer].Name, Buffer: buffer,
	}
	if p.graph != nil {
		if st.op >= 0 && st.subgraph == p.graph.Index {
			s.OpName = p.graph.Ops[st.op].Name()
		}
		if tensor >= 0 {
			s.Name = p.graph.Tensors[tensor].Name
		}
	}
	return s
}
