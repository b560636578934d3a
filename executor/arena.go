package executor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/lifetime"
)

// ArenaRun runs the operators of a recording in planned arenas: tensors lie at
// their offsets, and what they hold is compared with the recording. It may be
// used by one goroutine at a time.
type ArenaRun struct {
	m       *Machine
	rec     *Recording
	program *Program
	table   *lifetime.Table
	s       *graph.Subgraph
	lt      *graph.Lifetimes
	order   []int
	times   []int // by operator: the step at which it runs
	nested  bool  // the table holds the subgraphs that are called
	over    int   // the last step at which something runs

	locals   [][]int32    // by subgraph: its buffers, but for variables
	dead     []int32      // buffers by the last step of their life
	deadAt   []int32      // by step: where in dead it begins; one more at the end
	scratchs []scratchUse // by step
	rooms    []room       // by step
	sweep    sweeper
	p        *space
	r        *execution
	plan     *lifetime.Plan
	memory   []byte // with a margin on both sides of the arena
	arena    []byte
	poisons  bool
	spare    Memory // if the options have none
	uses     *Memory
}

// scratchUse is working memory of an operator in the arena.
type scratchUse struct{ step, buffer int32 }

// margin is the memory around an arena that nothing may write, in bytes. It
// keeps the arena aligned.
const margin = 64

// DefaultRunArena is the largest arena in which kernels run by default.
const DefaultRunArena = 256 << 20

// RunOptions are the knobs of a run in an arena.
type RunOptions struct {
	// Replay takes the results of operators from the recording instead of
	// computing them. As the operands in the arena have been found to be those
	// of the recording, byte for byte, a kernel that stays within its results
	// would compute the same. What it does not show is what kernels do in
	// place and outside of their results.
	Replay bool
	// Trust compares nothing and leaves unused memory as it is: the run of a
	// real runtime, right or wrong.
	Trust bool
	// Output is called with every output of the subgraph after every
	// invocation, in their sequence, if it is not nil. The bytes are those of
	// the arena.
	Output func(invocation, n int, data []byte)
	// MaxArena bounds the arena, in bytes. 0 means DefaultRunArena.
	MaxArena int64
	// Memory is used for the arena if it is not nil.
	Memory *Memory
}

// RunResult says what a run in an arena did.
type RunResult struct {
	Invocations int
	Operators   int // of the subgraph and those that it calls
	Symbolic    int // of them without a kernel
	Copied      int // operators that worked on copies of operands or results, as offsets are not aligned or kernels cannot work in place
}

// NewArenaRun makes a run of the recorded subgraph in the given order, with
// tensors in the buffers of the table. Tensors that the table leaves out, and
// those of subgraphs that are planned apart, have memory of their own.
//
// It fails if FromGraph does, with an *InPlaceError if the table puts a result
// on top of an operand although the operator cannot work in place, and if the
// table gives a tensor another size than the file does.
func (rec *Recording) NewArenaRun(o graph.Order, lt *graph.Lifetimes) (*ArenaRun, error) {
	program, err := FromGraph(rec.m.subs[rec.subgraph].s, o, lt)
	if err != nil {
		return nil, err
	}
	if err := CheckInPlace(rec.m.model, lt); err != nil {
		return nil, err
	}
	return rec.newArenaRun(program, o, lt)
}

func (rec *Recording) newArenaRun(program *Program, o graph.Order, lt *graph.Lifetimes) (*ArenaRun, error) {
	s := rec.m.subs[rec.subgraph].s
	a := &ArenaRun{m: rec.m, rec: rec, program: program, table: lt.Table, s: s, lt: lt, order: o.Ops}
	if err := a.clock(); err != nil {
		return nil, fmt.Errorf("subgraph %d, order %s: %w", s.Index, o.Name, err)
	}
	home, err := a.homes()
	if err != nil {
		return nil, fmt.Errorf("subgraph %d, order %s: %w", s.Index, o.Name, err)
	}
	a.p = newSpace(rec.m, rec.reached, func(i, t int) int32 { return home[i][t] })
	a.r = newRun(rec.m, a.p, rec.subgraph)
	a.r.log, a.r.arena = rec, a
	a.mortal()
	a.working()
	return a, nil
}

// errStale says that a recording is of no use any more.
var errStale = errors.New("the machine has given up a kernel since the recording")

// Run executes all invocations of the recording in the arena of the plan. It
// returns a *Difference for the first byte that is not that of the recording,
// an *OutsideError if a buffer is not in the arena, ErrTooLarge for an arena
// above MaxArena, and the error of the context if that ends first. After the
// first run it does not allocate, but for larger arenas and what is wrong.
func (a *ArenaRun) Run(ctx context.Context, plan *lifetime.Plan, o RunOptions) (RunResult, error) {
	var res RunResult
	if err := a.program.checkPlan(plan); err != nil {
		return res, err
	}
	if o.MaxArena == 0 {
		o.MaxArena = DefaultRunArena
	}
	if plan.Arena > o.MaxArena {
		return res, fmt.Errorf("%w: an arena of %d bytes", ErrTooLarge, plan.Arena)
	}
	a.m.mu.Lock()
	defer a.m.mu.Unlock()
	if a.rec.version != a.m.version {
		return res, errStale
	}
	a.place(plan, o)
	r := a.r
	r.ctx, r.mode = ctx, checking
	switch {
	case o.Trust:
		r.mode = trusting
	case o.Replay && !a.rec.complete():
		return res, fmt.Errorf("%w: the recording did not keep all results", ErrTooLarge)
	case o.Replay:
		r.mode = replaying
	}
	for n := range a.rec.Invocations() {
		r.invocation = n
		err := r.invoke(a.order, a.times)
		if err == nil {
			err = a.exit(o)
		}
		if err != nil {
			a.p.repair()
			return res, err
		}
		res.Invocations++
	}
	for i, x := range a.m.subs {
		if !a.rec.reached[i] {
			continue
		}
		for k := range x.ops {
			res.Operators++
			if x.ops[k].how == symbolically {
				res.Symbolic++
			}
			if len(a.p.ops[i][k].moves) > 0 {
				res.Copied++
			}
		}
	}
	return res, nil
}

// place gives tensors their offsets and fills the arena.
func (a *ArenaRun) place(plan *lifetime.Plan, o RunOptions) {
	a.plan, a.poisons = plan, !o.Trust
	if a.uses = o.Memory; a.uses == nil {
		a.uses = &a.spare
	}
	size := int(plan.Arena) + 2*margin
	if len(a.uses.arena) < size+margin {
		a.uses.arena = aligned(int64(size + margin))
	}
	start := lead(a.uses.arena)
	a.memory = a.uses.arena[start : start+size : start+size]
	pattern(a.memory, poison)
	a.arena = a.memory[margin : size-margin]
	for i, home := range a.p.home {
		for t, b := range home {
			if b >= 0 {
				off, n := plan.Offsets[b], a.m.subs[i].bytes[t]
				a.p.mem[i][t] = a.arena[off : off+n : off+n]
			}
		}
	}
	a.p.bind()
	if a.poisons {
		a.sweep.rooms(a)
	}
}

// exit compares what a run has to leave: outputs, variables, and inputs that
// live to the end. Then all but the variables dies, and nothing else may have
// been written.
func (a *ArenaRun) exit(o RunOptions) error {
	r, i := a.r, a.s.Index
	if o.Output != nil {
		for n, t := range a.s.Outputs {
			o.Output(r.invocation, n, a.p.mem[i][t])
		}
	}
	if o.Trust {
		return nil
	}
	for _, t := range a.s.Outputs {
		if err := r.read(i, graph.Exit, t); err != nil {
			return err
		}
	}
	for t := range a.s.Tensors {
		if a.s.Tensors[t].Variable {
			if err := r.read(i, graph.Exit, t); err != nil {
				return err
			}
		}
	}
	for _, t := range a.s.Inputs {
		b := a.p.home[i][t]
		if b < 0 || a.table.Buffers[b].Upper <= int64(a.over) || len(a.lt.Refs[b].Tensors) > 1 {
			continue
		}
		if err := r.read(i, graph.Exit, t); err != nil {
			return err
		}
	}
	a.kill(a.over, a.over+1)
	return a.sweep.all(a)
}

// entered is called when the inputs are there.
func (a *ArenaRun) entered() {
	if len(a.lt.Steps) > 0 && a.lt.Steps[0].Op == graph.Entry {
		a.died(0, 1)
	}
}

// died is called when the steps [from, to) are over.
func (a *ArenaRun) died(from, to int) { a.kill(from, min(to, a.over)) }

// kill overwrites the buffers whose last steps are in [from, to).
func (a *ArenaRun) kill(from, to int) {
	if !a.poisons || from >= to {
		return
	}
	a.poison(a.dead[a.deadAt[from]:a.deadAt[to]])
}

// left is called when a subgraph that lies in the arena returns.
func (a *ArenaRun) left(i int) {
	if a.poisons {
		a.poison(a.locals[i])
	}
}

func (a *ArenaRun) poison(buffers []int32) {
	for _, b := range buffers {
		off := a.plan.Offsets[b]
		pattern(a.arena[off:off+a.table.Buffers[b].Size], poison)
	}
}

// scratch has an operator use its working memory.
func (a *ArenaRun) scratch(r *execution, i, k, time int) {
	if i != a.s.Index && !a.nested {
		return
	}
	from, _ := slices.BinarySearchFunc(a.scratchs, int32(time), func(s scratchUse, t int32) int { return cmp.Compare(s.step, t) })
	for _, s := range a.scratchs[from:] {
		if s.step != int32(time) {
			break
		}
		off := a.plan.Offsets[s.buffer]
		pattern(a.arena[off:off+a.table.Buffers[s.buffer].Size], 0x5A)
	}
}
