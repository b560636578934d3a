package executor

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/arenalab/arenalab/graph"
)

// Difference says that a run in the planned arena computes something else than
// a run in which every tensor has its own memory.
type Difference struct {
	Site       Site    // who reads or has written which tensor; tensor -1: memory that is nobody's
	Purpose    Purpose // Input if an operand is wrong, Own if a result is, Promise if memory is that nobody may write
	Invocation int     // from 0
	Offset     int64   // in the arena, of the first wrong byte; -1 if that is not in the arena
	Element    int64   // of the tensor; -1 if the values were not kept
	Got, Want  string  // that element
	// Cause says who overwrote it. It is nil if by the accesses of the graph
	// nobody did: then a kernel writes where it must not, or works in place
	// although it cannot, and the error wraps ErrKernel.
	Cause *Clobbered
	// Sharing names the other buffers at that byte, if there is no cause and
	// the table holds subgraphs that are called, whose accesses the symbolic
	// run does not know. Then the lives of the table may be at fault as well.
	Sharing []string
}

// Error implements error.
func (e *Difference) Error() string {
	var b strings.Builder
	switch e.Purpose {
	case Promise:
		fmt.Fprintf(&b, "%s: memory was written that is no result", e.Site.actor())
	case Own:
		fmt.Fprintf(&b, "%s has written %s", e.Site.actor(), e.Site.object())
	default:
		fmt.Fprintf(&b, "%s reads %s", e.Site.actor(), e.Site.object())
	}
	fmt.Fprintf(&b, " in invocation %d", e.Invocation)
	if e.Element >= 0 {
		fmt.Fprintf(&b, ": element %d is %s, not %s", e.Element, e.Got, e.Want)
	}
	if e.Offset >= 0 || e.Purpose == Promise {
		fmt.Fprintf(&b, ", byte %d of the arena", e.Offset)
	}
	if e.Cause != nil {
		fmt.Fprintf(&b, ": %v", e.Cause)
	}
	if len(e.Sharing) > 0 {
		fmt.Fprintf(&b, ", which other buffers use as well: %s", strings.Join(e.Sharing, ", "))
	}
	return b.String()
}

// Unwrap returns the cause, ErrKernel if that can only be a kernel.
func (e *Difference) Unwrap() error {
	switch {
	case e.Cause != nil:
		return e.Cause
	case len(e.Sharing) > 0:
		return nil
	}
	return ErrKernel
}

// difference makes the error for byte at of a tensor that operator k of
// subgraph i reads or has written.
func (a *ArenaRun) difference(r *execution, i, k, t int, why Purpose, at int) error {
	x := a.m.subs[i]
	e := &Difference{Purpose: why, Invocation: r.invocation, Offset: -1, Element: -1}
	e.Site = a.site(i, k, t)
	if b := a.p.home[i][t]; b >= 0 {
		e.Offset = a.plan.Offsets[b] + int64(at)
	}
	entry := &a.rec.entries[r.now[i][t]]
	if entry.data != nil {
		d := x.s.Tensors[t].Type
		size := max(int(d.Bits()/8), 1)
		e.Element = int64(at / size)
		from := at / size * size
		e.Got, e.Want = number(r.p.mem[i][t][from:], d), number(entry.data[from:], d)
	}
	a.blame(r.ctx, e)
	return e
}

// stray makes the error for memory that nothing may write.
func (a *ArenaRun) stray(r *execution, i, k int, offset int64) error {
	e := &Difference{Site: a.site(i, k, -1), Purpose: Promise, Invocation: r.invocation, Offset: offset, Element: -1}
	a.blame(r.ctx, e)
	return e
}

func (a *ArenaRun) site(i, k, t int) Site {
	x := a.m.subs[i]
	s := Site{Subgraph: i, Op: k, Tensor: t, Buffer: -1}
	if k >= 0 {
		s.OpName = x.ops[k].name
		if i == a.s.Index {
			s.Step = int64(a.times[k])
		}
	} else if k == graph.Exit {
		s.Step = int64(a.over)
	}
	if t >= 0 {
		s.Name, s.Buffer = x.s.Tensors[t].Name, int(a.p.home[i][t])
	}
	return s
}

// blame runs the program with labels, which know who wrote what.
func (a *ArenaRun) blame(ctx context.Context, e *Difference) {
	_, err := a.program.Validate(ctx, a.plan, Options{MaxArena: -1, Memory: a.uses})
	if errors.As(err, &e.Cause) || !a.nested || e.Offset < 0 {
		return
	}
	const most = 4
	for i := range a.table.Buffers {
		b, off := &a.table.Buffers[i], a.plan.Offsets[i]
		if i != e.Site.Buffer && off <= e.Offset && e.Offset < off+b.Size && len(e.Sharing) < most {
			e.Sharing = append(e.Sharing, fmt.Sprintf("%d %q", i, b.Name))
		}
	}
}

// number writes an element of a tensor.
func number(b []byte, d graph.DType) string {
	switch {
	case d == graph.Float32 && len(b) >= 4:
		return fmt.Sprint(math.Float32frombits(le32(b)))
	case d == graph.Int32 && len(b) >= 4:
		return fmt.Sprint(int32(le32(b)))
	case d == graph.Int64 && len(b) >= 8:
		return fmt.Sprint(int64(binary.LittleEndian.Uint64(b)))
	case d == graph.Int16 && len(b) >= 2:
		return fmt.Sprint(int16(binary.LittleEndian.Uint16(b)))
	case d == graph.Int8 && len(b) >= 1:
		return fmt.Sprint(int8(b[0]))
	}
	return fmt.Sprintf("%#x", b[:min(len(b), max(int(d.Bits()/8), 1))])
}
